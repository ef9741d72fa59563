#pragma once
/// What consistent states, static equilibria and smooth starts share: a state under construction, the matrices M and
/// J = (G; A) at it, and linear systems with them. Set-up code: it allocates, and its failures are sentences.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/consistent.hpp"
#include "square_system.hpp"

namespace rubato::detail {

[[nodiscard]] inline int count(const Vector& x) noexcept { return static_cast<int>(x.size()); }

/// Which outputs of `function` depend on which of its n_in inputs, traced at `at`.
[[nodiscard]] SparsePattern traced(int n_out, In at,
                                   const std::function<void(std::span<const Tracer>, std::span<Tracer>)>& function);

/// A linear map known by its products y = L x only.
struct LinearMap {
  int rows = 0, cols = 0;
  std::function<void(In x, Out y)> apply;
  std::function<std::optional<SparsePattern>()> pattern = {};  ///< a guess, asked for and checked when L is large
};
/// L itself: column by column when small; else as a diagonal, or with grouped columns on the guessed pattern, each
/// confirmed by products with random vectors; column by column when neither holds.
[[nodiscard]] Sparse assembled(const LinearMap& map);

/// Which rows of a matrix follow from the others: dependent = combination · kept.
struct RowRank {
  std::vector<int> kept, dependent;
  Matrix combination;
};
/// By a QR factorisation with column pivoting of the transpose, rows scaled to norm one. Among equals earlier rows
/// are kept. More than 200 rows are first tried for independence by a sparse factorisation; where it leaves a doubt and
/// the non-zero columns have more than 3e7 entries, the rows are taken as independent.
[[nodiscard]] RowRank rank_of_rows(const Sparse& rows, const Vector& column_scale, double tolerance);

/// The rows as columns of a dense matrix, without coordinates they do not touch, scaled to norm one.
struct ScaledRows {
  Matrix a;
  Vector row_scale;
};
[[nodiscard]] ScaledRows scaled_rows(const Sparse& rows, const Vector& column_scale);

/// The same with the number of dependent rows known: which are best left out, the others determining them with small
/// factors, and the largest factor |C_ki| with which `current` ones do (rows scaled to norm one; infinite: not at all).
struct RowChoice {
  RowRank best;
  double largest_factor = 0;
};
[[nodiscard]] RowChoice choose_rows(const Sparse& rows, const Vector& column_scale, std::span<const int> current);

/// [M Jᵀ; J −μ R⁻²] of the given rows.
[[nodiscard]] Triplets saddle(const Sparse& m, const Sparse& j, std::span<const int> rows, double mu = 0,
                              const Vector& r = {});

/// A start under construction.
class Start {
 public:
  Start(const MechanicalSystem& system, const MechanicalState& guess, const ConsistentOptions& options,
        std::string caller);
  /// Sizes and finiteness of the guess; moves the base of charts to it.
  [[nodiscard]] Result<void> check();

  [[nodiscard]] MechanicalPoint<double> point() noexcept { return point_at(state.q); }
  [[nodiscard]] MechanicalPoint<double> point_at(const Vector& q) noexcept;
  /// The point over another scalar, everything constant; `memory` owns what it views.
  template <class S>
  [[nodiscard]] MechanicalPoint<S> lifted(std::vector<S>& memory) {
    const MechanicalPoint<double> p = point();
    memory.clear();
    memory.reserve(p.q.size() + p.v.size() + p.z.size() + p.lambda.size() + p.nu.size() + p.u.size());
    const auto lift = [&memory](In x) {
      const std::size_t first = memory.size();
      for (const double xi : x) memory.push_back(S(xi));
      return std::span<const S>(memory.data() + first, x.size());
    };
    MechanicalPoint<S> r;
    r.t = S(p.t);
    r.q = lift(p.q);
    r.v = lift(p.v);
    r.z = lift(p.z);
    r.lambda = lift(p.lambda);
    r.nu = lift(p.nu);
    r.u = lift(p.u);
    r.base = p.base;
    r.mode = p.mode;
    r.scratch = p.scratch;
    return r;
  }

  // Values at the state. A model that says no is remembered in `status`.
  [[nodiscard]] Vector kinematics(const Vector& v);
  [[nodiscard]] Vector inertia(const Vector& a);
  [[nodiscard]] Vector force();
  [[nodiscard]] Vector auxiliary();
  [[nodiscard]] Vector constraint();                         ///< g(t,q,λ)
  [[nodiscard]] Vector rates();                              ///< (G v + g_t; A v + b)
  [[nodiscard]] Vector accelerations(const Vector& a);       ///< their derivatives
  [[nodiscard]] Vector reaction(const Vector& multipliers);  ///< Jᵀ (λ, ν)
  /// An error if the model has said no since the last call.
  [[nodiscard]] Result<void> evaluated(std::string_view what);

  // Matrices at the state.
  [[nodiscard]] Sparse mass();
  [[nodiscard]] Sparse constraint_matrix();  ///< J = (G; A)
  [[nodiscard]] Sparse compliance();         ///< g_λ
  struct ConstraintTangents {
    Sparse gradient, compliance;  ///< g_q, g_λ
  };
  [[nodiscard]] ConstraintTangents model_constraint_tangents();

  /// Moves q along M⁻¹Gᵀ onto g(t,q,λ) = 0 (rows in `hard`), λ held.
  [[nodiscard]] Result<void> project_positions();
  /// Fills `rank` for the rows in `hard`; options.dependent where they are as many and no poor choice.
  void find_dependent_rows();
  /// Beside the state, where its velocity leads, fewer rows may depend on the others: those few into diagnosis.dependent, the rest of
  /// rank.dependent into diagnosis.singular.
  void find_singular_rows();
  /// The rows in `hard` of J, and a scale for its columns.
  [[nodiscard]] std::pair<Sparse, Vector> hard_rows();
  /// Moves v along M⁻¹Jᵀ until the rates of the rows in `hard` equal `wanted` (zero if empty).
  [[nodiscard]] Result<void> project_velocities(const Vector& wanted = {});
  /// a, λ, ν and algebraic z.
  [[nodiscard]] Result<void> solve_accelerations();
  /// λ of the rows in `soft` alone, from g(t,q,λ) = 0; false where that does not determine them, and λ is as it was.
  [[nodiscard]] bool solve_soft_multipliers();
  [[nodiscard]] bool forces_depend_on_multipliers();
  /// The shortest multipliers with the same reactions, given ones with zeros at dependent rows.
  void share_dependent_reactions();
  [[nodiscard]] SparsePattern multiplier_pattern();
  /// g_λ of the rows in `soft`; nothing where they depend on multipliers of others.
  [[nodiscard]] std::optional<Sparse> soft_compliance();
  /// The matrix of that system at the state, for right-hand sides of one's own.
  [[nodiscard]] Triplets acceleration_matrix(bool coupled);

  [[nodiscard]] int n_g() const noexcept { return system.sizes().lambda; }
  [[nodiscard]] int n_rows() const noexcept { return system.sizes().lambda + system.sizes().nu; }
  [[nodiscard]] std::string row_name(int row) const;                        ///< "row 2 (lambda[2])"
  [[nodiscard]] std::string coordinate_name(int j) const;                   ///< of a velocity or its equation
  [[nodiscard]] std::string coordinates_in(const Vector& direction) const;  ///< the large ones, named
  [[nodiscard]] Error not_finite(const std::string& culprit) const;
  [[nodiscard]] Error error(std::string sentence) const {
    return {caller.empty() ? std::move(sentence) : caller + ": " + std::move(sentence)};
  }

  const MechanicalSystem& system;
  ConsistentOptions options;
  std::string caller;  ///< begins every message, unless empty
  MechanicalState state;
  ConstraintDiagnosis diagnosis;
  std::vector<int> hard;    ///< rows of J that bind positions and velocities, ascending
  std::vector<int> soft;    ///< rows of g that yield: λ from g(t,q,λ) = 0
  std::vector<int> active;  ///< rows with an unknown multiplier: hard ones kept, and soft ones
  RowRank rank;             ///< of the rows in `hard`, numbered as in J
  std::vector<int> algebraic_z;
  EvalStatus status = EvalStatus::ok;

 private:
  template <class Call>
  [[nodiscard]] Vector called(int size, Call&& call);
  ScratchMemory memory_;
  Vector u_;
};

}  // namespace rubato::detail
