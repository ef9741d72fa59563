#pragma once
/// Column and size of the next big step of an extrapolation method: least work per unit of time, much as in SEULEX (Hairer & Wanner,
/// Solving ODEs II, IV.9, doi:10.1007/978-3-642-05221-7).
///   e_j = ‖X_jj − X_{j,j−1}‖ ~ H^j,   H_j = H · s₂ (s₁/e_j)^(1/j),   W_j = A_j / H_j,   A_j: what j rows cost                   (1)
/// With column k intended, rows are made until e_j ≤ 1 for a j from k − 1 to k + 1, and given up where even row k + 1 will hardly do:
///   e_{j+1}/e_j ≈ min(n_1/n_{j+1}, e_j/e_{j−1})                                                                           (2)
/// Such an attempt is repeated with the size that (1) gives for the errors expected of column k, not with a lower column: at tolerance
/// 1e-9 Van der Pol's equation else fell to column 2 after every rejection.
/// The first step after a start, and one that was cut short, may end with any column from 2 on.
#include <array>
#include <cstdint>
#include <span>

#include "rubato/base/archive.hpp"
#include "rubato/integrate/options.hpp"

namespace rubato {

inline constexpr int max_extrapolation_columns = 7;

class ExtrapolationControl {
 public:
  struct Costs {
    double jacobian = 5, factor = 1, step = 2;  ///< of a row: a factor, and n_j evaluations of f and solutions
    bool factor_each_step = false;              ///< B changes from small step to small step
  };
  /// s₂ is that of SEULEX for the safety factor that is the default, and proportional to it; limits that are 0: ten and a tenth.
  ExtrapolationControl(std::span<const int> numbers, double rtol, const StepOptions& step, const Costs& costs) noexcept;

  void restart() noexcept;

  enum class Verdict : std::uint8_t { go_on, accept, reject };
  /// An attempt of size h begins.
  void begin(double h) noexcept;
  /// After row j ≥ 2 with its error e_j.
  [[nodiscard]] Verdict after(int j, double error) noexcept;
  /// H_new/H after accept or reject.
  [[nodiscard]] double factor() const noexcept { return trial_.factor; }
  void commit() noexcept;
  void discard() noexcept;

  void save(ArchiveWriter& out) const;
  void load(ArchiveReader& in) noexcept;

 private:
  void allow(int j, double error) noexcept;
  [[nodiscard]] Verdict accepted(int j) noexcept;
  [[nodiscard]] Verdict rejected(int j) noexcept;
  [[nodiscard]] double work(int j) const noexcept { return cost_[j] / factor_[j]; }

  struct Memory {
    int column = 0;     ///< intended
    double wanted = 0;  ///< size of the next step
    bool fresh = true, after_rejection = false;
  } memory_;
  struct Trial {
    int column = 0;
    double factor = 0;
    bool accepted = false, judged = false;
  } trial_;
  int first_column_ = 2, n_columns_;
  double safety_, shrink_limit_, growth_limit_;
  double h_ = 0, error_ = 0;  ///< of the attempt and its last row
  bool any_column_ = false;   ///< in this attempt
  // By column, from 1 on.
  std::array<double, max_extrapolation_columns + 2> number_{}, cost_{}, factor_{};
};

}  // namespace rubato
