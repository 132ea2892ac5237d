# For programs that use Terrace: terrace_compile_sources(<target>) has the C++ sources of a target compiled by nvcc where Terrace
# was built for an NVIDIA GPU, for the same architectures, with C++20. Elsewhere nothing happens. To be called where the target is
# created, and not in a function: CMake enables languages nowhere else.
macro(terrace_compile_sources target)
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "${Kokkos_CUDA_ARCHITECTURES}")
    endif()
    enable_language(CUDA)
    terrace_compile_as_cuda(${target} "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
endmacro()

function(terrace_compile_as_cuda target architectures)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cc|cxx)$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  # Not CMAKE_CUDA_STANDARD: CMake 3.25 does not know that nvcc 13 has C++20.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
endfunction()
