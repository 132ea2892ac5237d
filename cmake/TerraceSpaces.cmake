# Which execution spaces Kokkos has, their types, and the language in which it was compiled. The list is open: another space
# is one more line. docs/porting.md says what a device may bring beside it.

# Kokkos's name of the device, and the type.
set(terrace_known_spaces
    SERIAL=Kokkos::Serial
    OPENMP=Kokkos::OpenMP
    THREADS=Kokkos::Threads
    HPX=Kokkos::Experimental::HPX
    CUDA=Kokkos::Cuda
    HIP=Kokkos::HIP
    SYCL=Kokkos::SYCL
    OPENMPTARGET=Kokkos::Experimental::OpenMPTarget
    OPENACC=Kokkos::Experimental::OpenACC)

set(TERRACE_COMPILED_SPACES "" CACHE STRING "Execution spaces that the library is compiled for; empty: all that Kokkos has")

# Spaces with engines of their own under src/backends/.
set(terrace_spaces_with_engines Cuda)

# Sets TERRACE_SPACES to the execution spaces of the Kokkos that was found, TERRACE_SPACE_<name> to the type of each,
# TERRACE_TUNED_SPACES to those with engines of their own in this build, and the compile language.
macro(terrace_read_kokkos_spaces)
  terrace_find_kokkos_devices()
  set(TERRACE_SPACES "")
  set(TERRACE_TUNED_SPACES "")
  foreach(known IN LISTS terrace_known_spaces)
    string(REGEX MATCH "^([A-Z]+)=(.*::([A-Za-z]+))$" matched "${known}")
    if("${CMAKE_MATCH_1}" IN_LIST TERRACE_KOKKOS_DEVICES
       AND (NOT TERRACE_COMPILED_SPACES OR "${CMAKE_MATCH_3}" IN_LIST TERRACE_COMPILED_SPACES))
      set(TERRACE_SPACE_${CMAKE_MATCH_3} "${CMAKE_MATCH_2}")
      list(APPEND TERRACE_SPACES ${CMAKE_MATCH_3})
      if(TERRACE_TUNED_BACKENDS AND "${CMAKE_MATCH_3}" IN_LIST terrace_spaces_with_engines)
        list(APPEND TERRACE_TUNED_SPACES ${CMAKE_MATCH_3})
      endif()
    endif()
  endforeach()
  if(NOT TERRACE_SPACES)
    message(FATAL_ERROR "Terrace: the Kokkos that was found has none of the execution spaces asked for (devices: "
                        "${TERRACE_KOKKOS_DEVICES}; TERRACE_COMPILED_SPACES: ${TERRACE_COMPILED_SPACES})")
  endif()
  if("CUDA" IN_LIST TERRACE_KOKKOS_DEVICES)
    include(TerraceCuda)
    set(Kokkos_COMPILE_LANGUAGE CUDA)
    if("Cuda" IN_LIST TERRACE_TUNED_SPACES)
      terrace_check_architectures()
    endif()
  elseif("${Kokkos_COMPILE_LANGUAGE}" STREQUAL "HIP")
    enable_language(HIP)
  else()
    set(Kokkos_COMPILE_LANGUAGE CXX)
  endif()
  message(STATUS "Terrace: spaces ${TERRACE_SPACES}, with engines of their own: ${TERRACE_TUNED_SPACES}; "
                 "scalars ${TERRACE_SCALARS}; offsets ${TERRACE_OFFSETS}")
endmacro()

# An installed Kokkos says which backends it has in Kokkos_DEVICES; one that is built here, in its options.
function(terrace_find_kokkos_devices)
  set(devices "")
  foreach(known IN LISTS terrace_known_spaces)
    string(REGEX REPLACE "=.*" "" name "${known}")
    if(Kokkos_ENABLE_${name} OR KOKKOS_ENABLE_${name} OR "${name}" IN_LIST Kokkos_DEVICES)
      list(APPEND devices ${name})
    endif()
  endforeach()
  set(TERRACE_KOKKOS_DEVICES "${devices}" PARENT_SCOPE)
endfunction()
