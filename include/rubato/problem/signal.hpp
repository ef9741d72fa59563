#pragma once
/// Inputs u(t) of a run: what a bench or a table feeds into a model.
#include <limits>
#include <memory>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

class InputSignal {
 public:
  virtual ~InputSignal() = default;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// u(t) and u'(t), from the right at a break.
  virtual void at(double t, Out u, Out rate) const noexcept = 0;
  /// The next time after t at which u or u' jumps; the driver stops and restarts there.
  [[nodiscard]] virtual double next_break(double /*t*/) const noexcept {
    return std::numeric_limits<double>::infinity();
  }
};

/// One channel, linear between knots, constant outside; two knots at one time are a jump.
class TableSignal final : public InputSignal {
 public:
  /// Refuses unsorted or non-finite knots, naming the first.
  static Result<std::shared_ptr<const TableSignal>> create(std::vector<double> times, std::vector<double> values);
  int size() const noexcept override { return 1; }
  void at(double t, Out u, Out rate) const noexcept override;
  double next_break(double t) const noexcept override;

 private:
  TableSignal(std::vector<double> times, std::vector<double> values)
      : times_(std::move(times)), values_(std::move(values)) {}
  std::vector<double> times_, values_;
};

}  // namespace rubato
