#pragma once
/// The precompiled header of our own targets: what nearly every unit includes anyway, and Eigen's instances. Sources include
/// what they use all the same: `make lint` compiles each alone, without this.
#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "linalg/eigen_instances.hpp"
