// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A new vector of GMRES is made orthogonal to its basis on an NVIDIA GPU: classical Gram-Schmidt, twice, in three
// readings of the basis. Each thread holds the row of up to 32 columns in registers, so that the kernel that subtracts
// the first projections makes the second ones of what is left; it takes the rows in the opposite order, and finds in L2
// what the kernel before it read last.
//
// A block sums over its rows, and the one that comes last adds up what all have left, in their order: the same bits
// each time. More columns than a thread holds are read in chunks, and all but the last one four times.
#pragma once

#include "algorithms/krylov/orthogonalize.hpp"
#include "backends/cuda/krylov/block_sums.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda::krylov {

/// What a kernel does with a chunk of columns.
enum class GramSchmidt {
  Project,             ///< h = V^H w
  Subtract,            ///< w -= V h
  SubtractAndProject,  ///< w -= V h, then g = V^H w
  Complete,            ///< w -= V g, then |w|
};

/// Columns that a thread holds at most: their row takes half of the registers, their sums the other half.
template <class Scalar>
inline constexpr int max_held_columns = sizeof(Scalar) > sizeof(double) ? 16 : 32;

/// Columns first, ..., first + count - 1 of the basis, at most Held.
template <GramSchmidt step, int Held, class Scalar>
class GramSchmidtChunk {
  using Tuning = KrylovTuning;
  using Real = terrace::krylov::RealOf<Scalar>;
  static constexpr bool subtracts = step != GramSchmidt::Project;
  static constexpr bool projects = step == GramSchmidt::Project || step == GramSchmidt::SubtractAndProject;
  static_assert(Held <= terrace::krylov::PartialSums<Scalar>::max_columns);
  static constexpr int summed = Held <= 8 ? 8 : Held <= 16 ? 16 : 32;  // a power of two

 public:
  terrace::krylov::NewColumn<Scalar> column;
  int first;
  int count;
  bool again;  // the second orthogonalization

  __device__ void run() const {
    __shared__ __align__(16) unsigned char bytes[Held * sizeof(Scalar)];
    Scalar* const h = reinterpret_cast<Scalar*>(bytes);
    if constexpr (subtracts) read_coefficients(h);
    const auto scale = subtracts && first == 0 && step != GramSchmidt::Complete ? column.scale() : Real(1);
    Scalar sums[summed] = {};
    const std::int64_t rows = column.basis.rows, tiles = (rows + Tuning::block - 1) / Tuning::block;
    for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const std::int64_t row = (step == GramSchmidt::SubtractAndProject ? tiles - 1 - tile : tile) * Tuning::block +
                               static_cast<std::int64_t>(threadIdx.x);
      if (row < rows) add_row(row, h, scale, sums);
    }
    if constexpr (projects) keep(sums);
    if constexpr (step == GramSchmidt::Complete) complete(sums[0]);
  }

 private:
  __device__ void read_coefficients(Scalar* h) const {
    const int k = static_cast<int>(threadIdx.x);
    const Scalar* const from = step == GramSchmidt::Complete ? column.hessenberg.correction : column.hessenberg.column;
    if (k < Held) h[k] = k < count ? from[first + k] : Scalar(0);
    __syncthreads();
  }

  __device__ void add_row(std::int64_t row, const Scalar* h, Real scale, Scalar (&sums)[summed]) const {
    Scalar v[Held];
#pragma unroll
    for (int k = 0; k < Held; ++k) v[k] = k < count ? column.basis(row, first + k) : Scalar(0);
    Scalar w = column.w[row];
    if constexpr (subtracts) {
      w *= scale;
#pragma unroll
      for (int k = 0; k < Held; ++k) w -= v[k] * h[k];
      column.w[row] = w;
    }
    if constexpr (step == GramSchmidt::Complete) sums[0] += Scalar(terrace::krylov::square(w));
    if constexpr (projects) {
#pragma unroll
      for (int k = 0; k < Held; ++k) sums[k] += terrace::krylov::conjugate(v[k]) * w;
    }
  }

  __device__ void complete(const Scalar& square_of_norm) const {
    if (first + count < column.columns) return;
    contribute(column.gathering, 0, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
               terrace::krylov::Sums<Scalar, 1>{{square_of_norm}},
               [this](const auto& total) { column.complete(terrace::krylov::real_part(total.of[0])); });
  }

  /// The sums of this block to memory, and from there, in the last block, those of all to the small matrix.
  __device__ void keep(Scalar (&sums)[summed]) const {
    constexpr int warps = Tuning::block / warp_size;
    __shared__ __align__(16) unsigned char bytes[warps * summed * sizeof(Scalar)];
    __shared__ bool is_last;
    Scalar* const of_warps = reinterpret_cast<Scalar*>(bytes);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_size, lane = thread % warp_size;
    const int blocks = static_cast<int>(gridDim.x);
    Scalar sum = sum_columns_over_lanes<summed>(sums);
#pragma unroll
    for (int distance = summed; distance < warp_size; distance *= 2) sum += from_lane(sum, distance);
    if (lane < summed) of_warps[warp * summed + lane] = sum;
    __syncthreads();
    if (thread < count) {
      Scalar mine(0);
      for (int other = 0; other < warps; ++other) mine += of_warps[other * summed + thread];
      column.partial_sums.data[thread * blocks + static_cast<int>(blockIdx.x)] = mine;
    }
    __threadfence();
    __syncthreads();
    if (thread == 0) {
      is_last = column.gathering.arrive(0, blocks);
      if (is_last) column.take_units();
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int k = warp; k < count; k += warps) {
      Scalar total(0);
      for (int block = lane; block < blocks; block += warp_size) total += column.partial_sums.data[k * blocks + block];
      total = sum_over_lanes<log2_warp_size>(total);
      if (lane == 0) column.keep(first + k, total, again);
    }
  }
};

template <GramSchmidt step, int Held, class Scalar>
__global__ void __launch_bounds__(KrylovTuning::block, Held * sizeof(Scalar) > 192 ? 1 : 2)
    gram_schmidt_kernel(GramSchmidtChunk<step, Held, Scalar> chunk) {
  chunk.run();
}

template <GramSchmidt step, int Held, class Scalar>
void launch_gram_schmidt(const Kokkos::Cuda& space, const char* label,
                         const GramSchmidtChunk<step, Held, Scalar>& chunk) {
  const auto code = gram_schmidt_kernel<step, Held, Scalar>;
  static const int resident = resident_blocks(code, KrylovTuning::block);
  launch(space, label, code, blocks_for(resident, chunk.column.basis.rows, 1), KrylovTuning::block, chunk);
}

/// By a kernel that holds as few columns as will do.
template <GramSchmidt step, int Held = 8, class Scalar>
void gram_schmidt(const Kokkos::Cuda& space, const char* label, const terrace::krylov::NewColumn<Scalar>& column,
                  int first, bool again) {
  constexpr int most = max_held_columns<Scalar>;
  const int count = std::min(most, column.columns - first);
  if constexpr (Held < most)
    if (count > Held) return gram_schmidt<step, Held + 8>(space, label, column, first, again);
  launch_gram_schmidt(space, label, GramSchmidtChunk<step, Held, Scalar>{column, first, count, again});
}

}  // namespace terrace::cuda::krylov

namespace terrace::krylov {

template <class Scalar>
void orthogonalize(const Kokkos::Cuda& space, const NewColumn<Scalar>& column) {
  using cuda::krylov::GramSchmidt;
  constexpr int held = cuda::krylov::max_held_columns<Scalar>;
  const int last = (column.columns - 1) / held * held;
  const char* const project = "terrace::krylov::project";
  for (int first = 0; first <= last; first += held)
    cuda::krylov::gram_schmidt<GramSchmidt::Project>(space, project, column, first, false);
  for (int first = 0; first < last; first += held)
    cuda::krylov::gram_schmidt<GramSchmidt::Subtract, held>(space, "terrace::krylov::subtract_projections", column,
                                                            first, false);
  cuda::krylov::gram_schmidt<GramSchmidt::SubtractAndProject>(space, "terrace::krylov::subtract_and_project", column,
                                                              last, true);
  for (int first = 0; first < last; first += held)
    cuda::krylov::gram_schmidt<GramSchmidt::Project, held>(space, project, column, first, true);
  for (int first = 0; first <= last; first += held)
    cuda::krylov::gram_schmidt<GramSchmidt::Complete>(space, "terrace::krylov::complete_column", column, first, true);
}

}  // namespace terrace::krylov
