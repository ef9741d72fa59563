#include "element_kernel.hpp"

namespace rubato::fem::detail {

namespace plain {
PackKernel kernel(Kinematics kinematics) noexcept;
}
#ifdef RUBATO_KERNEL_AVX2
namespace avx2 {
PackKernel kernel(Kinematics kinematics) noexcept;
}
#endif

PackKernel pack_kernel(Kinematics kinematics) noexcept {
#ifdef RUBATO_KERNEL_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kernel(kinematics);
#endif
  return plain::kernel(kinematics);
}

}  // namespace rubato::fem::detail
