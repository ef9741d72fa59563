#define RUBATO_INSTANCE template
#include "linalg/eigen_instances.hpp"
