#pragma once
/// The one table of model keys and the drafts they write to.
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/solid_draft.hpp"
#include "rubato/base/function.hpp"
#include "rubato/multibody/mechanism.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::io {

/// A frame as written; at most one way to turn it, but `axis` may have x_axis or angle beside it.
struct FrameDraft {
  std::optional<multibody::Vector3> at = {}, axis = {}, x_axis = {}, euler = {}, rotation_vector = {};
  std::optional<multibody::Quaternion> quaternion = {};
  std::optional<double> angle = {};
};

enum class Solid : std::uint8_t { box, cylinder, sphere, rod };
struct SolidDraft {
  Solid type = Solid::box;
  std::optional<multibody::Vector3> size = {};
  std::optional<double> radius = {}, length = {};
  std::string along = {};
};

/// Nodes and modes as written, here or in a file of their own; or a beam that gives them.
struct FlexibleDraft {
  std::string file = {};
  std::vector<multibody::ModalNode> nodes = {};
  std::vector<multibody::Mode> modes = {};
  std::vector<std::string> mode_places = {};  ///< "file:line:column" of each mode
  std::optional<multibody::ModalBeam> beam = {};
  std::string file_text = {};  ///< what the file says, as an inline table
};

using Names2 = std::array<std::string, 2>;

/// Everything that one element of a file may say; each table of keys uses its part.
struct Draft {
  std::string name = {}, type = {};
  FrameDraft frame = {};
  std::optional<Names2> bodies = {};
  std::optional<multibody::Marker> a = {}, b = {};
  std::optional<multibody::Surface> surface_a = {}, surface_b = {};
  // a frame on a body
  std::string body_name = "ground";
  bool in_space = false;
  std::string node = {};
  multibody::Surface surface = {};
  multibody::LuGre lugre = {};
  SolidDraft solid = {};
  FlexibleDraft flexible = {};
  multibody::ModalNode modal_node = {};
  multibody::Mode mode = {};
  multibody::ModalBeam modal_beam = {};
  // [model]
  multibody::Vector3 gravity{};
  std::string formulation = {};
  // a table of a function
  std::optional<Names2> units = {};
  // elements
  multibody::Body body = {};
  std::optional<double> mass = {}, density = {};
  std::optional<multibody::Vector3> inertia = {};
  std::optional<SolidDraft> shape = {};
  std::optional<FlexibleDraft> modal = {};
  multibody::Joint joint = {};
  multibody::Coupling coupling = {};
  multibody::SpringDamper spring = {};
  multibody::TorsionSpring torsion = {};
  multibody::Bushing bushing = {};
  multibody::AppliedForce applied = {};
  multibody::Contact contact = {};
  multibody::EndStop stop = {};
  multibody::Beam beam = {};
  multibody::Look look = {};
  FemDraft fem = {};
};

/// Where a key's value goes; the alternative is the key's type.
using ModelField =
    std::variant<std::string*, double*, std::optional<double>*, bool*, std::uint8_t*, multibody::Vector3*,
                 std::optional<multibody::Vector3>*, std::optional<multibody::Quaternion>*, std::optional<Names2>*,
                 FunctionPointer*, std::array<FunctionPointer, 3>*, std::optional<multibody::Marker>*,
                 std::optional<multibody::Surface>*, std::optional<multibody::LuGre>*, std::optional<SolidDraft>*, int*,
                 std::vector<double>*, std::vector<multibody::Vector3>*, std::vector<multibody::ModalNode>*,
                 std::vector<multibody::Mode>*, std::optional<multibody::ModalBeam>*, std::optional<FlexibleDraft>*,
                 std::vector<fem::RingLayer>*, std::vector<fem::PronyTerm>*, std::array<AxisMotion, 3>*>;

struct ModelChoice {
  std::string name;
  std::uint8_t value = 0;
};

/// What a plain number means where three are expected.
enum class Single : std::uint8_t { refused, third, each };

struct ModelKey {
  std::string name;
  std::string help;
  std::string unit = {};  ///< empty: a plain number; "any": see unit_of
  double min = -std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool required = false;
  Single single = Single::refused;
  std::string variable = {};  ///< of a function, with its unit: "t"
  std::string variable_unit = {};
  bool smooth = false;           ///< a table must have continuous second derivatives
  bool plane = false;            ///< two entries will do, the third is zero
  bool may_be_infinite = false;  ///< inf is a number here
  std::vector<ModelChoice> choices = {};
  std::string default_text = {};
  ModelField (*field)(Draft& draft) = nullptr;
  std::string (*unit_of)(const Draft& draft) = nullptr;  ///< where other keys of the element decide: its unit then
};

struct ModelSection {
  std::string table;      ///< "force"
  std::string type = {};  ///< "spring-damper"; empty: the table has one kind of entry
  std::string help = {};
  std::vector<ModelKey> keys = {};
  bool two_frames = false;  ///< needs `a` and `b`, or `bodies` with a frame in space
  bool apart = false;       ///< its ends lie apart: `bodies` with one place does not do
  void (*keep)(const Draft& draft, multibody::Mechanism& mechanism) = nullptr;
};

[[nodiscard]] const std::vector<ModelSection>& model_sections();
/// Of finite element models.
[[nodiscard]] const std::vector<ModelSection>& solid_sections();
[[nodiscard]] const ModelSection* find_section(std::string_view table, std::string_view type = {},
                                               const std::vector<ModelSection>& among = model_sections());
[[nodiscard]] std::vector<std::string> section_types(std::string_view table,
                                                     const std::vector<ModelSection>& among = model_sections());
/// "a number ≥ 0 in N/m", "one of …".
[[nodiscard]] std::string allowed_values(const ModelKey& key);

}  // namespace rubato::io
