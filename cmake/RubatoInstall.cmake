# Install rules: the library, its headers and a package configuration for find_package(Rubato).
include(CMakePackageConfigHelpers)
install(TARGETS rubato EXPORT RubatoTargets FILE_SET HEADERS)
install(TARGETS rubato_io EXPORT RubatoTargetsIo FILE_SET HEADERS)
install(TARGETS rubato_cli RUNTIME)
install(EXPORT RubatoTargets NAMESPACE rubato:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Rubato)
install(EXPORT RubatoTargetsIo NAMESPACE rubato:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Rubato)
configure_package_config_file(cmake/RubatoConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/RubatoConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Rubato)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/RubatoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/RubatoConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/RubatoConfigVersion.cmake
  cmake/FindHDF5C.cmake cmake/FindKLU.cmake cmake/FindMETIS.cmake cmake/FindMUMPS.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Rubato)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
