#pragma once
/// Frames and solids of a model file.
#include <optional>
#include <string>

#include "io/model_keys.hpp"
#include "rubato/base/result.hpp"

namespace rubato::io {

/// Where a frame ends up; the error says which keys contradict each other.
[[nodiscard]] Result<multibody::Pose> pose_of(const FrameDraft& frame);

struct SolidInertia {
  double mass = 0;
  multibody::Vector3 inertia{};
};
/// From a mass or a density, one of which is given.
[[nodiscard]] Result<SolidInertia> inertia_of(const SolidDraft& solid, std::optional<double> mass,
                                              std::optional<double> density);

/// How the solid of a body is drawn: a thin rod as a line.
[[nodiscard]] multibody::Look look_of(const SolidDraft& solid, const std::string& body);

/// Nodes and modes as given, or of the beam.
[[nodiscard]] Result<multibody::ModalBody> modal_body_of(const FlexibleDraft& draft);

}  // namespace rubato::io
