# Which other libraries are there. MKL: -DMKL_ROOT=DIR, the variable MKLROOT, or a package MKL; cuSPARSE: with CUDA.

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

# PETSc by pkg-config, as petsc-dev of Debian has it: for a program of its own.
set(TERRACE_HAS_PETSC FALSE)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
  if(PETSC_FOUND)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      set(TERRACE_HAS_PETSC TRUE)
    endif()
  endif()
endif()
message(STATUS "Terrace: benchmark peers beside Kokkos Kernels: MKL ${TERRACE_HAS_MKL}, cuSPARSE ${TERRACE_HAS_CUSPARSE}, "
               "PETSc ${TERRACE_HAS_PETSC}")

# Adds the vendors' peers that were found to the program of a suite: the sources for its name, in the plain C++ of
# every build.
function(terrace_add_vendor_peers target suite)
  if(TERRACE_HAS_MKL AND suite STREQUAL "triangular")
    target_sources(${target} PRIVATE peers/mkl.cpp)
    target_include_directories(${target} SYSTEM PRIVATE ${TERRACE_MKL_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${TERRACE_MKL_LIBRARY})
  endif()
  if(TERRACE_HAS_CUSPARSE)
    target_sources(${target} PRIVATE peers/cusparse_${suite}.cpp peers/cuda_device_name.cpp)
    target_link_libraries(${target} PUBLIC CUDA::cusparse CUDA::cublas CUDA::cudart)
  endif()
endfunction()
# csric02 and csrilu02 are deprecated, and have no successors.
set_source_files_properties(peers/cusparse_incomplete.cpp peers/cusparse_grids.cpp
                            peers/cusparse_schwarz.cpp
                            PROPERTIES COMPILE_OPTIONS -Wno-deprecated-declarations)

# The entries of the vendors' peers of a suite on a space, and the function that names the space's processor.
set(cusparse_triangular "cusparse_triangular()")
set(cusparse_incomplete "cusparse_ilu0(), cusparse_ic0(), cusparse_iteration(Phase::ConjugateGradients), cusparse_iteration(Phase::BiCGStab)")
set(cusparse_grids "grid_cusparse()")
set(cusparse_schwarz "cusparse_schwarz()")
set(cusparse_products "cusparse_product()")
function(terrace_vendor_peers_of space suite peers processor_name)
  set(${processor_name} cpu_name PARENT_SCOPE)
  set(${peers} "" PARENT_SCOPE)
  if(space STREQUAL "Cuda")
    set(${processor_name} cuda_device_name PARENT_SCOPE)
    set(${peers} "${cusparse_${suite}}" PARENT_SCOPE)
  elseif(TERRACE_HAS_MKL AND suite STREQUAL "triangular")
    set(${peers} "mkl(static_cast<int>(Space().concurrency()))" PARENT_SCOPE)
  endif()
endfunction()
