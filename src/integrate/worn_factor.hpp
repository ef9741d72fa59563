#pragma once
/// When an old factor that serves as preconditioner is renewed.
///
/// A factor costs F; the k-th step with it costs e_k more than one with a fresh factor, the more the older it is. The mean per step,
///   (F + e_1 + … + e_k)/k,                                                                                           (1)
/// is least at the age at which the next e exceeds it.

namespace rubato {

class WornFactor {
 public:
  void renewed() noexcept {
    there_ = true;
    age_ = 0;
    spent_ = last_ = 0;
  }
  void forget() noexcept { there_ = false; }
  /// After a step that cost so much more.
  void used(double excess) noexcept {
    ++age_;
    spent_ += excess;
    last_ = excess;
  }
  /// F: what a new one costs.
  [[nodiscard]] bool worn(double cost) const noexcept { return !there_ || (age_ > 0 && last_ * age_ > cost + spent_); }
  [[nodiscard]] bool fresh() const noexcept { return there_ && age_ == 0; }  ///< made for the step at hand

 private:
  bool there_ = false;
  int age_ = 0;
  double spent_ = 0, last_ = 0;
};

}  // namespace rubato
