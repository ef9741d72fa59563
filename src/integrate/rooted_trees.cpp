#include "rubato/integrate/rooted_trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "rubato/base/assert.hpp"

namespace rubato {

namespace {

long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/// A tree as a list of nodes, parents before children.
struct TreeNodes {
  std::vector<int> parent;  ///< −1: the root
};

void append(const RootedTrees& trees, int u, int parent, TreeNodes& nodes) {
  const int me = static_cast<int>(nodes.parent.size());
  nodes.parent.push_back(parent);
  for (const int child : trees[u].children) append(trees, child, me, nodes);
}

/// The number of the tree below `root`, following only edges for which keep(child) holds.
template <class Keep>
int numbered(const RootedTrees& trees, const TreeNodes& nodes, int root, const Keep& keep) {
  std::vector<int> children;
  for (int i = root + 1; i < static_cast<int>(nodes.parent.size()); ++i)
    if (nodes.parent[static_cast<std::size_t>(i)] == root && keep(i))
      children.push_back(numbered(trees, nodes, i, keep));
  return trees.find(std::move(children));
}

}  // namespace

RootedTrees::RootedTrees(int highest) : begin_{0, 0} {
  for (int n = 1; n <= highest; ++n) {
    std::vector<Tree> found;
    std::vector<int> children;
    // Multisets of smaller trees with n − 1 nodes together, as increasing lists of their numbers.
    const std::function<void(int, int)> choose = [&](int first, int nodes_left) {
      if (nodes_left == 0) {
        Tree tree{n, n, factorial(n - 1), children};
        for (std::size_t k = 0, same = 0; k < children.size(); ++k) {
          const Tree& child = (*this)[children[k]];
          same = k > 0 && children[k] == children[k - 1] ? same + 1 : 1;
          tree.density *= child.density;
          tree.labellings = tree.labellings / factorial(child.order) * child.labellings / static_cast<long>(same);
        }
        found.push_back(std::move(tree));
        return;
      }
      for (int u = first; u < size() && (*this)[u].order <= nodes_left; ++u) {
        children.push_back(u);
        choose(u, nodes_left - (*this)[u].order);
        children.pop_back();
      }
    };
    choose(0, n - 1);
    std::stable_sort(found.begin(), found.end(), [](const Tree& u, const Tree& v) {
      if (u.children.size() != v.children.size()) return u.children.size() < v.children.size();
      return u.density != v.density ? u.density > v.density : u.children < v.children;
    });
    trees_.insert(trees_.end(), found.begin(), found.end());
    begin_.push_back(size());
  }
}

int RootedTrees::find(std::vector<int> children) const {
  std::sort(children.begin(), children.end());
  int n = 1;
  for (const int u : children) {
    if (u < 0) return -1;
    n += (*this)[u].order;
  }
  if (n > highest_order()) return -1;
  for (int u = begin(n); u < end(n); ++u)
    if ((*this)[u].children == children) return u;
  return -1;
}

int RootedTrees::product(int v, int w) const {
  std::vector<int> children = (*this)[v].children;
  children.push_back(w);
  return find(std::move(children));
}

std::string RootedTrees::text(int u) const {
  if ((*this)[u].children.empty()) return "τ";
  std::string words;
  for (const int child : (*this)[u].children) words += (words.empty() ? "[" : ",") + text(child);
  return words + "]";
}

std::vector<RootedTrees::Partition> RootedTrees::partitions(int u) const {
  TreeNodes nodes;
  append(*this, u, -1, nodes);
  const int n = static_cast<int>(nodes.parent.size());
  std::vector<Partition> all;
  for (unsigned cut = 0; cut < (1U << (n - 1)); ++cut) {  // bit i − 1: the edge above node i is cut
    const auto is_cut = [&](int i) { return ((cut >> (i - 1)) & 1U) != 0; };
    // Contracting: node i belongs to the part of the nearest node above it whose edge is cut, or of the root.
    std::vector<int> part(static_cast<std::size_t>(n));
    TreeNodes skeleton;
    Partition partition;
    for (int i = 0; i < n; ++i) {
      const bool top = i == 0 || is_cut(i);
      const int above = i == 0 ? -1 : part[static_cast<std::size_t>(nodes.parent[static_cast<std::size_t>(i)])];
      part[static_cast<std::size_t>(i)] = top ? static_cast<int>(skeleton.parent.size()) : above;
      if (!top) continue;
      skeleton.parent.push_back(above);
      partition.parts.push_back(numbered(*this, nodes, i, [&](int child) { return !is_cut(child); }));
    }
    partition.skeleton = numbered(*this, skeleton, 0, [](int) { return true; });
    all.push_back(std::move(partition));
  }
  return all;
}

const RootedTrees& rooted_trees() {
  static const RootedTrees trees(RootedTrees::max_order);
  return trees;
}

Vector elementary_weights(const Matrix& A, const Vector& b, int order) {
  const RootedTrees& trees = rooted_trees();
  RUBATO_ASSERT(order >= 0 && order <= trees.highest_order(), "order of the trees");
  const int n = trees.end(order);
  Matrix A_phi(b.size(), n);  // columns A φ(u)
  Vector weights(n), phi(b.size());
  for (int u = 0; u < n; ++u) {
    phi.setOnes();
    for (const int child : trees[u].children) phi.array() *= A_phi.col(child).array();
    A_phi.col(u).noalias() = A * phi;
    weights[u] = b.dot(phi);
  }
  return weights;
}

Vector b_series(const Matrix& A, const Vector& b, int order) {
  Vector a = elementary_weights(A, b, order);
  for (int u = 0; u < a.size(); ++u) a[u] *= static_cast<double>(rooted_trees()[u].density);  // (1)
  return a;
}

Vector backward_coefficients(const Vector& a) {
  const RootedTrees& trees = rooted_trees();
  const auto gamma = [&](int u) { return static_cast<double>(trees[u].density); };
  Vector b(a.size());
  for (int u = 0; u < a.size(); ++u) {
    double rest = a[u] / gamma(u);
    for (const auto& partition : trees.partitions(u)) {
      if (partition.parts.size() == 1) continue;  // the unknown itself
      double product = 1 / gamma(partition.skeleton);
      for (const int part : partition.parts) product *= b[part] / gamma(part);
      rest -= product;  // (2)
    }
    b[u] = rest * gamma(u);
  }
  return b;
}

double order_defect(const Vector& a, int n) {
  const RootedTrees& trees = rooted_trees();
  return (a.segment(trees.begin(n), trees.end(n) - trees.begin(n)).array() - 1).abs().maxCoeff();
}

int order_by_trees(const Matrix& A, const Vector& b, int highest) {
  const Vector a = b_series(A, b, highest);
  int p = 0;
  while (p < highest && order_defect(a, p + 1) < tree_tolerance) ++p;
  return p;
}

namespace {

/// The largest |left(v∘w)/γ(v∘w) + left(w∘v)/γ(w∘v) − right(v) right(w)/(γ(v) γ(w))| γ(v∘w) with ρ(v∘w) = n.
double pair_defect(const Vector& left, bool with_right, int n) {
  const RootedTrees& trees = rooted_trees();
  RUBATO_ASSERT(left.size() >= trees.end(n), "coefficients up to this order");
  const auto gamma = [&](int u) { return static_cast<double>(trees[u].density); };
  double worst = 0;
  for (int k = 1; 2 * k <= n; ++k)
    for (int v = trees.begin(k); v < trees.end(k); ++v)
      for (int w = trees.begin(n - k); w < trees.end(n - k); ++w) {
        const int vw = trees.product(v, w), wv = trees.product(w, v);
        const double right = with_right ? left[v] * left[w] / (gamma(v) * gamma(w)) : 0;
        worst = std::max(worst, std::abs(left[vw] / gamma(vw) + left[wv] / gamma(wv) - right) * gamma(vw));
      }
  return worst;
}

}  // namespace

double symplectic_defect(const Vector& a, int n) { return pair_defect(a, true, n); }
double hamiltonian_defect(const Vector& b, int n) { return pair_defect(b, false, n); }

std::vector<HamiltonianTerm> modified_hamiltonian(const Vector& b, int order) {
  const RootedTrees& trees = rooted_trees();
  RUBATO_ASSERT(b.size() >= trees.end(order), "coefficients up to this order");
  std::vector<bool> seen(static_cast<std::size_t>(trees.end(order)));
  std::vector<HamiltonianTerm> terms;
  for (int u = 0; u < trees.end(order); ++u) {
    if (seen[static_cast<std::size_t>(u)]) continue;
    // All trees with another node as root: exchange the root with one of its children, again and again.
    std::vector<int> same = {u};
    bool superfluous = false;  // v∘v
    seen[static_cast<std::size_t>(u)] = true;
    for (std::size_t k = 0; k < same.size(); ++k) {
      const std::vector<int> children = trees[same[k]].children;
      for (std::size_t i = 0; i < children.size(); ++i) {
        std::vector<int> rest = children;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        const int v = trees.find(std::move(rest)), other = trees.product(children[i], v);
        superfluous = superfluous || v == children[i];
        if (!seen[static_cast<std::size_t>(other)]) {
          seen[static_cast<std::size_t>(other)] = true;
          same.push_back(other);
        }
      }
    }
    if (superfluous) continue;
    double inverse_symmetries = 0;  // Σ 1/σ
    for (const int w : same)
      inverse_symmetries +=
          static_cast<double>(trees[w].labellings * trees[w].density) / static_cast<double>(factorial(trees[w].order));
    terms.push_back({u, b[u] / static_cast<double>(trees[u].density) * inverse_symmetries / trees[u].order});  // (4)
  }
  return terms;
}

}  // namespace rubato
