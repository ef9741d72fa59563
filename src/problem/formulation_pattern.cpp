#include "formulation_pattern.hpp"

namespace rubato::detail {

namespace {

class PatternSum {
 public:
  explicit PatternSum(int n) : n_(n) {}
  void add(const SparsePattern& block, int row, int col) {
    if (row < 0 || col < 0) return;
    for (int j = 0; j < block.cols(); ++j)
      for (const int i : block.column(j)) entries_.push_back({row + i, col + j});
  }
  void add_diagonal(int n, int row, int col) { add(SparsePattern::identity(n), row, col); }
  /// A B of two patterns.
  void add_product(const SparsePattern& a, const SparsePattern& b, int row, int col) {
    for (int j = 0; j < b.cols(); ++j)
      for (const int k : b.column(j))
        for (const int i : a.column(k)) entries_.push_back({row + i, col + j});
  }
  [[nodiscard]] SparsePattern pattern() && { return SparsePattern::from_entries(n_, n_, std::move(entries_)); }

 private:
  int n_;
  std::vector<Entry> entries_;
};

}  // namespace

// With r = M a − f + Gᵀλ, K = r_q, D = r_v; g_i and its derivatives in time depend on the coordinates of row i of G only, and Gᵀμ on
// those that K couples:
//   q' = v − Gᵀμ        1 in v;  K in q and r_λ in μ where μ is an unknown                                      (1)
//   M v' = −K, −D, −r_λ;  penalty, λ = −g/g_λ with g_λ diagonal:  K and r_λ G in q                              (2)
//   g, g' = G v + g_t, g'' = G a + γ                                                                           (3)
std::optional<SparsePattern> structural_pattern(const MechanicalSystem& system, const FormulationPlan& plan) {
  const Places& o = plan.at;
  const MechanicalSizes& s = plan.s;
  const Level level = plan.form.level;
  const Kinetics kinetics = plan.form.kinetics;
  const auto inertia = system.inertia_pattern();
  if (system.tangent_kind() == ModelJacobian::none || !system.plain_coordinates() || !system.constant_mass() ||
      !inertia || s.q != s.v || s.nu > 0 || level == Level::state_space || kinetics == Kinetics::hamilton)
    return std::nullopt;
  const ResidualTangentPatterns t = system.tangent_patterns();
  if (s.z > 0 && (t.e_z.rows() != s.z || t.e_z.cols() != s.z)) return std::nullopt;
  PatternSum sum(o.n);
  const bool still = level == Level::quasi_static;
  if (!still) sum.add_diagonal(s.q, o.q, o.v);  // (1)
  if (o.mu >= 0) {
    sum.add(t.K, o.q, o.q);
    sum.add(t.r_lambda, o.q, o.mu);
  }
  const int balance = still                                 ? o.q
                      : kinetics == Kinetics::accelerations ? o.a
                      : kinetics == Kinetics::momentum      ? o.p
                                                            : o.v;
  sum.add(t.K, balance, o.q);  // (2)
  sum.add(t.D, balance, o.v);
  sum.add(t.r_z, balance, o.z);
  if (s.lambda > 0) sum.add(t.r_lambda, balance, o.lambda);
  if (level == Level::penalty && s.lambda > 0) sum.add_product(t.r_lambda, t.g_q, balance, o.q);
  if (kinetics == Kinetics::accelerations && !still) {  // v' = a, 0 = … − M a
    sum.add_diagonal(s.v, o.v, o.a);
    sum.add(*inertia, o.a, o.a);
  }
  if (kinetics == Kinetics::momentum && !still) {  // 0 = p − M v
    sum.add_diagonal(s.v, o.v, o.p);
    sum.add(*inertia, o.v, o.v);
  }
  if (s.z > 0) {
    sum.add(t.e_q, o.z, o.q);
    sum.add(t.e_z, o.z, o.z);
  }
  if (s.lambda > 0) {  // (3)
    for (const int rows : {o.lambda, o.mu}) sum.add(t.g_q, rows, o.q);
    const bool of_positions = level == Level::eps_lambda || level == Level::index_3 || still;
    if (of_positions) sum.add(t.g_lambda, o.lambda, o.lambda);
    if (!of_positions) sum.add(t.g_q, o.lambda, o.v);
    if (level == Level::index_1) sum.add(t.g_q, o.lambda, o.a);
    if (!plan.dropped.empty()) {  // "multiplier = 0" instead
      sum.add_diagonal(s.lambda, o.lambda, o.lambda);
      sum.add_diagonal(s.lambda, o.mu, o.mu);
    }
  }
  return std::move(sum).pattern();
}

}  // namespace rubato::detail
