#include "substitution.hpp"

#include <algorithm>

namespace rubato::fem::detail {

Substitution::Substitution(int n_q, const std::vector<std::vector<Term>>& rows) : n_q_(n_q) {
  for (const auto& row : rows) {
    terms_.insert(terms_.end(), row.begin(), row.end());
    starts_.push_back(static_cast<int>(terms_.size()));
  }
}

void Substitution::expand(In q, Out p) const noexcept {
  for (std::size_t i = 0; i < p.size(); ++i) {
    double sum = 0;
    for (const Term& term : row(static_cast<int>(i))) sum += term.weight * q[static_cast<std::size_t>(term.coordinate)];
    p[i] = sum;
  }
}

void Substitution::reduce(In f, Out out) const noexcept {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < f.size(); ++i)
    for (const Term& term : row(static_cast<int>(i)))
      out[static_cast<std::size_t>(term.coordinate)] += term.weight * f[i];
}

SubstitutedBlock::SubstitutedBlock(const SparsePattern& inner, const Substitution* rows, const Substitution* cols,
                                   const SparsePattern& more)
    : inner_size_(inner.nnz()) {
  using Term = Substitution::Term;
  Term one_row, one_col;
  const auto terms = [](const Substitution* substitution, int k, Term& one) {
    one.coordinate = k;
    return substitution != nullptr ? substitution->row(k) : std::span<const Term>(&one, 1);
  };
  std::vector<Entry> entries;
  for (int j = 0; j < inner.cols(); ++j)
    for (const Term& col : terms(cols, j, one_col))
      for (const int i : inner.column(j))
        for (const Term& row : terms(rows, i, one_row)) entries.push_back({row.coordinate, col.coordinate});
  for (int j = 0; j < more.cols(); ++j)
    for (const int i : more.column(j)) entries.push_back({i, j});
  pattern_ = SparsePattern::from_entries(more.rows(), more.cols(), std::move(entries));

  const auto stays = [](std::span<const Term> list) { return list.size() == 1 && list[0].weight == 1; };
  std::vector<char> copied(static_cast<std::size_t>(pattern_.nnz()));
  for (int j = 0, p = 0; j < inner.cols(); ++j)
    for (const int i : inner.column(j)) {
      const auto col_terms = terms(cols, j, one_col), row_terms = terms(rows, i, one_row);
      for (const Term& col : col_terms)
        for (const Term& row : row_terms) {
          const int to = pattern_.index_of(row.coordinate, col.coordinate);
          char& taken = copied[static_cast<std::size_t>(to)];
          if (!stays(col_terms) || !stays(row_terms) || taken != 0) {  // several nodes may follow one coordinate
            additions_.push_back({p, to, row.weight * col.weight});
          } else {
            taken = 1;
            if (!runs_.empty() && runs_.back().from + runs_.back().length == p &&
                runs_.back().to + runs_.back().length == to)
              ++runs_.back().length;
            else
              runs_.push_back({p, to, 1});
          }
        }
      ++p;
    }
}

void SubstitutedBlock::fill(In inner, Out outer) const noexcept {
  std::fill(outer.begin(), outer.end(), 0.0);
  for (const Run& run : runs_) std::copy_n(inner.begin() + run.from, run.length, outer.begin() + run.to);
  for (const Addition& add : additions_)
    outer[static_cast<std::size_t>(add.to)] += add.weight * inner[static_cast<std::size_t>(add.from)];
}

}  // namespace rubato::fem::detail
