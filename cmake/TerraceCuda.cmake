# Turns on CUDA as a CMake language, before Kokkos does, and tells CMake 3.25 what it does not know of nvcc 12 and 13:
# how to ask for C++20.

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures to compile for")
endif()
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

# Sets <result> to the oldest of the compute capabilities in the list, without the point; empty for words such as native.
function(terrace_oldest_architecture result)
  set(oldest "")
  foreach(architecture IN LISTS ARGN)
    string(REGEX MATCH "^[0-9]+" number "${architecture}")
    if(number AND (NOT oldest OR number LESS oldest))
      set(oldest ${number})
    endif()
  endforeach()
  set(${result} "${oldest}" PARENT_SCOPE)
endfunction()

# The CUDA engines use what came with compute capability 8.0.
function(terrace_check_architectures)
  terrace_oldest_architecture(oldest ${CMAKE_CUDA_ARCHITECTURES})
  if(oldest AND oldest LESS 80)
    message(FATAL_ERROR "Terrace: the CUDA engines need compute capability 8.0, and CMAKE_CUDA_ARCHITECTURES is "
                        "${CMAKE_CUDA_ARCHITECTURES}; TERRACE_TUNED_BACKENDS=OFF builds the generic ones for older GPUs")
  endif()
endfunction()
