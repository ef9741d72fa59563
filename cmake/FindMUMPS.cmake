# MUMPS, sequential build, real and complex double precision (CeCILL-C, linked dynamically), with the stand-in for MPI it
# is made for. Debian's package carries no CMake configuration. Defines the target MUMPS::MUMPS.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES mumps_seq mumps)
set(mumps_variables)
foreach(name dmumps zmumps mumps_common mpiseq)
  find_library(MUMPS_${name}_LIBRARY NAMES ${name}_seq)
  list(APPEND mumps_variables MUMPS_${name}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS ${mumps_variables} MUMPS_INCLUDE_DIR)
if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
  add_library(MUMPS::MUMPS UNKNOWN IMPORTED)
  set_target_properties(MUMPS::MUMPS PROPERTIES
    IMPORTED_LOCATION "${MUMPS_dmumps_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${MUMPS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${MUMPS_zmumps_LIBRARY};${MUMPS_mumps_common_LIBRARY};${MUMPS_mpiseq_LIBRARY}")
endif()
mark_as_advanced(MUMPS_INCLUDE_DIR ${mumps_variables})
