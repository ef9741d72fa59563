/// Heat and a reaction in the unit square or cube, second-order differences on n interior points per direction, spacing δ = 1/(n + 1);
/// temperatures of the walls are algebraic unknowns w with a law of their own, convection and radiation:
///   T' = Δ_δ T + k T (1 − T)(T − ½) + s(t, x),   0 = (T₁ − w)/δ² − (β w + ρ w⁴)/δ + b(t, x)                               (1)
/// T₁ is the neighbour inside: index 1 with a diagonal g_z, 2d n^{d−1} constraints beside n^d differential unknowns. The rows of the walls
/// have the size of those inside. Sources s and b are such that a hot spot which moves on a circle solves (1) exactly, differences included:
///   T = Π_k exp(−(x_k − c_k)²/ℓ²),   c = (½ + ¼ cos 2πt, ½ + ¼ sin 2πt, ½),   ℓ = 0.3                                     (2)
/// so that errors are those of the time integration alone. In one dimension, without reaction and radiation, it is the heat equation with
/// two Robin conditions. Ours; the class of problems is that of Wensch, Appl. Numer. Math. (2005), section 5.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {
namespace {

constexpr double reaction_diffusion_spot = 0.3;

struct Grid {
  int dimension = 2, n = 16;
  [[nodiscard]] int power(int exponent) const {
    int product = 1;
    for (int k = 0; k < exponent; ++k) product *= n;
    return product;
  }
  [[nodiscard]] int inside() const { return power(dimension); }
  [[nodiscard]] int walls() const { return 2 * dimension * power(dimension - 1); }
  /// The wall behind side 0 or 1 of direction k next to point i.
  [[nodiscard]] int wall(int i, int k, int side) const {
    const int below = power(k);
    return inside() + (2 * k + side) * power(dimension - 1) + i / (below * n) * below + i % below;
  }
};

struct ReactionDiffusion {
  Grid grid;
  double reaction = 10, convection = 1, radiation = 1;

  std::size_t scratch_bytes() const {
    return 3 * Scratch::bytes_for<Dual8>(static_cast<std::size_t>(grid.dimension) *
                                         static_cast<std::size_t>(grid.n + 2)) +
           3 * Scratch::bytes_for<Tracer>(static_cast<std::size_t>(grid.dimension) *
                                          static_cast<std::size_t>(grid.n + 2));
  }

  /// The factors of (2) on all lines of the grid, walls included, their rates and second differences.
  template <class S>
  struct Spot {
    Spot(const Grid& g, const S& t, Scratch scratch)
        : lines(static_cast<std::size_t>(g.n) + 2),
          value(scratch.take<S>(lines * static_cast<std::size_t>(g.dimension))),
          rate(scratch.take<S>(value.size())),
          bend(scratch.take<S>(value.size())) {
      using std::cos, std::exp, std::sin;
      const double omega = 2 * std::numbers::pi, delta = 1.0 / (g.n + 1);
      const S c = cos(omega * t), s = sin(omega * t);
      const S centre[] = {0.5 + 0.25 * c, 0.5 + 0.25 * s, S(0.5)};
      const S motion[] = {-0.25 * omega * s, 0.25 * omega * c, S(0.0)};
      for (std::size_t k = 0; k < static_cast<std::size_t>(g.dimension); ++k) {
        for (std::size_t i = 0; i < lines; ++i) {
          const S away = delta * static_cast<double>(i) - centre[k];
          value[k * lines + i] = exp(-away * away / (reaction_diffusion_spot * reaction_diffusion_spot));
          rate[k * lines + i] =
              2.0 / (reaction_diffusion_spot * reaction_diffusion_spot) * away * motion[k] * value[k * lines + i];
        }
        for (std::size_t i = 1; i + 1 < lines; ++i) {
          const std::size_t p = k * lines + i;
          bend[p] = (value[p - 1] - 2.0 * value[p] + value[p + 1]) / (delta * delta);
        }
      }
    }
    std::size_t lines;
    std::span<S> value, rate, bend;
  };

  template <class S>
  [[nodiscard]] S reacts(const S& heat) const {
    return reaction * heat * (1.0 - heat) * (heat - 0.5);
  }
  /// Heat that leaves through a wall.
  template <class S>
  [[nodiscard]] S leaves(const S& w) const {
    return convection * w + radiation * w * w * w * w;
  }

  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const double delta = 1.0 / (grid.n + 1), inverse = 1 / (delta * delta);
    const Spot<S> exact(grid, at.t, at.scratch);
    const auto d = static_cast<std::size_t>(grid.dimension);
    for (int i = 0; i < grid.inside(); ++i) {
      std::size_t place[3] = {};
      S heat(1.0), rate(0.0), bend(0.0);  // (2), its rate and its Δ_δ
      for (std::size_t k = 0; k < d; ++k) {
        place[k] = k * exact.lines + 1 + static_cast<std::size_t>(i / grid.power(static_cast<int>(k)) % grid.n);
        heat *= exact.value[place[k]];
      }
      for (std::size_t k = 0; k < d; ++k) {
        S others(1.0);
        for (std::size_t j = 0; j < d; ++j)
          if (j != k) others *= exact.value[place[j]];
        rate += others * exact.rate[place[k]];
        bend += others * exact.bend[place[k]];
        const int axis = static_cast<int>(k), line = static_cast<int>(place[k] - k * exact.lines);
        for (const int side : {0, 1}) {
          if (line != (side == 0 ? 1 : grid.n)) continue;
          const auto w = static_cast<std::size_t>(grid.wall(i, axis, side));
          const S wall = others * exact.value[side == 0 ? place[k] - 1 : place[k] + 1];
          out[w] = inverse * (at.x[static_cast<std::size_t>(i)] - heat - (at.x[w] - wall)) -
                   (leaves(at.x[w]) - leaves(wall)) / delta;
        }
      }
      const S& x = at.x[static_cast<std::size_t>(i)];
      S laplace = -2.0 * static_cast<double>(d) * x;
      for (int k = 0; k < grid.dimension; ++k) {
        const int step = grid.power(k), line = i / step % grid.n;
        laplace += at.x[static_cast<std::size_t>(line > 0 ? i - step : grid.wall(i, k, 0))];
        laplace += at.x[static_cast<std::size_t>(line + 1 < grid.n ? i + step : grid.wall(i, k, 1))];
      }
      out[static_cast<std::size_t>(i)] = inverse * laplace - bend + reacts(x) - reacts(heat) + rate;
    }
  }

  /// (2) at all points and walls.
  [[nodiscard]] Vector solution(double t) const {
    ScratchMemory memory(scratch_bytes());
    const Spot<double> exact(grid, t, memory.scratch());
    Vector x(grid.inside() + grid.walls());
    for (int i = 0; i < grid.inside(); ++i) {
      x[i] = 1;
      for (int k = 0; k < grid.dimension; ++k)
        x[i] *= exact.value[static_cast<std::size_t>(k) * exact.lines + 1 +
                            static_cast<std::size_t>(i / grid.power(k) % grid.n)];
      for (int k = 0; k < grid.dimension; ++k) {
        const auto first = static_cast<std::size_t>(k) * exact.lines;
        const auto line = static_cast<std::size_t>(1 + i / grid.power(k) % grid.n);
        if (line == 1) x[grid.wall(i, k, 0)] = x[i] / exact.value[first + 1] * exact.value[first];
        if (line + 2 == exact.lines)
          x[grid.wall(i, k, 1)] = x[i] / exact.value[first + line] * exact.value[first + line + 1];
      }
    }
    return x;
  }
};

Result<Instance> make_reaction_diffusion(const Parameters& given, std::string_view) {
  const Grid grid{.dimension = static_cast<int>(get(given, "dimension")), .n = static_cast<int>(get(given, "n"))};
  if (std::pow(grid.n, grid.dimension) > 4e6)
    return Error{fmt::format("reaction-diffusion: n = {} in {} dimensions is more than 4 000 000 points", grid.n,
                             grid.dimension)};
  const ReactionDiffusion model{.grid = grid,
                                .reaction = get(given, "reaction"),
                                .convection = get(given, "convection"),
                                .radiation = get(given, "radiation")};
  const double t_end = get(given, "t_end");
  const Vector end = model.solution(t_end);
  Reference reference{.t = t_end, .accuracy = 1e-13, .origin = "exact"};
  const auto refer = [&](std::string name, double value) {
    reference.components.push_back(std::move(name));
    reference.values.push_back(value);
  };
  int diagonal = 0;
  for (int k = 0; k < grid.dimension; ++k) diagonal += grid.power(k);
  for (int i = 0; i < grid.n; ++i) refer(fmt::format("T[{}]", i * diagonal), end[i * diagonal]);
  const int middle = grid.n / 2 * diagonal;
  for (int k = 0; k < grid.dimension; ++k)
    for (const int side : {0, 1}) {
      const int w = grid.wall(middle, k, side);
      refer(fmt::format("wall[{}]", w - grid.inside()), end[w]);
    }
  Task task{.t_end = t_end,
            .reference = std::move(reference),
            .measure = {.atol = 1,
                        .rtol = 0,
                        .definition = "absolute error of temperatures on the diagonal and in the middles of the walls"},
            .initial_step = 1e-3};
  return dae_instance(make_dae(model, {{.name = "T", .size = grid.inside(), .unit = "1"},
                                       {.name = "wall", .size = grid.walls(), .unit = "1", .kind = Kind::algebraic}}),
                      model.solution(0), std::move(task));
}

}  // namespace

Entry reaction_diffusion() {
  return {
      .name = "reaction-diffusion",
      .title =
          "heat with a reaction in a square or cube, temperatures of the walls algebraic: index 1, few constraints",
      .source = "manufactured solution; class of problems: Wensch, Appl. Numer. Math. (2005)",
      .parameters =
          {{.name = "n", .default_value = 16, .help = "points per direction", .min = 2, .max = 2000, .integer = true},
           {.name = "dimension", .default_value = 2, .help = "of the space", .min = 1, .max = 3, .integer = true},
           {.name = "reaction", .default_value = 10, .unit = "1/s", .help = "its rate k", .min = 0, .max = 1e6},
           {.name = "convection", .default_value = 1, .help = "linear loss of heat at the walls", .min = 0, .max = 1e6},
           {.name = "radiation", .default_value = 1, .help = "loss with the fourth power", .min = 0, .max = 1e6},
           end_time(1)},
      .t_end = 1,
      .make = make_reaction_diffusion};
}

}  // namespace rubato::catalogue
