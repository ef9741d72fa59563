// The Manutec r3: recursions, drives and the three forms against the numbers of their specification and against each other.
#include "catalogue/robot_r3.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "catalogue/catalogue.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato::catalogue {
namespace {

using Six = std::array<double, 6>;
constexpr Six test_angles{0.1, -0.2, 0.3, -0.4, 0.5, -0.6}, test_speeds{1, -0.5, 0.8, 0.3, -0.7, 0.9},
    test_accelerations{2, 1, -1, 3, -2, 1}, zeros{};

template <class Arm>
Six torques(const Six& q, const Six& speed, const Six& acceleration) {
  Six torque;
  r3::inverse_dynamics<Arm>(r3::turns<Arm>(q), speed, acceleration, torque);
  return torque;
}

void expect_near(const Six& found, const Six& expected, double digits) {
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(found[i], expected[i], digits * std::max(1.0, std::abs(expected[i]))) << "axis " << i + 1;
}

// The specification prints ten digits.
TEST(RobotArm, NeedsThePublishedTorques) {
  expect_near(torques<r3::Arm78>(test_angles, test_speeds, test_accelerations),
              {13.72044813, 87.40621109, -12.90499776, 5.040559199, -6.746232409, 0.005744806443}, 1e-9);
  expect_near(torques<r3::Arm78>(test_angles, zeros, zeros),
              {0, 66.86408281, -16.81513759, -0.1153618994, -3.451994913, 0}, 1e-9);
  expect_near(torques<r3::Arm36>(test_angles, test_speeds, test_accelerations),
              {22.45933223, 135.0023618, 3.142340861, 10.64267223, -58.54468396, 4.88106473}, 1e-9);
  expect_near(torques<r3::Arm36>(test_angles, zeros, zeros),
              {0, 123.6445853, 5.046340613, -1.395340811, -48.49572323, 1.366728593}, 1e-9);
}

// τ is affine in q̈ with slope M: composite bodies and differences of torques are two ways to the same matrix.
template <class Arm>
void expect_mass_matrix_of_torques() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (int k = 0; k < 10; ++k) {
    Six q;
    for (auto& x : q) x = angle(random);
    r3::Square<double> m;
    r3::mass_matrix<Arm>(r3::turns<Arm>(q), m);
    const Six rest = torques<Arm>(q, test_speeds, zeros);
    for (std::size_t j = 0; j < 6; ++j) {
      Six unit{};
      unit[j] = 1;
      const Six moved = torques<Arm>(q, test_speeds, unit);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(m[i][j], moved[i] - rest[i], 2e-13 * 200) << i << " " << j;
    }
  }
}

TEST(RobotArm, HasTheMassMatrixOfItsTorques) {
  expect_mass_matrix_of_torques<r3::Arm78>();
  expect_mass_matrix_of_torques<r3::Arm36>();
  const double upper[6][6] = {{5.56729288, -2.96134955, 0.21219793, 1.10318796, -0.04736427, 0.00083127},
                              {0, 45.45706009, 17.99233807, 0.27890506, 1.82848352, -0.00018718},
                              {0, 0, 11.15859104, 0.22263935, 1.62957544, -0.00018718},
                              {0, 0, 0, 1.08370570, 0, 0.00087987},
                              {0, 0, 0, 0, 1.36504247, 0},
                              {0, 0, 0, 0, 0, 0.00100260}};
  r3::Square<double> m;
  r3::mass_matrix<r3::Arm78>(r3::turns<r3::Arm78>(test_angles), m);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i; j < 6; ++j) {
      EXPECT_NEAR(m[i][j], upper[i][j], 5.1e-9) << i << " " << j;
      EXPECT_EQ(m[i][j], m[j][i]);
    }
}

TEST(RobotArm, SolvesWithItsMassMatrix) {
  r3::Square<double> m;
  r3::mass_matrix<r3::Arm36>(r3::turns<r3::Arm36>(test_angles), m);
  Six b{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) b[i] += m[i][j] * test_accelerations[j];
  r3::factorise(m);
  r3::solve(m, b);
  expect_near(b, test_accelerations, 1e-13 * 1e4);  // condition of M about 1e4
}

class Model {
 public:
  Model(std::string_view name, const Parameters& parameters, std::string_view form)
      : instance_(*make_problem(name, parameters, form)), memory_(dae().scratch_bytes()), u_(dae().n_inputs()) {
    Vector rate = u_;
    if (problem().input) problem().input->at(problem().t_start, view(u_), view(rate));
  }
  [[nodiscard]] InitialValueProblem& problem() { return instance_.problem; }
  [[nodiscard]] const Dae& dae() const { return *instance_.problem.dae; }
  [[nodiscard]] At at() {
    return {.t = 0,
            .x = view(std::as_const(problem().x)),
            .u = view(std::as_const(u_)),
            .base = {},
            .scratch = memory_.scratch()};
  }
  [[nodiscard]] Vector f() {
    Vector out(dae().size());
    EXPECT_EQ(dae().f(at(), view(out)), EvalStatus::ok);
    return out;
  }
  [[nodiscard]] double& operator[](std::string_view name) {
    const auto names = dae().layout().component_names();
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return problem().x[found - names.begin()];
  }
  /// J, dense, and its pattern's entries by kinds of row and column.
  [[nodiscard]] Matrix jacobian(std::array<int, 4>* counts = nullptr) {
    auto linear = Linearisation::create(dae(), at(), JacobianSource::dual);
    EXPECT_TRUE(linear.ok());
    const Vector w = Vector::Zero(dae().size());
    EXPECT_EQ((*linear)->update(at(), view(w)), EvalStatus::ok);
    EXPECT_FALSE((*linear)->pattern_incomplete());
    Matrix j(dae().size(), dae().size());
    Vector column(dae().size());
    for (int k = 0; k < dae().size(); ++k) {
      const Vector unit = Vector::Unit(dae().size(), k);
      (*linear)->jacobian_times(view(unit), view(column));
      j.col(k) = column;
    }
    if (counts) {
      counts->fill(0);
      const auto& pattern = (*linear)->jacobian_pattern();
      for (int col = 0; col < pattern.cols(); ++col)
        for (const int row : pattern.column(col)) {
          const bool g = dae().layout().kind(row) == Kind::algebraic, z = dae().layout().kind(col) == Kind::algebraic;
          ++(*counts)[(g ? 2U : 0U) + (z ? 1U : 0U)];
        }
    }
    return j;
  }

 private:
  Instance instance_;
  ScratchMemory memory_;
  Vector u_;
};

/// Moves all states to a random place of their usual size and makes the rest consistent.
void scatter(Model& model, int n_states, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-1, 1);
  const auto names = model.dae().layout().component_names();
  for (int i = 0; i < n_states; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    const double size = name.ends_with(".vC") ? 100 : name.ends_with(".t2d") ? 50 : name.ends_with(".s") ? 0.3 : 3;
    model.problem().x[i] = size * shift(random);
  }
  const auto done = make_consistent(model.problem());
  ASSERT_TRUE(done.ok()) << done.error().message;
}

// Entries that vanish for every state are not in the patterns, for the arm folds them away: q1 (gravity is vertical) and q6 (the load
// is round) among them. f_x, f_z, g_x, g_z as in the specification, but for its 421 in g_x of the largest form: N_y of the round load does
// not depend on ω (ten entries: q2 … q6 and the speeds of axes 1 … 5).
TEST(Robot, HasTheJacobianStructureOfTheSpecification) {
  const std::array<std::pair<const char*, std::array<int, 4>>, 3> expected{
      {{"ode", {351, 0, 0, 0}}, {"dae-117", {72, 36, 154, 80}}, {"dae-354", {72, 36, 411, 658}}}};
  for (const auto& [form, blocks] : expected) {
    SCOPED_TRACE(form);
    Model model("robot-r3", {}, form);
    scatter(model, 78, 5);
    std::array<int, 4> counts;
    const Matrix j = model.jacobian(&counts);
    EXPECT_EQ(counts, blocks);
    // Two are zero for every state: ω_x² + ω_z² in ac_y of axes 4 and 6 does not change with the angle about y.
    EXPECT_EQ((j.array() != 0).count(), blocks[0] + blocks[1] + blocks[2] + blocks[3] - (blocks[2] == 411 ? 2 : 0));
  }
}

TEST(Robot, HoldsStillInEquilibrium) {
  Model model("robot-r3", {{"hold", 1}}, "dae-354");
  const std::pair<const char*, double> values[] = {{"axis2.s", 0.1779951009},
                                                   {"axis3.s", 0.03547310938},
                                                   {"axis2.i", -1.225861576},
                                                   {"axis3.i", -1.771212417},
                                                   {"axis2.vC", 61.29307882},
                                                   {"axis3.vC", 88.56062087},
                                                   {"axis2.qref", 0.4291524043},
                                                   {"axis3.qref", 1.569408782},
                                                   {"axis2.iref", -1.225861576},
                                                   {"axis2.tau", -299.03177},
                                                   {"axis3.tau", -123.44642},
                                                   {"axis1.f_y", 1169.41331},
                                                   {"axis1.t_x", -299.03177},
                                                   {"axis1.t_z", 111.908556},
                                                   {"axis1.i", 0},
                                                   {"axis5.i", 0}};
  for (const auto& [name, value] : values)
    EXPECT_NEAR(model[name], value, 1e-8 * std::max(1.0, std::abs(value))) << name;
  // Only the reference moves.
  const Vector f = model.f();
  const auto names = model.dae().layout().component_names();
  for (int i = 0; i < model.dae().size(); ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    EXPECT_TRUE(name.ends_with(".qdref") || std::abs(f[i]) < 1e-8) << name << " " << f[i];
  }
}

TEST(Robot, FallsIntoItsGearsFromAColdStart) {
  Model model("robot-r3", {}, "dae-354");
  const Six accelerations{1.2562546, 8.6079577, 4.3778379, 0.34762896, -7.0989033, -0.0026381732};
  const Six joint_torques{0, 0, 0, -0.54513782, 8.0151957, 0.0011118396};
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string axis = "axis" + std::to_string(i + 1);
    EXPECT_NEAR(model[axis + ".qdd"], accelerations[i], 5e-8);
    EXPECT_NEAR(model[axis + ".tau"], joint_torques[i], 5e-8);
  }
  const std::pair<const char*, double> values[] = {{"axis1.f_x", 38.094147},  {"axis1.f_y", 851.933063},
                                                   {"axis1.f_z", 250.540506}, {"axis1.t_x", 0},
                                                   {"axis1.t_y", 0},          {"axis1.t_z", 88.723151}};
  for (const auto& [name, value] : values) EXPECT_NEAR(model[name], value, 1e-6) << name;
}

// The same states move alike in all forms, and the outputs are the same.
TEST(Robot, MovesAlikeInAllForms) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Model ode("robot-r3", {}, "ode");
    scatter(ode, 78, seed);
    const Vector rates = ode.f();
    const auto outputs_of = [](Model& model) {
      Vector y(12);
      EXPECT_EQ(model.dae().outputs(model.at(), view(std::as_const(model.problem().w)), view(y)), EvalStatus::ok);
      return y;
    };
    const Vector y = outputs_of(ode);
    for (const char* form : {"dae-117", "dae-354"}) {
      SCOPED_TRACE(form);
      Model dae("robot-r3", {}, form);
      scatter(dae, 78, seed);
      const Vector f = dae.f();
      for (int i = 0; i < 78; ++i)
        EXPECT_NEAR(f[i], rates[i], 1e-12 * std::max(1e3, rates.cwiseAbs().maxCoeff()))
            << dae.dae().layout().component_name(i);
      EXPECT_LT((outputs_of(dae) - y).cwiseAbs().maxCoeff(), 1e-12 * y.cwiseAbs().maxCoeff());
    }
  }
}

// Frozen numbers must not hide derivatives: dual numbers against differences, in all forms.
TEST(Robot, HasExactDerivatives) {
  for (const char* form : {"ode", "dae-117", "dae-354"}) {
    SCOPED_TRACE(form);
    Model model("robot-r3", {{"stiction", 1}}, form);
    scatter(model, 78, 11);
    const Matrix j = model.jacobian();
    const Vector f = model.f(), x = model.problem().x;
    for (int k = 0; k < x.size(); ++k) {
      const double h = 1e-5 * std::max(1e-2, std::abs(x[k]));
      model.problem().x[k] = x[k] + h;
      const Vector up = model.f();
      model.problem().x[k] = x[k] - h;
      const Vector down = model.f();
      model.problem().x[k] = x[k];
      const Vector difference = (up - down) / (2 * h);
      for (int i = 0; i < x.size(); ++i)
        EXPECT_NEAR(j(i, k), difference[i], 1e-5 * std::max({1.0, std::abs(j(i, k)), 1e-5 * std::abs(f[i]) / h}))
            << i << " " << k;
    }
  }
}

std::vector<std::complex<double>> upper_half(const Matrix& j) {
  std::vector<std::complex<double>> found;
  for (const auto& z : j.eigenvalues())
    if (z.imag() >= 0 && std::abs(z) > 1e-3) found.push_back(z);
  return found;
}

// Twelve eigenvalues are zero (the double integrators of the reference), the others as printed.
TEST(Robot, HasThePublishedSpectrumWhenItHolds) {
  const std::complex<double> printed[] = {
      {-3438.0701, 5219.7144}, {-3438.0567, 5219.7145}, {-3301.7809, 4402.4053}, {-3301.6825, 4402.4072},
      {-2824.9720, 0},         {-2757.3729, 3673.0474}, {-2115.9557, 0},         {-2060.6441, 0},
      {-2043.6272, 0},         {-2041.3161, 0},         {-2036.0692, 0},         {-1997.4706, 7125.0179},
      {-1359.7718, 719.7856},  {-1031.1842, 591.9950},  {-767.2195, 516.3460},   {-651.0717, 1921.7380},
      {-647.4931, 1908.0917},  {-647.3412, 1913.5243},  {-634.9867, 523.1996},   {-633.0876, 1903.2941},
      {-620.7204, 1895.4012},  {-592.3670, 1840.2621},  {-579.8775, 440.4252},   {-494.4406, 382.8530},
      {-73.5935, 0},           {-64.5944, 0},           {-61.4508, 0},           {-55.7526, 0},
      {-53.7224, 0},           {-52.6482, 0},           {-43.4688, 195.4394},    {-41.9432, 143.8943},
      {-17.5274, 90.4100},     {-8.9216, 9.0473},       {-7.7749, 8.8973},       {-6.3518, 8.7262},
      {-4.5581, 7.8544},       {-3.4865, 7.1265},       {-2.6366, 6.4091}};
  Model model("robot-r3", {{"hold", 1}}, "ode");
  const auto found = upper_half(model.jacobian());
  ASSERT_EQ(found.size(), std::size(printed));
  for (const auto& z : printed) {
    double nearest = 1e300;
    for (const auto& other : found) nearest = std::min(nearest, std::abs(z - other));
    EXPECT_LT(nearest, 1e-4) << z;
  }
}

// Dropping either ε from the 3 × 3 example changes a stiff mode into one that the linearly implicit Euler method makes explode; dropping α, the
// largest entry of its row, hardly changes anything: eigenvalues 0.0909, −8.99 and 0.0909 + 8e-5 for τ = 1 ms.
TEST(MagnitudeCounterexample, NeedsItsSmallEntries) {
  Model model("magnitude-counterexample", {}, "");
  EXPECT_LT(std::abs(model.f()[2]), 1e-12);
  const Matrix df = model.jacobian();
  const double tau = 1e-3;
  const Eigen::Vector3d mass(1, 1, 0);
  const auto largest_of_first = [&](int row, int col) {
    Matrix kept = df;
    if (row >= 0) kept(row, col) = 0;
    const Matrix a = Matrix(mass.asDiagonal()) + tau * (df - kept), b = Matrix(mass.asDiagonal()) - tau * kept;
    const auto values = (b.inverse() * a).eigenvalues();
    // x2 is alone: its eigenvalue is 1/(1 − τβ); of the others the larger one.
    double largest = 0;
    for (const auto& z : values)
      if (std::abs(z - 1 / 1.002) > 1e-6 && std::abs(z) > std::abs(largest)) largest = z.real();
    return largest;
  };
  EXPECT_NEAR(largest_of_first(-1, -1), 1.0 / 11, 1e-9);
  EXPECT_NEAR(largest_of_first(0, 2), -8.99, 0.01);
  EXPECT_NEAR(largest_of_first(2, 0), -8.99, 0.01);
  EXPECT_NEAR(largest_of_first(0, 0), 1.0 / 11, 1e-4);
}

// (2) of rc_ladder.cpp sums modes; the equations must agree with its derivative in time at the start and, for n = 1, with e^(−t/(R + r)C).
TEST(RcLadder, HasAsManyAlgebraicUnknownsAsAskedFor) {
  const auto instance = make_problem("rc-ladder", {{"n", 2000}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const auto algebraic = instance->problem.dae->layout().algebraic();
  EXPECT_EQ(std::count(algebraic.begin(), algebraic.end(), 1), 6000);
  const auto one = make_problem("rc-ladder", {{"n", 1}, {"t_end", 2}});
  ASSERT_TRUE(one.ok());
  EXPECT_NEAR(one->reference->values[0], 1 - std::exp(-2 / 1.1), 1e-14);
}

}  // namespace
}  // namespace rubato::catalogue
