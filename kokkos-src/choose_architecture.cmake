# The NVIDIA GPU that Kokkos is built for: the oldest of CMAKE_CUDA_ARCHITECTURES, unless a Kokkos_ARCH_<GPU> says
# otherwise. Kokkos names one GPU and compiles for that one; its code runs on newer GPUs too.

set(kokkos_gpus 75=TURING75 80=AMPERE80 86=AMPERE86 87=AMPERE87 89=ADA89 90=HOPPER90 100=BLACKWELL100 120=BLACKWELL120)

# Turns on the newest GPU that Kokkos knows and that is no newer than the oldest architecture. What was chosen here before
# for another list is turned off, so that a build folder may change its architectures.
function(terrace_choose_kokkos_gpu)
  get_cmake_property(variables CACHE_VARIABLES)
  foreach(variable IN LISTS variables)
    if(variable MATCHES "^Kokkos_ARCH_(.*)$" AND ${variable})
      string(REGEX REPLACE "^Kokkos_ARCH_" "" gpu ${variable})
      if(gpu STREQUAL TERRACE_CHOSEN_KOKKOS_GPU)
        set(${variable} OFF CACHE BOOL "" FORCE)
      elseif(kokkos_gpus MATCHES "=${gpu}(;|$)")
        return()
      endif()
    endif()
  endforeach()
  terrace_oldest_architecture(oldest ${CMAKE_CUDA_ARCHITECTURES})
  set(chosen "")
  foreach(known IN LISTS kokkos_gpus)
    string(REGEX MATCH "^([0-9]+)=(.*)$" matched ${known})
    if(oldest AND CMAKE_MATCH_1 LESS_EQUAL oldest)
      set(chosen ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(chosen)
    set(Kokkos_ARCH_${chosen} ON CACHE BOOL "" FORCE)
  endif()
  set(TERRACE_CHOSEN_KOKKOS_GPU "${chosen}" CACHE INTERNAL "The GPU that Terrace told Kokkos")
endfunction()
