#include "krylov_check.hpp"

#include <fmt/format.h>

#include <cmath>

namespace rubato {

Result<void> krylov_checked(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options) {
  const Layout& layout = problem.dae->layout();
  const KrylovOptions& krylov = options.linear.krylov;
  const bool old_factor = krylov.matrix.preconditioner == KrylovPreconditioner::factor;
  if (method.info.kind != "Rosenbrock")
    return Error{
        fmt::format("krylov.use goes with Rosenbrock methods (rodas4p, ros3p, …), not with '{}'", method.info.name)};
  if (layout.index() > 1 && !old_factor)
    return Error{
        fmt::format("krylov.use goes with index 0 and 1, this problem has index {}; krylov.preconditioner = \"factor\" "
                    "goes with any",
                    layout.index())};
  for (const Block& block : layout.blocks())
    if (block.unknown != ScaledUnknown::plain && !old_factor)
      return Error{fmt::format(
          "krylov.use: {} and its equations have units of their own, so that residuals cannot be compared; mechanical "
          "systems go with krylov.preconditioner = \"factor\"",
          block.name)};
  if (old_factor && krylov.matrix.factors == KrylovFactors::incomplete && layout.index() > 0 &&
      krylov.coupling != KrylovCoupling::error)
    return Error{
        "krylov.preconditioner = \"factor\" with krylov.factors = \"incomplete\": incomplete factors of a matrix with "
        "rows "
        "of algebraic unknowns say little about the size of residuals, which this krylov.coupling compares; set "
        "krylov.coupling = \"error\" or krylov.factors = \"exact\""};
  if (krylov.automatic && old_factor)
    return Error{
        "krylov.automatic has no effect with krylov.preconditioner = \"factor\", which weighs old factors against new "
        "ones "
        "itself; leave one of them out"};
  if (krylov.automatic && krylov.products != KrylovProducts::matrix)
    return Error{"krylov.automatic factorises J now and then, which krylov.products forms with \"matrix\" only"};
  if (krylov.products != KrylovProducts::matrix && !problem.dae->constant_mass())
    return Error{
        "krylov.products: the mass matrix of this model depends on its state, so that the Jacobian is not that of f "
        "alone; "
        "use \"matrix\""};
  const bool inverts = old_factor || krylov.matrix.constraints == KrylovConstraints::eliminated ||
                       krylov.matrix.preconditioner == KrylovPreconditioner::constraint;
  if (krylov.matrix.factors != KrylovFactors::exact && !inverts)
    return Error{
        "krylov.factors has no effect: nothing is factorised with krylov.constraints = \"whole\" and the "
        "preconditioners "
        "\"diagonal\" and \"none\""};
  if (krylov.matrix.restart > 0 && krylov.matrix.process == KrylovProcess::multiple_arnoldi)
    return Error{
        fmt::format("krylov.restart = {} has no effect with krylov.process = \"multiple-arnoldi\", whose space is "
                    "emptied when it is "
                    "full (krylov.max_dimension); it goes with \"gmres\"",
                    krylov.matrix.restart)};
  const SolverRates& rates = krylov.rates;
  for (const double rate : {rates.factor_flops, rates.solve_entries, rates.product_entries, rates.vector_numbers})
    if (!(rate > 0 && std::isfinite(rate)))
      return Error{fmt::format("krylov.rates: {} is not allowed; numbers > 0, per second", rate)};
  if (krylov.products == KrylovProducts::dual && problem.dae->dual() == nullptr)
    return Error{
        "krylov.products = \"dual\": this model is not written as a template over its scalar; use \"differences\""};
  if (krylov.products != KrylovProducts::matrix && krylov.matrix.constraints == KrylovConstraints::whole &&
      krylov.matrix.preconditioner == KrylovPreconditioner::diagonal)
    return Error{
        "krylov.preconditioner = \"diagonal\" needs the diagonal of J, which krylov.products forms with \"matrix\" "
        "only"};
  if (krylov.matrix.restart < 0)
    return Error{fmt::format("krylov.restart = {} must be 0 (never) or more", krylov.matrix.restart)};
  if (options.linear.krylov.matrix.max_dimension < 1)
    return Error{
        fmt::format("krylov.max_dimension = {} must be 1 or more", options.linear.krylov.matrix.max_dimension)};
  return {};
}

}  // namespace rubato
