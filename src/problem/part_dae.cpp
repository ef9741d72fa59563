#include "part_dae.hpp"

namespace rubato {

namespace {

template <class S>
class PartEquations final : public DaeEquations<S> {
 public:
  PartEquations(const DaeEquations<S>* whole, int part) : whole_(whole), part_(part) {}
  EvalStatus f(const Point<S>& at, std::span<S> out) const noexcept override { return whole_->part(part_, at, out); }
  EvalStatus mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const noexcept override {
    return whole_->mass_times(at, w, out);
  }

 private:
  const DaeEquations<S>* whole_;
  int part_;
};

class PartDae final : public Dae {
 public:
  PartDae(const Dae& whole, int part)
      : Dae(whole.layout()),
        whole_(whole),
        real_(&whole, part),
        dual_(whole.dual(), part),
        tracer_(whole.tracer(), part) {}

  EvalStatus f(const At& at, Out out) const noexcept override { return real_.f(at, out); }
  EvalStatus mass_times(const At& at, In w, Out out) const noexcept override { return whole_.mass_times(at, w, out); }
  bool constant_mass() const noexcept override { return whole_.constant_mass(); }
  bool autonomous() const noexcept override { return whole_.autonomous(); }
  const DaeEquations<Dual8>* dual() const noexcept override { return whole_.dual() ? &dual_ : nullptr; }
  const DaeEquations<Tracer>* tracer() const noexcept override { return whole_.tracer() ? &tracer_ : nullptr; }
  std::optional<SparsePattern> mass_pattern() const override { return whole_.mass_pattern(); }
  std::size_t scratch_bytes() const noexcept override { return whole_.scratch_bytes(); }
  int n_inputs() const noexcept override { return whole_.n_inputs(); }
  int base_size() const noexcept override { return whole_.base_size(); }

 private:
  const Dae& whole_;
  PartEquations<double> real_;
  PartEquations<Dual8> dual_;
  PartEquations<Tracer> tracer_;
};

}  // namespace

std::unique_ptr<const Dae> part_of(const Dae& whole, int part) { return std::make_unique<const PartDae>(whole, part); }

}  // namespace rubato
