# Which vendors' libraries are there. MKL: -DMKL_ROOT=DIR, the variable MKLROOT, or a package MKL; cuSPARSE: with CUDA.

set(MKL_ROOT "$ENV{MKLROOT}" CACHE PATH "Folder of an MKL with include/ and lib/, to measure it as a peer")

# Wheels carry versioned libraries only, so mkl_rt is also looked for under those names.
find_path(TERRACE_MKL_INCLUDE_DIR mkl.h HINTS ${MKL_ROOT} ${MKL_ROOT}/include PATH_SUFFIXES include mkl)
find_library(TERRACE_MKL_LIBRARY NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2 libmkl_rt.so.1
             HINTS ${MKL_ROOT} PATH_SUFFIXES lib lib/intel64)
set(TERRACE_HAS_MKL FALSE)
if(TERRACE_MKL_INCLUDE_DIR AND TERRACE_MKL_LIBRARY)
  set(TERRACE_HAS_MKL TRUE)
elseif(MKL_ROOT)
  message(WARNING "MKL_ROOT is ${MKL_ROOT}, but mkl.h or mkl_rt was not found there; MKL is not measured")
endif()

set(TERRACE_HAS_CUSPARSE FALSE)
if("Cuda" IN_LIST TERRACE_SPACES)
  find_package(CUDAToolkit REQUIRED)
  set(TERRACE_HAS_CUSPARSE TRUE)
endif()
message(STATUS "Terrace: benchmark peers beside Kokkos Kernels: MKL ${TERRACE_HAS_MKL}, cuSPARSE ${TERRACE_HAS_CUSPARSE}")

# Adds the sources of the peers that were found to `target`.
function(terrace_add_vendor_peers target)
  if(TERRACE_HAS_MKL)
    target_sources(${target} PRIVATE peers/mkl.cpp)
    target_include_directories(${target} SYSTEM PRIVATE ${TERRACE_MKL_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${TERRACE_MKL_LIBRARY})
  endif()
  if(TERRACE_HAS_CUSPARSE)
    target_sources(${target} PRIVATE peers/cusparse.cpp peers/factor_cusparse.cpp peers/grid_cusparse.cpp
                   peers/iteration_cusparse.cpp)
    # csric02 and csrilu02 are deprecated, and have no successors.
    set_source_files_properties(peers/factor_cusparse.cpp peers/grid_cusparse.cpp
                                PROPERTIES COMPILE_OPTIONS -Wno-deprecated-declarations)
    target_link_libraries(${target} PUBLIC CUDA::cusparse CUDA::cublas CUDA::cudart)
  endif()
endfunction()

# The lines that register the vendors' peers of `space`, and the function that names its processor.
function(terrace_vendor_peers_of space peers processor_name)
  set(${processor_name} cpu_name PARENT_SCOPE)
  set(lines "")
  if(space STREQUAL "Cuda")
    set(${processor_name} cuda_device_name PARENT_SCOPE)
    set(lines "  methods.push_back({\"cusparse\", peer, Place::Space, Input::Rows, true, make_cusparse});")
  elseif(TERRACE_HAS_MKL)
    set(lines "  methods.push_back({\"mkl\", peer, Place::Host, Input::Rows, true, make_mkl});")
  endif()
  set(${peers} "${lines}" PARENT_SCOPE)
endfunction()
