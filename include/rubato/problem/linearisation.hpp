#pragma once
/// A Dae's derivatives at a point: J = ∂(f − B w)/∂x, B, and the total time derivative of f.
#include <memory>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/linalg/colouring.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "rubato/problem/dae.hpp"

namespace rubato {

/// Where J comes from. `automatic`: the model's own, else dual numbers, else coloured differences.
enum class JacobianSource : std::uint8_t { automatic, model, dual, differences };

/// Which differences. `one_sided` ones are right to 10⁻⁸ of J or so, which iterations hardly feel; `central` ones to 10⁻¹⁰ with twice the
/// evaluations, for methods whose order rests on J.
enum class Differences : std::uint8_t { one_sided, central };

/// How much of J is formed. Rows that are left out are in neither pattern nor values; product() knows them all the same.
enum class JacobianRows : std::uint8_t { all, algebraic, none };

/// Patterns and colours are found once, at set-up; `update` then neither allocates nor throws.
class Linearisation {
 public:
  /// `at` is a typical point (the start): patterns are traced there and beside it. Refuses a source the model lacks; a part of the rows
  /// cannot come from the model.
  [[nodiscard]] static Result<std::unique_ptr<Linearisation>> create(const Dae& dae, const At& at,
                                                                     JacobianSource source,
                                                                     JacobianRows rows = JacobianRows::all,
                                                                     Differences differences = Differences::one_sided);

  [[nodiscard]] const SparsePattern& jacobian_pattern() const noexcept { return j_pattern_; }
  [[nodiscard]] const SparsePattern& mass_pattern() const noexcept { return b_pattern_; }
  [[nodiscard]] In jacobian() const noexcept { return j_values_; }
  [[nodiscard]] In mass() const noexcept { return b_values_; }
  [[nodiscard]] bool exact() const noexcept { return exact_; }
  [[nodiscard]] JacobianSource source() const noexcept { return source_; }
  /// Evaluations of f that update(), time_derivative() and product() cost (differences only).
  [[nodiscard]] long f_calls() const noexcept { return f_calls_; }

  /// Evaluates J, and B where it is not constant. `f0` is f at the point where known (else empty: evaluated here when
  /// differences need it); `scale` for their increments: how far each unknown moves at least, |h x'| say; may be empty.
  [[nodiscard]] EvalStatus update(const At& at, In w, In f0 = {}, In scale = {}) noexcept;

  /// d/dt (f − B w) at fixed x, with inputs moving at u' = u_rate. Exact through dual numbers, else by a forward difference
  /// of order 2 over 10⁻³ h, h the step for which it is wanted.
  [[nodiscard]] EvalStatus time_derivative(const At& at, In w, In u_rate, In f0, double h, Out out) noexcept;
  [[nodiscard]] bool time_derivative_is_exact() const noexcept {
    return dae_.dual() != nullptr && source_ != JacobianSource::differences;
  }

  /// For J by differences: its error of the last update along v, J v less a central difference of f − B w along v, which costs two evaluations.
  /// Rounding errors of f spoil it as they spoil J.
  [[nodiscard]] EvalStatus error_along(const At& at, In w, In v, Out out) noexcept;

  /// y = J v at the point of the last update, all rows, where J is not formed: by dual numbers (exact), or by a difference along v that
  /// costs one evaluation. For constant B.
  [[nodiscard]] EvalStatus product(In v, Out y) noexcept;

  /// ∂f/∂u, dense; for analysis and real-time plans, not for the hot path.
  [[nodiscard]] EvalStatus input_jacobian(const At& at, In w, Matrix& out);

  /// y = J x and y = B x with the values of the last update.
  void jacobian_times(In x, Out y) const noexcept { multiply(j_pattern_, j_values_, x, y); }
  void mass_times(In x, Out y) const noexcept { multiply(b_pattern_, b_values_, x, y); }

  /// The last update by dual numbers or differences met a derivative outside the pattern: a branch of the model that was
  /// closed where the pattern was traced (a contact), or an entry that the model's own jacobian_pattern() lacks. J is wrong
  /// then until extend() has been called there.
  [[nodiscard]] bool pattern_incomplete() const noexcept { return incomplete_; }
  /// Adds what the equations depend on at this point, that of the last update: traced or, where the model has no tracer, probed
  /// unknown by unknown. Allocates. The patterns change, unless it was a false alarm.
  void extend(const At& at, In w);

  /// True when the equations at this point (another mode) depend on entries the pattern lacks.
  [[nodiscard]] bool pattern_grows(const At& at) const;

 private:
  Linearisation(const Dae& dae, JacobianSource source, JacobianRows rows, Differences differences);
  [[nodiscard]] SparsePattern formed(SparsePattern whole) const;
  void remember(const At& at) noexcept;
  void prepare(const At& at, SparsePattern jacobian, SparsePattern mass);
  [[nodiscard]] EvalStatus update_mass(const At& at) noexcept;
  [[nodiscard]] EvalStatus by_duals(const At& at, In w) noexcept;
  void compare_with_product() noexcept;
  [[nodiscard]] bool forms_all() const noexcept { return rows_ == JacobianRows::all; }
  // difference_jacobian.cpp
  [[nodiscard]] EvalStatus by_differences(const At& at, In w, In f0, In scale) noexcept;
  void choose_increments(In x, In scale) noexcept;
  void estimate_noise(In x) noexcept;
  [[nodiscard]] double relative_increment() const noexcept;
  [[nodiscard]] EvalStatus difference(At point, In x, In w, std::span<const int> columns) noexcept;
  [[nodiscard]] EvalStatus one_sided(At point, In x, In w, std::span<const int> columns) noexcept;
  [[nodiscard]] EvalStatus central(At point, In x, In w, std::span<const int> columns) noexcept;
  void shorten(std::span<const int> columns) noexcept;
  void find_lost(std::span<const int> columns) noexcept;
  void compare_with_difference(At point, In x, In w) noexcept;
  [[nodiscard]] SparsePattern probed(const At& at, In w);
  /// f − B w.
  [[nodiscard]] EvalStatus residual(const At& at, In w, Out out) noexcept;

  const Dae& dae_;
  JacobianSource source_;
  JacobianRows rows_ = JacobianRows::all;
  Differences differences_ = Differences::one_sided;
  bool exact_ = true;
  SparsePattern j_pattern_, b_pattern_;
  ColumnGroups j_groups_, b_groups_;
  std::vector<double> j_values_, b_values_;
  std::vector<double> x_, f_, f0_, bw_, u_, below_;  ///< below_: f − B w on the other side
  // By differences: increments, the least that were not lost in rounding errors, the largest allowed, rounding errors of f.
  std::vector<double> increments_, least_, most_, noise_;
  std::vector<int> lost_, bent_, again_;  ///< columns to be repeated
  int false_alarms_ = 0;
  // By dual numbers: passes of eight column groups. In the resting state all lanes of x_dual_ and u_dual_ are zero.
  struct Seed {
    int col, lane;
  };
  struct Taken {
    int row, lane, place;  ///< place: in j_values_
  };
  struct Pass {
    std::vector<Seed> seeds;
    std::vector<Taken> taken;
  };
  std::vector<Pass> passes_;
  std::vector<Dual8> x_dual_, f_dual_, w_dual_, bw_dual_, u_dual_;
  std::vector<double> direction_;  ///< r of the watch over the pattern
  std::size_t watch_lane_ = 0;
  bool watch_ = false;
  bool incomplete_ = false;
  bool mass_known_ = false;  ///< the model has given b_values_
  long f_calls_ = 0;
  At here_;  ///< of the last update, for products; its x and u are the next two
  std::vector<double> here_x_, here_u_;
};

}  // namespace rubato
