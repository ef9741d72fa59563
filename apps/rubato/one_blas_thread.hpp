#pragma once

namespace rubato::app {

/// OpenBLAS makes a thread per processor when it is loaded, each with a buffer of 128 MB of address space, and a thread that does not get its buffer
/// asks again without end, also when the program ends. All of them but the first are idle here. Where address space is limited
/// (`ulimit -v`) the program therefore starts itself again without them; else nothing happens.
void restart_with_one_blas_thread(char** argv) noexcept;

}  // namespace rubato::app
