/// A plate of 1 × 0.1 m in plane strain under a shear traction at its end, quasi-static, viscoelastic: displacements u (algebraic) and
/// viscous strains q (differential, constant in each of nx × ny bilinear rectangles).
///   q' = (2G_M/η) (dev ε(u) − q),   0 = K u − Σ_e 2G_M |e| B₀ᵀ q_e − F,   σ = 2G ε − 2G_M q + λ tr ε I
/// dev is that of three dimensions, dev A = A − tr(A)/3 I, also for the plane part (q₁₁, q₂₂, q₁₂); G is the fast modulus, B₀ that of the
/// middle, which on rectangles is the mean. G = 200 000, ν = 0.3, G_M = G/2, η = 1000 (rate 200 1/s); the eigenvalues of the reduced
/// equations lie in [−200, −100]. The left edge is clamped: its unknowns stay, with rows u = 0 (as in the source: 110 algebraic unknowns
/// on 10 × 4 elements), or are left out.
/// Wensch, Krylov-ROW methods for DAEs of index 1 with applications to viscoelasticity, Appl. Numer. Math. (2005).
/// Not printed there: the traction, 1000 here, and the start q = 0 with the elastic u.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "catalogue/problems.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/sparse_product.hpp"

namespace rubato::catalogue {
namespace {

constexpr double plate_length = 1, height = 0.1;
constexpr double fast_shear = 2e5, poisson = 0.3, maxwell_shear = fast_shear / 2, viscosity = 1000;
constexpr double plate_bulk = 2 * fast_shear * (1 + poisson) / (3 * (1 - 2 * poisson)),
                 lame = plate_bulk - 2 * fast_shear / 3;
constexpr double rate = 2 * maxwell_shear / viscosity;

/// (ε₁₁, ε₂₂, 2ε₁₂) = B u of a rectangle, u = (u₁ v₁ u₂ v₂ u₃ v₃ u₄ v₄) counter-clockwise, at ξ, η ∈ [−1, 1].
using Strain = Eigen::Matrix<double, 3, 8>;
Strain strain_of(double hx, double hy, double xi, double eta) {
  constexpr std::array<std::array<int, 2>, 4> corner = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  Strain b = Strain::Zero();
  for (int a = 0; a < 4; ++a) {
    const auto [x, y] = corner[static_cast<std::size_t>(a)];
    const double dx = x * (1 + y * eta) / (2 * hx), dy = y * (1 + x * xi) / (2 * hy);
    b(0, 2 * a) = b(2, 2 * a + 1) = dx;
    b(1, 2 * a + 1) = b(2, 2 * a) = dy;
  }
  return b;
}

/// x = (q, u): f(x) = J x − (0, F), everything constant.
class Plate final : public Dae {
 public:
  Plate(int nx, int ny, bool keep_clamped, double traction)
      : Dae(Layout{
            {.name = "q", .size = 3 * nx * ny, .unit = "1"},
            {.name = "u", .size = 2 * (nx + (keep_clamped ? 1 : 0)) * (ny + 1), .unit = "m", .kind = Kind::algebraic}}),
        nx_(nx),
        ny_(ny),
        keep_clamped_(keep_clamped),
        load_(static_cast<std::size_t>(size())) {
    assemble();
    for (int j = 0; j <= ny; ++j)
      load_[static_cast<std::size_t>(unknown(nx, j, 1))] = traction * height / ny * (j == 0 || j == ny ? 0.5 : 1.0);
  }

  /// The unknown of a node's displacement; −1: clamped and left out.
  [[nodiscard]] int unknown(int i, int j, int axis) const noexcept {
    if (!keep_clamped_ && i == 0) return -1;
    return 3 * nx_ * ny_ + 2 * ((i - (keep_clamped_ ? 0 : 1)) * (ny_ + 1) + j) + axis;
  }

  EvalStatus f(const At& at, Out out) const noexcept override {
    multiply(pattern_, values_, at.x, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= load_[i];
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    const auto n_q = static_cast<std::size_t>(layout().find("q")->size);
    std::copy_n(w.begin(), n_q, out.begin());
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(n_q), out.end(), 0.0);
    return EvalStatus::ok;
  }
  bool autonomous() const noexcept override { return true; }
  ModelJacobian model_jacobian() const noexcept override { return ModelJacobian::exact; }
  SparsePattern jacobian_pattern() const override { return pattern_; }
  EvalStatus jacobian(const At&, In, Out values) const noexcept override {
    std::copy(values_.begin(), values_.end(), values.begin());
    return EvalStatus::ok;
  }
  std::optional<SparsePattern> mass_pattern() const override {
    std::vector<rubato::Entry> diagonal;
    for (int i = 0; i < layout().find("q")->size; ++i) diagonal.push_back({i, i});
    return SparsePattern::from_entries(size(), size(), std::move(diagonal));
  }
  std::vector<double> mass_values() const override {
    return std::vector<double>(static_cast<std::size_t>(layout().find("q")->size), 1.0);
  }
  std::vector<std::string> output_names() const override { return {"tip"}; }
  EvalStatus outputs(const At& at, In, Out y) const noexcept override {
    y[0] = at.x[static_cast<std::size_t>(unknown(nx_, ny_, 1))];
    return EvalStatus::ok;
  }

  /// q = 0 and the u that goes with it.
  [[nodiscard]] Result<Vector> elastic_start() const;

 private:
  void assemble();

  int nx_, ny_;
  bool keep_clamped_;
  SparsePattern pattern_;
  std::vector<double> values_, load_;
};

void Plate::assemble() {
  const double hx = plate_length / nx_, hy = height / ny_;
  Eigen::Matrix3d stiffness;
  stiffness << 2 * fast_shear + lame, lame, 0, lame, 2 * fast_shear + lame, 0, 0, 0, fast_shear;
  Eigen::Matrix<double, 8, 8> k = Eigen::Matrix<double, 8, 8>::Zero();
  const double g = 1 / std::sqrt(3.0);  // 2 × 2 points are exact on rectangles
  for (const double xi : {-g, g})
    for (const double eta : {-g, g}) {
      const Strain b = strain_of(hx, hy, xi, eta);
      k += hx * hy / 4 * b.transpose() * stiffness * b;
    }
  const Strain middle = strain_of(hx, hy, 0, 0);
  Eigen::Matrix3d deviator;  // of (ε₁₁, ε₂₂, 2ε₁₂), to tensor components
  deviator << 2. / 3, -1. / 3, 0, -1. / 3, 2. / 3, 0, 0, 0, 0.5;
  const Strain to_q = rate * deviator * middle;
  const Eigen::Matrix<double, 8, 3> to_force =
      2 * maxwell_shear * hx * hy * middle.transpose();  // ∫ Dv : q = e₁₁ q₁₁ + e₂₂ q₂₂ + 2 e₁₂ q₁₂

  // Twice the same walk: first the pattern, then the values.
  const auto each_entry = [&](auto&& add) {
    for (int i = 0; i < nx_; ++i)
      for (int j = 0; j < ny_; ++j) {
        const int q = 3 * (i * ny_ + j);
        std::array<int, 8> u{};
        for (int axis = 0; axis < 2; ++axis) {
          const auto place = [axis](int a) { return static_cast<std::size_t>(2 * a + axis); };
          u[place(0)] = unknown(i, j, axis);
          u[place(1)] = unknown(i + 1, j, axis);
          u[place(2)] = unknown(i + 1, j + 1, axis);
          u[place(3)] = unknown(i, j + 1, axis);
        }
        const auto clamped = [i](std::size_t b) { return i == 0 && (b / 2 == 0 || b / 2 == 3); };
        for (int a = 0; a < 3; ++a) add(q + a, q + a, -rate);
        for (std::size_t b = 0; b < 8; ++b) {
          if (u[b] < 0) continue;
          const auto col = static_cast<Eigen::Index>(b);
          for (int a = 0; a < 3; ++a) {
            add(q + a, u[b], to_q(a, col));
            if (!clamped(b)) add(u[b], q + a, -to_force(col, a));
          }
          if (clamped(b)) continue;
          for (std::size_t c = 0; c < 8; ++c)
            if (u[c] >= 0) add(u[b], u[c], k(col, static_cast<Eigen::Index>(c)));
        }
      }
    if (keep_clamped_)
      for (int j = 0; j <= ny_; ++j)
        for (int axis = 0; axis < 2; ++axis) add(unknown(0, j, axis), unknown(0, j, axis), 1.0);
  };
  std::vector<rubato::Entry> entries;
  each_entry([&](int row, int col, double) { entries.push_back({row, col}); });
  pattern_ = SparsePattern::from_entries(size(), size(), std::move(entries));
  values_.assign(static_cast<std::size_t>(pattern_.nnz()), 0.0);
  each_entry(
      [&](int row, int col, double value) { values_[static_cast<std::size_t>(pattern_.index_of(row, col))] += value; });
}

Result<Vector> Plate::elastic_start() const {
  const int n_q = layout().find("q")->size, n_u = size() - n_q;
  std::vector<rubato::Entry> entries;
  std::vector<double> values;
  for (int col = n_q; col < size(); ++col)
    for (int p = pattern_.column_starts()[static_cast<std::size_t>(col)];
         p < pattern_.column_starts()[static_cast<std::size_t>(col) + 1]; ++p)
      if (const int row = pattern_.row_indices()[static_cast<std::size_t>(p)]; row >= n_q) {
        entries.push_back({row - n_q, col - n_q});  // by columns, rows ascending: the order of the pattern
        values.push_back(values_[static_cast<std::size_t>(p)]);
      }
  const auto pattern = SparsePattern::from_entries(n_u, n_u, std::move(entries));
  const auto solver = make_linear_solver<double>(pattern, BackEnd::automatic);
  if (solver->factor(values) != FactorStatus::ok) return Error{"the stiffness of the plate is singular"};
  Vector x = Vector::Zero(size());
  for (int i = n_q; i < size(); ++i) x[i] = load_[static_cast<std::size_t>(i)];
  solver->solve(view(x).subspan(static_cast<std::size_t>(n_q)));
  return x;
}

Result<Instance> make_viscoelastic_plate(const Parameters& given, std::string_view) {
  const int nx = static_cast<int>(get(given, "nx")), ny = static_cast<int>(get(given, "ny"));
  const double traction = get(given, "traction"), t_end = get(given, "t_end");
  const auto plate = std::make_shared<const Plate>(nx, ny, get(given, "eliminate") == 0, traction);
  auto start = plate->elastic_start();
  if (!start) return start.error();
  Task task{.t_end = t_end,
            .measure = {.atol = 0, .rtol = 1, .definition = "relative error of the deflection of the tip"},
            .initial_step = 1e-3};
  // Of the matrix exponential, 10 × 4 elements; stationary long before 100 s.
  if (nx == 10 && ny == 4 && same(traction, 1000) && (same(t_end, 100) || same(t_end, 0.01)))
    task.reference = Reference{.t = t_end,
                               .components = {fmt::format("u[{}]", plate->unknown(10, 4, 1) - 3 * nx * ny)},
                               .values = {same(t_end, 100) ? 0.7096405532 : 0.6538915818},
                               .accuracy = 1e-10,
                               .origin = "matrix exponential"};
  return dae_instance(plate, *std::move(start), std::move(task));
}

}  // namespace

Entry viscoelastic_plate() {
  return {.name = "viscoelastic-plate",
          .title = "viscoelastic plate under shear, quasi-static: index 1 with many constraints",
          .source = "Wensch, Appl. Numer. Math. (2005)",
          .parameters =
              {{.name = "nx", .default_value = 10, .help = "elements along", .min = 1, .max = 2000, .integer = true},
               {.name = "ny", .default_value = 4, .help = "elements across", .min = 1, .max = 2000, .integer = true},
               {.name = "traction", .default_value = 1000, .unit = "Pa", .help = "shear at the end"},
               flag("eliminate", 0, "1: clamped displacements are left out"),
               end_time(100)},
          .t_end = 100,
          .make = make_viscoelastic_plate};
}

}  // namespace rubato::catalogue
