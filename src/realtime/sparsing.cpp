#include "rubato/realtime/sparsing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas_turn.hpp"
#include "realtime/bipartite.hpp"
#include "realtime/search.hpp"
#include "rubato/realtime/clusters.hpp"
#include "rubato/realtime/criterion.hpp"
#include "rubato/realtime/matching.hpp"

namespace rubato::realtime {

namespace {

Result<void> check(const SparsePattern& jacobian, const std::vector<std::vector<double>>& samples,
                   const SparsePattern& mass, In mass_values, double step, const SparsingOptions& o) {
  const auto refuse = [](const std::string& what) { return Error{"sparsing: " + what}; };
  if (jacobian.rows() != jacobian.cols() || mass.rows() != jacobian.rows() || mass.cols() != jacobian.cols())
    return refuse(
        fmt::format("the Jacobian is {} × {} and the mass matrix {} × {}; both must be square and of one size",
                    jacobian.rows(), jacobian.cols(), mass.rows(), mass.cols()));
  if (static_cast<int>(mass_values.size()) != mass.nnz())
    return refuse(fmt::format("{} values for {} places of the mass matrix", mass_values.size(), mass.nnz()));
  if (samples.empty()) return refuse("no samples; at least one state of the model is needed");
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (static_cast<int>(samples[s].size()) != jacobian.nnz())
      return refuse(
          fmt::format("sample {} has {} values for {} places of the Jacobian", s, samples[s].size(), jacobian.nnz()));
    if (!std::all_of(samples[s].begin(), samples[s].end(), [](double v) { return std::isfinite(v); }))
      return refuse(fmt::format("sample {} holds a value that is not finite", s));
  }
  if (!(step > 0) || !std::isfinite(step)) return refuse(fmt::format("step = {} must be positive", step));
  if (!(o.rho > 0 && o.rho <= 1))
    return refuse(fmt::format("rho = {} is outside (0, 1] (1: eigenvalues may go to the unit circle)", o.rho));
  if (o.rho_m && !(*o.rho_m > 0)) return refuse(fmt::format("rho_m = {} must be positive", *o.rho_m));
  if (!(o.growth >= 0)) return refuse(fmt::format("growth = {} must not be negative", o.growth));
  if (!(o.cluster_tolerance > 0))
    return refuse(fmt::format("cluster_tolerance = {} must be positive", o.cluster_tolerance));
  for (const Keep* keep : {&o.minimum, &o.start})
    if (!keep->empty() && static_cast<int>(keep->size()) != jacobian.nnz())
      return refuse(
          fmt::format("a structure with {} choices for {} places of the Jacobian", keep->size(), jacobian.nnz()));
  return {};
}

/// Places of a maximum transversal of Df₂₂ through the largest gains: while it stays, J₂₂ is regular in its structure.
std::vector<int> transversal(const MassSplit& split, const StepPencil& pencil, const std::vector<double>& gains) {
  std::vector<int> row(static_cast<std::size_t>(pencil.size()), -1), col = row;
  for (std::size_t k = 0; k < split.algebraic_rows.size(); ++k) {
    row[static_cast<std::size_t>(split.algebraic_rows[k])] = static_cast<int>(k);
    col[static_cast<std::size_t>(split.algebraic_cols[k])] = static_cast<int>(k);
  }
  const int m = static_cast<int>(split.algebraic_rows.size());
  Matching matching;
  for (const double level : {0.9, 0.5, 0.2, 0.05, 0.01, 1e-4, 0.0}) {
    Bipartite graph{m, std::vector<std::vector<int>>(static_cast<std::size_t>(m))};
    for (std::size_t at = 0; at < gains.size(); ++at) {
      const Entry place = pencil.places()[at];
      const int i = row[static_cast<std::size_t>(place.row)], j = col[static_cast<std::size_t>(place.col)];
      if (i >= 0 && j >= 0 && std::abs(gains[at]) >= level) graph.neighbours[static_cast<std::size_t>(i)].push_back(j);
    }
    matching = maximum_matching(graph, std::move(matching));
  }
  std::vector<int> places;
  for (std::size_t i = 0; i < matching.of_left.size(); ++i)
    if (const int j = matching.of_left[i]; j >= 0)
      places.push_back(
          pencil.jacobian().index_of(split.algebraic_rows[i], split.algebraic_cols[static_cast<std::size_t>(j)]));
  return places;
}

class Search {
 public:
  Search(const StepPencil& pencil, MassSplit split, const SparsePattern& mass, const SparsingOptions& options)
      : pencil_(pencil), split_(std::move(split)), mass_(mass), o_(options), acceptance_(pencil, options) {}

  Result<Sparsing> run(const std::vector<std::vector<double>>& samples);

 private:
  Result<void> take(const std::vector<std::vector<double>>& samples);
  void make_units();
  [[nodiscard]] BlockCriteria criteria(const SampleCase& sample, const std::vector<double>& gains) const;
  [[nodiscard]] int nnz(const Keep& keep) const;
  [[nodiscard]] Choice choice_of(const Keep& keep) const;
  void tell(const Choice& choice) const;

  const StepPencil& pencil_;
  MassSplit split_;
  const SparsePattern& mass_;
  const SparsingOptions& o_;
  Acceptance acceptance_;
  std::vector<std::vector<double>> gains_;  ///< of each sample
  Units units_;
};

Result<void> Search::take(const std::vector<std::vector<double>>& samples) {
  for (std::size_t s = 0; s < samples.size(); ++s) {
    auto gains = relative_gains(split_, pencil_, samples[s]);
    if (!gains)
      return Error{
          fmt::format("sparsing: at sample {} the algebraic equations do not determine the {} algebraic unknowns (J22 "
                      "is singular): "
                      "the index is above 1, or the problem is singular",
                      s, split_.algebraic_cols.size())};
    gains_.push_back(std::move(*gains));
    auto spectrum = step_spectrum(pencil_, samples[s], pencil_.all());
    if (!spectrum)
      return Error{
          fmt::format("sparsing: at sample {} the matrix L - step*Df is singular for step = {}", s, pencil_.step())};
    if (!(spectrum->radius() <= 1 + o_.growth))
      return Error{
          fmt::format("sparsing: at sample {} the method is unstable for step = {} even with the whole Jacobian: "
                      "spectral radius {}, "
                      "allowed 1 + growth = {}; the model grows there, or the step is too small to damp it",
                      s, pencil_.step(), spectrum->radius(), 1 + o_.growth)};
    auto allowed = allowed_movements({spectrum->lambda.data(), static_cast<std::size_t>(spectrum->lambda.size())},
                                     o_.rho, o_.rho_m.value_or(0.01 * o_.rho));
    acceptance_.samples.push_back({&samples[s], std::move(*spectrum), std::move(allowed)});
  }
  return {};
}

void Search::make_units() {
  const auto& places = pencil_.places();
  std::vector<unsigned char> needed(places.size(), 0);
  for (const int at : transversal(split_, pencil_, gains_.front())) needed[static_cast<std::size_t>(at)] = 1;
  std::vector<unsigned char> algebraic_row(static_cast<std::size_t>(pencil_.size()), 0), algebraic_col = algebraic_row;
  for (const int i : split_.algebraic_rows) algebraic_row[static_cast<std::size_t>(i)] = 1;
  for (const int j : split_.algebraic_cols) algebraic_col[static_cast<std::size_t>(j)] = 1;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const auto row = static_cast<std::size_t>(places[at].row), col = static_cast<std::size_t>(places[at].col);
    for (const auto& gains : gains_)  // a gain of 1: J₂₂ would be singular without the entry
      if (std::abs(1 - gains[at]) < 1e-6) needed[at] = 1;
    if (o_.keep_algebraic && algebraic_row[row] != 0 && algebraic_col[col] != 0) needed[at] = 1;
    if (!o_.minimum.empty() && o_.minimum[at] != 0) needed[at] = 1;
    if (!o_.columns && mass_.index_of(places[at].row, places[at].col) >= 0) needed[at] = 1;  // there anyway
  }
  units_.n_places = places.size();
  if (o_.columns) {
    units_.places.resize(static_cast<std::size_t>(pencil_.size()));
    for (std::size_t at = 0; at < places.size(); ++at)
      units_.places[static_cast<std::size_t>(places[at].col)].push_back(static_cast<int>(at));
  } else {
    for (std::size_t at = 0; at < places.size(); ++at) units_.places.push_back({static_cast<int>(at)});
  }
  for (const auto& unit : units_.places)
    units_.required.push_back(
        std::any_of(unit.begin(), unit.end(), [&](int at) { return needed[static_cast<std::size_t>(at)] != 0; }));
}

BlockCriteria Search::criteria(const SampleCase& sample, const std::vector<double>& gains) const {
  const auto& lambda = sample.spectrum.lambda;
  BlockCriteria made;
  made.block.assign(static_cast<std::size_t>(lambda.size()), 0);
  std::vector<Complex> centres;
  ComplexMatrix changes(0, static_cast<Eigen::Index>(pencil_.places().size()));
  const auto reduced = deflate_complement(pencil_.pair(*sample.values), split_);
  const auto form = reduced ? schur_form(reduced->a.cast<Complex>(), reduced->b.cast<Complex>()) : std::nullopt;
  std::vector<std::vector<int>> groups;
  if (form) {
    std::vector<Complex> found;
    found.reserve(static_cast<std::size_t>(form->size()));
    for (int i = 0; i < form->size(); ++i) found.push_back(form->eigenvalue(i));
    // Where eigenvalues of two clusters cannot be told apart the clusters grow.
    double tolerance = o_.cluster_tolerance;
    while (tolerance < 1) {
      groups = clusters(found, tolerance);
      if (const auto blocks = spectral_blocks(*form, groups)) {
        changes = block_changes(*reduced, *blocks, pencil_, *sample.values);
        break;
      }
      groups.clear();
      tolerance *= 10;
    }
  }
  // One more block for the zero eigenvalues of the algebraic part.
  const auto n_blocks = static_cast<Eigen::Index>(groups.size()) + 1;
  made.allowed.assign(static_cast<std::size_t>(n_blocks), std::numeric_limits<double>::infinity());
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    std::size_t nearest = groups.size();  // an eigenvalue that is zero by structure
    if (i < lambda.size() - sample.spectrum.zeros) {
      double distance = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < groups.size(); ++k)
        for (const int member : groups[k])
          if (const double d = std::abs(form->eigenvalue(member) - lambda(i)); d < distance) {
            distance = d;
            nearest = k;
          }
    }
    made.block[static_cast<std::size_t>(i)] = static_cast<int>(nearest);
    made.allowed[nearest] = std::min(made.allowed[nearest], sample.allowed[static_cast<std::size_t>(i)]);
  }
  made.changes = Matrix::Zero(n_blocks, static_cast<Eigen::Index>(units_.places.size()));
  for (std::size_t u = 0; u < units_.places.size(); ++u)
    for (const int at : units_.places[u]) {
      for (Eigen::Index k = 0; k + 1 < n_blocks; ++k)
        made.changes(k, static_cast<Eigen::Index>(u)) += std::abs(changes(k, at));
      made.changes(n_blocks - 1, static_cast<Eigen::Index>(u)) += std::abs(gains[static_cast<std::size_t>(at)]);
    }
  return made;
}

int Search::nnz(const Keep& keep) const {
  int count = mass_.nnz();
  for (std::size_t at = 0; at < keep.size(); ++at)
    count += keep[at] != 0 && mass_.index_of(pencil_.places()[at].row, pencil_.places()[at].col) < 0;
  return count;
}

Choice Search::choice_of(const Keep& keep) const {
  Choice choice = units_.required;
  for (std::size_t u = 0; u < choice.size(); ++u)
    for (const int at : units_.places[u])
      if (keep[static_cast<std::size_t>(at)] != 0) choice[u] = 1;
  return choice;
}

void Search::tell(const Choice& choice) const {
  if (o_.progress) o_.progress({acceptance_.evaluations(), o_.budget, nnz(units_.keep(choice))});
}

Result<Sparsing> Search::run(const std::vector<std::vector<double>>& samples) {
  if (const auto taken = take(samples); !taken) return taken.error();
  make_units();

  // From sample to sample units are only added: earlier samples need what was chosen for them.
  Choice choice = units_.required;
  std::vector<double> importance(units_.places.size(), 0.0);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const SampleCase& sample = acceptance_.samples[s];
    const BlockCriteria found = criteria(sample, gains_[s]);
    for (std::size_t u = 0; u < importance.size(); ++u) {
      double sum = 0;
      for (std::size_t k = 0; k < found.allowed.size(); ++k)
        if (std::isfinite(found.allowed[k]))
          sum += found.changes(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(u)) / found.allowed[k];
      importance[u] = std::max(importance[u], sum);
    }
    if (acceptance_.accepts(sample, units_.keep(choice))) continue;
    if (auto better = search_weights(acceptance_, sample, units_, found, choice))
      choice = std::move(*better);
    else
      choice.assign(choice.size(), 1);
    tell(choice);
  }
  // What a later sample added may make an earlier one fail; then everything is the start.
  if (!acceptance_.accepts_everywhere(units_.keep(choice))) choice.assign(choice.size(), 1);
  if (!o_.start.empty()) {
    Choice start = choice_of(o_.start);
    if (nnz(units_.keep(start)) <= nnz(units_.keep(choice)) && acceptance_.accepts_everywhere(units_.keep(start)))
      choice = std::move(start);
  }
  remove_greedily(acceptance_, units_, importance, choice, [&](const Choice& c) { tell(c); });

  Sparsing result;
  result.keep = units_.keep(choice);
  result.nnz = nnz(result.keep);
  result.nnz_whole = nnz(pencil_.all());
  result.exhausted = acceptance_.left() <= 0;
  if (result.nnz == result.nnz_whole)
    return Error{fmt::format(
        "sparsing: no reduced structure found with rho = {}: {} of {} entries of L - step*Df are needed ({} spectra "
        "computed{})",
        o_.rho, result.nnz, result.nnz_whole, acceptance_.evaluations(), result.exhausted ? ", the budget" : "")};
  for (const SampleCase& sample : acceptance_.samples) {
    const auto margin = acceptance_.margin(sample, result.keep);
    if (!margin) return Error{"sparsing: the matrix of the structure found is singular"};
    result.margins.push_back(*margin);
  }
  result.evaluations = acceptance_.evaluations();
  return result;
}

}  // namespace

Result<Sparsing> find_sparsing(const SparsePattern& jacobian, const std::vector<std::vector<double>>& samples,
                               const SparsePattern& mass, In mass_values, double step, const SparsingOptions& options) {
  if (const auto fine = check(jacobian, samples, mass, mass_values, step, options); !fine) return fine.error();
  auto split = split_mass(mass, mass_values);
  if (!split) return split.error();
  if (!detail::BlasTurn::room()) return Error{detail::BlasTurn::no_room};
  const detail::BlasTurn turn;
  const StepPencil pencil(jacobian, mass, mass_values, step);
  return Search(pencil, std::move(*split), mass, options).run(samples);
}

}  // namespace rubato::realtime
