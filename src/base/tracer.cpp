#include "rubato/base/tracer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace rubato {

namespace {
struct Pool {
  std::vector<std::vector<int>> sets{{}};     // set 0 is empty
  std::map<std::pair<int, int>, int> unions;  // unions already made
};
thread_local Pool pool;
}  // namespace

int Tracer::united(int a, int b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const auto key = std::minmax(a, b);
  if (const auto found = pool.unions.find(key); found != pool.unions.end()) return found->second;
  const auto& first = pool.sets[static_cast<std::size_t>(a)];
  const auto& second = pool.sets[static_cast<std::size_t>(b)];
  std::vector<int> both;
  both.reserve(first.size() + second.size());
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
  int result = 0;
  if (both.size() == first.size()) {
    result = a;
  } else if (both.size() == second.size()) {
    result = b;
  } else {
    result = static_cast<int>(pool.sets.size());
    pool.sets.push_back(std::move(both));
  }
  pool.unions.emplace(key, result);
  return result;
}

Tracing::Tracing() { pool = {}; }
Tracing::~Tracing() { pool = {}; }

Tracer Tracing::variable(double value, int index) const {
  pool.sets.push_back({index});
  return {value, static_cast<int>(pool.sets.size()) - 1};
}

std::span<const int> Tracing::dependencies(const Tracer& x) const { return pool.sets[static_cast<std::size_t>(x.set)]; }

}  // namespace rubato
