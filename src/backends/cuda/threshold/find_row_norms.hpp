// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both norms of every row (incomplete/threshold/row_norms.hpp), whose sums are in the order of the entries: of usual
// rows by a thread for each, of long ones by a block, of which one thread adds up what the others have read and divided
// meanwhile.
#pragma once

#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/incomplete/threshold/row_norms.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/threshold/tuning.hpp"
#include "backends/cuda/watch.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::threshold {

template <class Scalar, class Offset>
struct RowNormsOf {
  using Real = terrace::incomplete::RealOf<Scalar>;

  sparse::TriangleView<int, Offset> pattern;
  terrace::incomplete::MatrixEntries<Scalar, int, Offset> matrix;
  terrace::incomplete::RowNorms<Real>* norms;
  int* long_rows;   // capacity for all
  unsigned* count;  // of them; zero before

  __device__ Offset begin(int row) const { return pattern.row_map[row]; }
  __device__ int length(int row) const { return static_cast<int>(pattern.row_map[row + 1] - pattern.row_map[row]); }
};

/// By a block of norm_threads.
template <class Scalar, class Offset>
class NormsByBlock {
  using Sums = terrace::incomplete::NormSums<Scalar>;
  using Real = typename Sums::Real;

 public:
  static constexpr int threads = ThresholdTuning::norm_threads;

  /// `memory`: [2 threads], and `sums` are shared.
  __device__ NormsByBlock(const RowNormsOf<Scalar, Offset>& of, Real* memory, Sums& sums)
      : of_(of), memory_(memory), sums_(sums), thread_(static_cast<int>(threadIdx.x)) {}

  __device__ void find(int row) {
    if (thread_ == 0) sums_ = Sums();
    __syncthreads();
    add(
        row, [](const Scalar& value) { return terrace::incomplete::magnitude(value); },
        [](Sums& sums, const Real& size) { sums.add_size(size); });
    if (sums_.is_scalable()) {
      const Sums so_far = sums_;
      __syncthreads();
      add(
          row, [&](const Scalar& value) { return so_far.scaled(value); },
          [](Sums& sums, const Real& size) { sums.add_square_of(size); });
    }
    if (thread_ == 0) of_.norms[row] = sums_.norms();
    __syncthreads();
  }

 private:
  /// All threads read a piece of the row, of which thread 0 adds up the one before.
  template <class Part, class Add>
  __device__ void add(int row, const Part& part, const Add& add_to) const {
    const Offset begin = of_.begin(row);
    const int length = of_.length(row);
    Sums own = sums_;
    for (int base = 0; base < length + threads; base += threads) {
      Real* const piece = memory_ + base / threads % 2 * threads;
      const Real* const before = memory_ + (base / threads + 1) % 2 * threads;
      if (const int k = base + thread_; k < length)
        piece[thread_] = part(of_.matrix(row, begin + static_cast<Offset>(k)));
      if (thread_ == 0 && base > 0)
#pragma unroll 8
        for (int k = 0; k < min(threads, length - base + threads); ++k) add_to(own, before[k]);
      __syncthreads();
    }
    if (thread_ == 0) sums_ = own;
    __syncthreads();
  }

  const RowNormsOf<Scalar, Offset>& of_;
  Real* memory_;
  Sums& sums_;
  int thread_;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ThresholdTuning::norm_threads)
    norms_of_rows_kernel(const __grid_constant__ RowNormsOf<Scalar, Offset> of) {
  const auto row = static_cast<int>(number_of_thread());
  if (row >= of.pattern.rows) return;
  const Offset begin = of.begin(row), end = begin + static_cast<Offset>(of.length(row));
  if (of.length(row) >= ThresholdTuning::long_norm) {
    of.long_rows[parallel::fetch_increment(*of.count)] = row;
    return;
  }
  terrace::incomplete::NormSums<Scalar> sums;
  for (Offset p = begin; p < end; ++p) sums.see(of.matrix(row, p));
  if (sums.is_scalable())
    for (Offset p = begin; p < end; ++p) sums.add_square(of.matrix(row, p));
  of.norms[row] = sums.norms();
}

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ThresholdTuning::norm_threads)
    norms_of_long_rows_kernel(const __grid_constant__ RowNormsOf<Scalar, Offset> of) {
  using Sums = terrace::incomplete::NormSums<Scalar>;
  __shared__ typename Sums::Real memory[2 * ThresholdTuning::norm_threads];
  __shared__ __align__(16) unsigned char sums[sizeof(Sums)];
  NormsByBlock<Scalar, Offset> norms(of, memory, *reinterpret_cast<Sums*>(sums));
  const unsigned count = *of.count;
  for (unsigned k = blockIdx.x; k < count; k += gridDim.x) norms.find(of.long_rows[k]);
}

/// Enqueued.
template <class Scalar, class Offset>
void find_row_norms(const Kokkos::Cuda& space, const RowNormsOf<Scalar, Offset>& of) {
  const dim3 threads(ThresholdTuning::norm_threads);
  check(cudaMemsetAsync(of.count, 0, sizeof(unsigned), space.cuda_stream()), "cudaMemsetAsync");
  launch(space, "terrace::cuda::norms_of_rows", norms_of_rows_kernel<Scalar, Offset>,
         static_cast<std::size_t>(parallel::divide_up(of.pattern.rows, ThresholdTuning::norm_threads)), threads, of);
  launch(space, "terrace::cuda::norms_of_long_rows", norms_of_long_rows_kernel<Scalar, Offset>,
         static_cast<std::size_t>(attribute_of_device(cudaDevAttrMultiProcessorCount)), threads, of);
}

}  // namespace terrace::cuda::threshold
