// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The peers. Each is defined in its own source, which is compiled only when the peer was found.
#pragma once

#include "peers/triangular_method.hpp"

namespace terrace::perf {

/// The textbook's loop over the rows. Host.
std::unique_ptr<TriangularMethod> make_serial_loop(int threads);

/// mkl_sparse_d_trsv after mkl_sparse_optimize. Host.
std::unique_ptr<TriangularMethod> make_mkl(int threads);

/// cusparseSpSV_solve.
std::unique_ptr<TriangularMethod> make_cusparse(int threads);

/// The name of the GPU in use. Defined with the cuSPARSE peer.
std::string cuda_device_name();

/// KokkosSparse::Experimental::sptrsv with its default algorithm.
template <class Space>
std::unique_ptr<TriangularMethod> make_kokkos_kernels(int threads);

}  // namespace terrace::perf
