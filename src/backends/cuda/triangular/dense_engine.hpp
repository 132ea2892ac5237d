// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Algorithm::Blocked on an NVIDIA GPU: dense tiles, for triangles that are dense or nearly.
#pragma once

#include "algorithms/triangular/stored_triangle.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/solve_tiles.hpp"

namespace terrace::cuda {

template <class Problem>
class DenseEngine : public triangular::Engine<typename Problem::Scalar, Kokkos::Cuda> {
  using Scalar = typename Problem::Scalar;
  using Offset = typename Problem::Offset;
  using Space = Kokkos::Cuda;
  using Base = triangular::Engine<Scalar, Space>;
  using Triangle = triangular::StoredTriangle<Scalar, int, Offset, Space>;

 public:
  DenseEngine(const Space& space, const Problem& problem)
      : triangle_(space, make_lines(space, problem.input, sparse::Orientation::Gather), problem.values,
                  problem.options()),
        was_asked_for_(problem.options().algorithm == Algorithm::Blocked),
        backward_(triangle_.runs_backward(problem.options().op)),
        block_rows_(Tiles::count(problem.input.count)),
        tiles_(parallel::uninitialized<Scalar>(space, "terrace::cuda::tiles", Tiles::start(block_rows_, 0))),
        unknowns_(parallel::uninitialized<Scalar>(space, "terrace::cuda::unknowns",
                                                  static_cast<std::size_t>(block_rows_) * Tiles::size + 1)) {
    fill(space);
  }

  /// True for triangles that hold at least half of what their tiles hold.
  static bool suits(const Problem& problem) {
    const auto rows = static_cast<double>(problem.input.count);
    const auto entries = static_cast<double>(problem.values.extent(0));
    const double of_triangle = problem.options().stored == Stored::Full ? 0.5 * entries : entries;
    return problem.input.count >= Tiles::size && of_triangle >= DenseTuning::least_density * 0.5 * rows * rows;
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    const auto stream = space.cuda_stream();
    for (std::size_t column = 0; column < b.columns; ++column) {
      check(cudaMemsetAsync(unknowns_.data(), 0xff, unknowns_.span() * sizeof(Scalar), stream), "cudaMemsetAsync");
      launch(space, "terrace::cuda::solve_tiles", solve_tiles_kernel<Scalar>, block_rows_, DenseTuning::threads,
             system(b, x, static_cast<std::ptrdiff_t>(column), op));
    }
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
    fill(space);
  }

  bool is_made_for_transpose() const override { return true; }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::Blocked;
    info.storage = Storage::Automatic;
    info.reason = was_asked_for_ ? "the caller asked for it" : "the triangle is dense, or nearly";
    info.tasks = block_rows_;
    info.rows_per_task = Tiles::size;
    info.kernels = 1;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + (tiles_.span() + unknowns_.span()) * sizeof(Scalar);
    info.copies_matrix = true;
  }

 private:
  void fill(const Space& space) {
    check(cudaMemsetAsync(tiles_.data(), 0, tiles_.span() * sizeof(Scalar), space.cuda_stream()), "cudaMemsetAsync");
    launch(space, "terrace::cuda::fill_tiles", fill_tiles_kernel<Scalar, Offset>,
           static_cast<std::size_t>(block_rows_) * Tiles::size, 128,
           FillTiles<Scalar, Offset>{triangle_.lines().pattern(), triangle_.values().data(), tiles_.data(), backward_,
                                     triangle_.options().diag == Diag::Unit});
    launch(space, "terrace::cuda::invert_diagonal", invert_diagonal_kernel<Scalar>, block_rows_, Tiles::size,
           tiles_.data());
  }

  TileSystem<Scalar> system(const typename Base::const_vectors& b, const typename Base::vectors& x,
                            std::ptrdiff_t column, Op op) const {
    return {tiles_.data(),
            static_cast<int>(b.rows),
            block_rows_,
            backward_,
            !triangle_.gathers(op),
            op == Op::ConjugateTranspose,
            unknowns_.data(),
            reinterpret_cast<unsigned*>(unknowns_.data() + static_cast<std::size_t>(block_rows_) * Tiles::size),
            b.data + column * b.column_stride,
            x.data + column * x.column_stride,
            b.row_stride,
            x.row_stride};
  }

  Triangle triangle_;
  bool was_asked_for_;
  bool backward_;
  int block_rows_;
  Kokkos::View<Scalar*, parallel::Device<Space>> tiles_;
  Kokkos::View<Scalar*, parallel::Device<Space>> unknowns_;  // and the counter of claims behind them
};

}  // namespace terrace::cuda
