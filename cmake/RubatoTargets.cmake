# Warnings of our own code; a build interface only, so that users never inherit them.
add_library(rubato_warnings INTERFACE)
target_compile_options(rubato_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
# At -O3 GCC 12 finds overlaps, overflows and unset values inside std::string, std::vector and Eigen that are not there
# (GCC bugs 105329, 105651); the other builds watch for real ones.
target_compile_options(rubato_warnings INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-free-nonheap-object>)
if(RUBATO_WARNINGS_AS_ERRORS)
  target_compile_options(rubato_warnings INTERFACE -Werror)
endif()

# Two build types of our own beside CMake's: Dev keeps assertions at -O1 (fast to compile, fast enough for the theory
# tests), Asan adds the sanitizers. project() has already put empty values for them into the cache: those we replace,
# what a user set stays.
function(rubato_default variable value)
  if("${${variable}}" STREQUAL "")
    set(${variable} "${value}" CACHE STRING "Flags of our own build types" FORCE)
  endif()
endfunction()
rubato_default(CMAKE_CXX_FLAGS_DEV "-O1 -g1 -DRUBATO_ASSERTIONS=1")
# Checks of null pointers and object sizes repeat what the address sanitizer finds at the access; with those of alignment, which
# it does not find, they take a quarter of the compile time. They are on for the readers of files only
# (rubato_instrument_for_fuzzing). At -O2 building and running together take the least time.
rubato_default(CMAKE_CXX_FLAGS_ASAN "-O2 -g1 -DRUBATO_ASSERTIONS=1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer")
rubato_default(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
rubato_default(CMAKE_SHARED_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Clang's sanitizer configuration serves the fuzzers, too. rubato_instrument_for_fuzzing(TARGET [sources…]): compiles the target, or
# only these sources of it, with the counters that guide a fuzzer, and with all checks: what they read is not to be trusted.
set(RUBATO_FUZZERS OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Asan" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(RUBATO_FUZZERS ON)
endif()
function(rubato_instrument_for_fuzzing target)
  if(NOT RUBATO_FUZZERS)
    return()
  endif()
  set(options -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table -fsanitize=null,alignment,object-size)
  if(ARGN)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
  else()
    target_compile_options(${target} PRIVATE ${options})
  endif()
endfunction()

# rubato_expand(OUT DIR entries…): entries as paths below DIR; an entry with a star stands for all files it matches, also
# those that come later. So a new method or problem needs no line here.
function(rubato_expand out dir)
  set(files)
  foreach(entry IN LISTS ARGN)
    if(entry MATCHES "[*]")
      file(GLOB found CONFIGURE_DEPENDS ${dir}/${entry})
      list(APPEND files ${found})
    else()
      list(APPEND files ${dir}/${entry})
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# rubato_group(TARGET sources…): compiles the sources of one folder together, RUBATO_UNITY in one unit. A new file changes only
# the units of its folder.
set(RUBATO_UNITY 0 CACHE STRING "Sources compiled in one unit; 0: each alone")
if(NOT RUBATO_UNITY MATCHES "^[0-9]+$")
  message(FATAL_ERROR "RUBATO_UNITY = ${RUBATO_UNITY}: a number of sources is expected, 0 for each alone")
endif()
if(RUBATO_UNITY)
  # Names of one source do not hide those of its neighbours; in units GCC 12 also gives false warnings about uninitialised values in Eigen.
  # `make lint` compiles each source alone.
  target_compile_options(rubato_warnings INTERFACE -Wno-shadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;-Wno-maybe-uninitialized>)
endif()
function(rubato_group target)
  if(NOT RUBATO_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # units across folders would mix equal names
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
    string(REPLACE "/" "_" folder ${folder})
    math(EXPR unit "0${n_${folder}} / ${RUBATO_UNITY}")
    math(EXPR n_${folder} "0${n_${folder}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
endfunction()

# rubato_precompile(TARGET): the precompiled header of rubato, shared where both are compiled for the same kind of address.
function(rubato_precompile target)
  get_target_property(library rubato TYPE)
  if(library STREQUAL "STATIC_LIBRARY" AND NOT CMAKE_POSITION_INDEPENDENT_CODE)
    target_precompile_headers(${target} REUSE_FROM rubato)
  else()
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/precompiled.hpp)
  endif()
endfunction()

# rubato_module(TARGET MODULE SOURCES a.cpp methods/*.cpp … HEADERS b.hpp …): what one module adds to a library. Sources
# lie beside the caller's CMakeLists.txt, public headers in include/rubato/MODULE.
function(rubato_module target module)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS" ${ARGN})
  rubato_expand(sources ${CMAKE_CURRENT_SOURCE_DIR} ${arg_SOURCES})
  rubato_expand(headers ${PROJECT_SOURCE_DIR}/include/rubato/${module} ${arg_HEADERS})
  target_sources(${target} PRIVATE ${sources})
  rubato_group(${target} ${sources})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
endfunction()

# rubato_component_requires(COMPONENT NAME [VERSION] …): likewise, for a component of the installed package.
macro(rubato_component_requires component)
  find_package(${ARGN} REQUIRED)
  string(REPLACE ";" " " rubato_arguments "${ARGN}")
  string(APPEND RUBATO_FIND_DEPENDENCIES_${component} "find_dependency(${rubato_arguments})\n")
endmacro()

# rubato_requires(NAME [VERSION] …): finds a package the library links, now and in the installed package configuration.
macro(rubato_requires)
  find_package(${ARGN} REQUIRED)
  string(REPLACE ";" " " rubato_arguments "${ARGN}")
  string(APPEND RUBATO_FIND_DEPENDENCIES "find_dependency(${rubato_arguments})\n")
endmacro()
