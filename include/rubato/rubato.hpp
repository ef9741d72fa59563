#pragma once
/// Everything a program needs to write a model or build a mechanism, and integrate it.
#include "rubato/integrate/integrate.hpp"
#include "rubato/integrate/recorder.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/scene.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "rubato/problem/equilibrium_solver.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_dae.hpp"
#include "rubato/problem/template_mechanical.hpp"
