// Assembly of internal forces and stiffness: elements per second, one thread and all of them, neo-Hooke.
//
// Flops per element: at each of n_q points F (2·9·n), response (about 700), A∇N (2·81·n) and pairs (2·27·n(n+1)/2), n nodes: hex8
// about 8 · (144 + 700 + 1300 + 1940) = 33 kflop. Memory: gradients 8 · (24 + 1) · 8 B = 1.6 kB, places 576 · 4 B = 2.3 kB and values of K,
// read and written, 2 · 576 · 8 B = 9.2 kB. At 10 Gflop/s and 10 GB/s a core could do 300 000 and 760 000 elements per second.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"

namespace {

using namespace rubato;
using namespace rubato::fem;

std::shared_ptr<const SolidSystem> block_of(Shape shape, int n, int threads, PressureSpace pressure) {
  SolidModel model;
  model.mesh = *block({.shape = shape, .divisions = {n, n, n}});
  model.materials = {{.name = "rubber", .density = 1000, .law = neo_hooke(1e6), .bulk = 1e8}};
  model.regions = {{.group = "body", .material = "rubber", .pressure = pressure}};
  model.threads = threads;
  return *build(std::move(model));
}

void run(benchmark::State& state, Shape shape, int n, PressureSpace pressure = PressureSpace::none) {
  const auto system = block_of(shape, n, static_cast<int>(state.range(0)), pressure);
  const auto& sizes = system->sizes();
  const auto patterns = system->tangent_patterns();
  const Vector q = 1e-3 * Vector::Random(sizes.q), v = Vector::Zero(sizes.v), lambda = Vector::Zero(sizes.lambda);
  Vector f(sizes.v), b(sizes.v), g(sizes.lambda);
  std::vector<double> k(patterns.K.nnz()), d(patterns.D.nnz()), r(patterns.r_lambda.nnz()), gq(patterns.g_q.nnz()),
      c(patterns.g_lambda.nnz());
  ScratchMemory memory(system->scratch_bytes());
  const MechanicalPoint<double> p{.t = 0,
                                  .q = view(q),
                                  .v = view(v),
                                  .z = {},
                                  .lambda = view(lambda),
                                  .nu = {},
                                  .u = {},
                                  .base = {},
                                  .mode = 0,
                                  .scratch = memory.scratch()};
  for (auto _ : state) {
    benchmark::DoNotOptimize(system->force(p, view(f)));
    if (sizes.lambda > 0) {
      benchmark::DoNotOptimize(system->reaction(p, view(lambda), {}, view(b)));
      benchmark::DoNotOptimize(system->constraint(p, view(g)));
    }
    benchmark::DoNotOptimize(system->tangents(p, view(v), {.K = k, .D = d, .r_lambda = r, .g_q = gq, .g_lambda = c}));
  }
  const auto elements = static_cast<double>(system->model().mesh.find_group("body")->elements.size());
  state.counters["elements/s"] = benchmark::Counter(elements, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["unknowns"] = sizes.q + sizes.lambda;
}

void hex8(benchmark::State& state) { run(state, Shape::hex8, 20); }
void hex8_p0(benchmark::State& state) { run(state, Shape::hex8, 20, PressureSpace::discontinuous); }
void tet10(benchmark::State& state) { run(state, Shape::tet10, 10); }
void tet10_tet4(benchmark::State& state) { run(state, Shape::tet10, 10, PressureSpace::continuous); }
void hex27(benchmark::State& state) { run(state, Shape::hex27, 10); }
void hex27_p1(benchmark::State& state) { run(state, Shape::hex27, 10, PressureSpace::discontinuous); }

BENCHMARK(hex8)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(hex8_p0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tet10)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tet10_tet4)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(hex27)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(hex27_p1)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
