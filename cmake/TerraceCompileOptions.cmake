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

# Compile every source of `target` that includes Kokkos headers in the language that Kokkos was built in.
function(terrace_compile_with_kokkos target)
  if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${TERRACE_WARNINGS}>)
endfunction()
