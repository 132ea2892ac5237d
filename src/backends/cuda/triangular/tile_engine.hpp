// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Algorithm::Blocked on an NVIDIA GPU: dense tiles, for triangles that are dense, nearly or locally.
#pragma once

#include "algorithms/triangular/stored_triangle.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/solve_tiles.hpp"

namespace terrace::cuda::triangular {

template <class Problem>
class TileEngine : public terrace::triangular::Engine<typename Problem::Scalar, Kokkos::Cuda> {
  using Scalar = typename Problem::Scalar;
  using Offset = typename Problem::Offset;
  using Space = Kokkos::Cuda;
  using Base = terrace::triangular::Engine<Scalar, Space>;
  using Structure = sparse::Triangle<int, Offset, Space>;
  using Triangle = terrace::triangular::StoredTriangle<Scalar, int, Offset, Space>;

 public:
  /// Of gathering rows.
  TileEngine(const Space& space, const Problem& problem, const Structure& structure, TriangleLayout layout)
      : layout_(std::move(layout)),
        triangle_(space, structure, problem.values, problem.options()),
        memory_(space, "terrace::cuda::tiles",
                Arrays::bytes<Scalar>(numbers()) + Arrays::bytes<Scalar>(unknowns() + 1)),
        tiles_(memory_.take<Scalar>(numbers())),
        unknowns_(memory_.take<Scalar>(unknowns() + 1)),
        resident_(resident_blocks(solve_tiles_kernel<Scalar>, TileTuning::threads)) {
    fill(space);
  }

  /// The layout for triangles that suit this engine, and for all when they are asked to. Waits for the space.
  static std::optional<TriangleLayout> layout_of(const Space& space, const Problem& problem,
                                                 const Structure& structure) {
    const auto& options = problem.options();
    const auto rows = static_cast<double>(problem.input.count);
    const auto entries = static_cast<double>(problem.values.extent(0));
    const double of_triangle = options.stored == Stored::Full ? 0.5 * entries : entries;
    FindTriangleTiles<Offset> tiles(space, structure, of_triangle, sparse::runs_backward(options.uplo, options.op),
                                    sizeof(Scalar));
    if (options.algorithm == Algorithm::Blocked) return tiles.equal_blocks("the caller asked for it");
    if (problem.input.count >= Tiles::size && of_triangle >= TileTuning::least_density * 0.5 * rows * rows)
      return tiles.equal_blocks("the triangle is dense, or nearly");
    if (options.right_hand_sides > TileTuning::most_right_hand_sides) return {};
    return tiles.where_they_pay();
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    const auto stream = space.cuda_stream();
    const int blocks = std::min(layout_.layout.blocks, resident_);
    for (std::size_t column = 0; column < b.columns; ++column) {
      check(cudaMemsetAsync(unknowns_, 0xff, (unknowns() + 1) * sizeof(Scalar), stream), "cudaMemsetAsync");
      launch(space, "terrace::cuda::solve_tiles", solve_tiles_kernel<Scalar>, blocks, TileTuning::threads,
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
    info.reason = layout_.reason;
    info.tasks = layout_.layout.blocks;
    info.task_levels = layout_.levels;
    info.rows_per_task = Tiles::size;
    info.kernels = 1;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + memory_.bytes_held() + layout_.bytes_held();
    info.copies_matrix = true;
  }

 private:
  std::size_t unknowns() const { return static_cast<std::size_t>(layout_.layout.blocks) * Tiles::size; }
  std::size_t numbers() const { return static_cast<std::size_t>(layout_.layout.tiles) * Tiles::numbers; }

  void fill(const Space& space) {
    const auto& layout = layout_.layout;
    check(cudaMemsetAsync(tiles_, 0, numbers() * sizeof(Scalar), space.cuda_stream()), "cudaMemsetAsync");
    launch(space, "terrace::cuda::fill_tiles", fill_tiles_kernel<Scalar, Offset>, unknowns(), 128,
           FillTiles<Scalar, Offset>{triangle_.structure().view(), triangle_.values().data(), layout, tiles_,
                                     triangle_.options().diag == Diag::Unit});
    launch(space, "terrace::cuda::invert_diagonal", invert_diagonal_kernel<Scalar>, layout.blocks, Tiles::size,
           layout.diagonal, tiles_);
  }

  TileSystem<Scalar> system(const typename Base::const_vectors& b, const typename Base::vectors& x,
                            std::ptrdiff_t column, Op op) const {
    return {tiles_,
            layout_.layout,
            !triangle_.gathers(op),
            op == Op::ConjugateTranspose,
            unknowns_,
            reinterpret_cast<unsigned*>(unknowns_ + unknowns()),
            b.data + column * b.column_stride,
            x.data + column * x.column_stride,
            b.row_stride,
            x.row_stride};
  }

  TriangleLayout layout_;
  Triangle triangle_;
  Arrays memory_;
  Scalar* tiles_;
  Scalar* unknowns_;  // and the counter of claims behind them
  int resident_;
};

}  // namespace terrace::cuda::triangular
