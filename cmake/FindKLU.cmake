# KLU of SuiteSparse (LGPL, linked dynamically) with the orderings it stands on: AMD, COLAMD (BSD) and BTF (LGPL). Debian's package
# carries no CMake configuration. Defines the target KLU::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
find_library(AMD_LIBRARY amd)
find_library(COLAMD_LIBRARY colamd)
find_library(BTF_LIBRARY btf)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY AMD_LIBRARY COLAMD_LIBRARY BTF_LIBRARY KLU_INCLUDE_DIR)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    IMPORTED_LOCATION "${KLU_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${AMD_LIBRARY};${COLAMD_LIBRARY};${BTF_LIBRARY}")
endif()
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY AMD_LIBRARY COLAMD_LIBRARY BTF_LIBRARY)
