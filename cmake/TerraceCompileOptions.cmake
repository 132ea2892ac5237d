# Warnings, sanitizers and the language of sources that include Kokkos.

set(TERRACE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND TERRACE_WARNINGS -Wno-restrict)  # GCC bug 105651: wrong about "text" + std::string
endif()
string(REGEX MATCH "^[0-9]+" terrace_compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
if("${CMAKE_CXX_COMPILER_ID}-${terrace_compiler_major}" IN_LIST TERRACE_WARNINGS_AS_ERRORS
   OR TERRACE_WARNINGS_AS_ERRORS MATCHES "^(ON|TRUE|YES|1)$")
  list(APPEND TERRACE_WARNINGS -Werror)
endif()

# The speed of short inner loops depends on where they fall: up to 16 % between builds of the same code
# (docs/lab/triangular-host.md).
set(TERRACE_ALIGN_LOOPS -falign-functions=64 -falign-loops=64)

if(TERRACE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TERRACE_SANITIZE}> -fno-omit-frame-pointer -g1)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${TERRACE_SANITIZE})
  if(TERRACE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)  # Kokkos's fences, which the sanitizer does not model
  endif()
endif()

option(TERRACE_PRECOMPILE_HEADERS "Compile Kokkos's headers once for each target of a host build" OFF)
set(TERRACE_SOURCES_TOGETHER 1 CACHE STRING
    "How many sources nvcc compiles as one: each parses Kokkos's headers three times; 1 where edits are built again and again")

# Replaces sources of `target` by sources that include several of them: CMake 3.25 unites none that are CUDA. In alphabetical
# order, which brings a class's scalars and spaces together. Sources with definitions of their own stay alone.
function(terrace_unite_sources target)
  set(together "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(NOT definitions)
      list(APPEND together ${source})
    endif()
  endforeach()
  list(SORT together)
  set(number 0)
  while(together)
    list(SUBLIST together 0 ${TERRACE_SOURCES_TOGETHER} batch)
    list(REMOVE_ITEM together ${batch})
    set(lines "")
    foreach(source IN LISTS batch)
      get_filename_component(path ${source} ABSOLUTE)
      string(APPEND lines "#include \"${path}\"\n")
    endforeach()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_together_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${lines}")
    set_source_files_properties(${batch} PROPERTIES HEADER_FILE_ONLY ON)
    set_source_files_properties(${file} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
    target_sources(${target} PRIVATE ${file})
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

# terrace_compile_with_kokkos(<target> [PLAIN_SOURCES <source>...] [HEADERS <header>...]): every source in the language that
# Kokkos was built in, but for the plain ones. The headers, beside Kokkos's, are those that most of the sources include.
function(terrace_compile_with_kokkos target)
  cmake_parse_arguments(PARSE_ARGV 1 with "" "" "PLAIN_SOURCES;HEADERS")
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${TERRACE_WARNINGS}>)
  get_target_property(sources ${target} SOURCES)
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    list(LENGTH sources count)
    if(TERRACE_PRECOMPILE_HEADERS AND count GREATER 6)  # it costs as much as three sources win
      target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> ${with_HEADERS})
    endif()
    return()
  endif()
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(REMOVE_ITEM sources ${with_PLAIN_SOURCES})
  set_source_files_properties(${sources} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
    if(TERRACE_SOURCES_TOGETHER GREATER 1)
      terrace_unite_sources(${target} ${sources})
    endif()
  endif()
endfunction()
