// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of the pattern of L and U of all blocks: the structure of the stream (stream.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/schwarz/fill_stream.hpp"
#include "sparse/sort_rows.hpp"
#include "sparse/transpose.hpp"

namespace terrace::cuda::schwarz {

template <class Offset>
using BlockPattern = terrace::schwarz::BlockPattern<int, Offset, Kokkos::Cuda>;

template <class Offset>
struct BlockPlan : terrace::schwarz::BlockPlan<int, Offset, Kokkos::Cuda> {
  BlockPattern<Offset> pattern;
  Kokkos::View<const Offset*, parallel::Device<Kokkos::Cuda>> source;  // of transposes: see FillStream
  std::shared_ptr<const BlockPlan> transpose;                          // if it was asked for
  OrderedTriangle<Offset> triangles[2];
  StreamStructure stream{};
  StreamPlace all;  // of all blocks together
  StreamSlice* slices = nullptr;
  int slots_per_chunk = 0;
  int levels = 0;  // the deepest block's, of L or of U
  int warps = BlockTuning::min_warps;
  Arrays items, places, structure;

  FillStream<Offset> to_fill() const { return {{triangles[0], triangles[1]}, slices, all.slices, source.data()}; }

  std::size_t bytes_held() const {
    const std::size_t of_stream = items.bytes_held() + places.bytes_held() + structure.bytes_held();
    return of_stream + bytes_of_pattern() + (transpose ? transpose->bytes_held() : 0);
  }

  void describe(SchwarzInfo& info) const override {
    info.algorithm = SchwarzAlgorithm::Blocks;
    info.reason =
        "a thread block of " + std::to_string((warps + 1) * warp_size) + " threads for each block: the largest has " +
        std::to_string(pattern.largest_block) + " unknowns, which stay in shared memory, " +
        std::to_string(sizeof(double) * static_cast<std::size_t>(pattern.largest_block)) + " bytes in double precision";
    if (transpose) info.reason += "; the transposes have a stream of their own";
    info.levels = levels;
    info.bytes_held += bytes_held();
  }

 private:
  /// Transposes own theirs.
  std::size_t bytes_of_pattern() const {
    if (!source.data()) return 0;
    return (source.span() + pattern.row_map.span() + pattern.diagonal.span()) * sizeof(Offset) +
           pattern.entries.span() * sizeof(int);
  }
};

/// Makes a plan. The host waits for the facts of the triangles, for what the stream takes, and where rows are long for
/// their number.
template <class Offset>
class PlanMaker {
 public:
  /// `source`: of the transposes of L, with a unit diagonal, and U, in a pattern where these come last and first.
  PlanMaker(const Kokkos::Cuda& space, const BlockPattern<Offset>& pattern, int slots_per_chunk,
            const Kokkos::View<const Offset*, parallel::Device<Kokkos::Cuda>>& source = {})
      : space_(space), plan_(std::make_shared<BlockPlan<Offset>>()) {
    plan_->pattern = pattern;
    plan_->source = source;
    plan_->slots_per_chunk = slots_per_chunk;
    if (pattern.places() == 0) return;
    find_levels_of_both();
    make_items();
    order_items();
    cut_chunks();
  }

  std::shared_ptr<BlockPlan<Offset>> plan() const { return plan_; }

 private:
  using Triangle = sparse::Triangle<int, Offset, Kokkos::Cuda>;

  int places() const { return plan_->pattern.places(); }
  std::size_t count(int triangle) const { return static_cast<std::size_t>(triangle_(triangle).of.count()); }
  OrderedTriangle<Offset>& triangle_(int number) const { return plan_->triangles[number]; }
  Kokkos::RangePolicy<Kokkos::Cuda> each(int count) const {
    return Kokkos::RangePolicy<Kokkos::Cuda>(space_, 0, count);
  }

  Triangle strict_triangle(bool upper) const {
    Triangle triangle;
    triangle.count = places();
    triangle.row_map = plan_->pattern.row_map;
    triangle.entries = plan_->pattern.entries;
    triangle.diagonal = plan_->pattern.diagonal;
    triangle.behind_diagonal = upper;
    return triangle;
  }

  void find_levels_of_both() {
    const auto rows = static_cast<std::size_t>(places());
    scratch_.emplace(space_, "terrace::cuda::schwarz::levels",
                     2 * (Arrays::bytes<int>(rows) + TaskScratch::bytes(places())) + Arrays::bytes<TriangleFacts>(1));
    FindFacts<Offset> find{};
    for (const int t : {0, 1}) {
      level_[t] = scratch_->take<int>(rows);
      find.pattern[t] = strict_triangle(t == 1).view();
      find.level[t] = level_[t];
      find_levels(space_, strict_triangle(t == 1), t == 1, *scratch_, level_[t]);
    }
    find.facts = scratch_->take<TriangleFacts>(1);
    check(cudaMemsetAsync(find.facts, 0, sizeof(TriangleFacts), space_.cuda_stream()), "cudaMemsetAsync");
    constexpr std::size_t threads = 256, max_blocks = 512;
    launch(space_, "terrace::cuda::schwarz::find_facts", find_facts_kernel<Offset>,
           std::min(blocks_of(rows, threads), max_blocks), threads, find);
    facts_ = read_numbers<1>(space_, find.facts)[0];
    plan_->levels = 1 + std::max(facts_.deepest[0], facts_.deepest[1]);
  }

  void make_items() {
    const auto rows = static_cast<std::size_t>(places());
    std::size_t bytes = Arrays::bytes<Cell>(rows);
    for (const int t : {0, 1}) {
      if (facts_.pieces[t] > max_numbered - places())
        throw Error(ErrorCode::OutOfMemory, "the blocks have " + std::to_string(rows) +
                                                " rows, the longest of them in " + std::to_string(facts_.pieces[t]) +
                                                " pieces; this engine counts up to " + std::to_string(max_numbered) +
                                                " of both together");
      const auto pieces = static_cast<std::size_t>(facts_.pieces[t]);
      bytes += Arrays::bytes<int>(rows + pieces) + Arrays::bytes<RowPiece>(pieces);
    }
    plan_->items = Arrays(space_, "terrace::cuda::schwarz::items", bytes);
    cells_ = plan_->items.template take<Cell>(rows);
    for (const int t : {0, 1}) {
      auto* pieces = plan_->items.template take<RowPiece>(static_cast<std::size_t>(facts_.pieces[t]));
      triangle_(t).of = {strict_triangle(t == 1).view(), pieces, facts_.pieces[t]};
      triangle_(t).has_diagonal = t == 1 || !plan_->pattern.unit_lower;
      triangle_(t).is_unit = t == 1 && plan_->source.data();
      items_[t] = plan_->items.template take<int>(count(t));
      triangle_(t).items = items_[t];
      if (facts_.pieces[t] > 0)
        Kokkos::parallel_scan("terrace::cuda::schwarz::list_pieces", each(places()),
                              ListPieces<Offset>{triangle_(t).of.pattern, pieces});
    }
  }

  void order_items() {
    const auto& pattern = plan_->pattern;
    const int most = std::max(triangle_(0).of.count(), triangle_(1).of.count());
    scratch_of_order_.emplace(space_, "terrace::cuda::schwarz::order",
                              ItemSort::bytes(most) + Arrays::bytes<unsigned>(count(0)) +
                                  Arrays::bytes<unsigned>(count(1)) +
                                  Arrays::bytes<int>(static_cast<std::size_t>(places())));
    ItemSort sort(space_, *scratch_of_order_, most);
    auto* by_cell = scratch_of_order_->take<int>(static_cast<std::size_t>(places()));
    for (const int t : {0, 1}) {
      auto* tags = scratch_of_order_->take<unsigned>(count(t));
      triangle_(t).tags = tags;
      const TagItems<Offset> tag{triangle_(t).of, level_[t], facts_.max_pieces[t]};
      const unsigned steps = static_cast<unsigned>(facts_.deepest[t] + 1) * static_cast<unsigned>(facts_.max_pieces[t]);
      const int* sorted = sort.sort(tag, pattern.block_of(), steps, by_cell, t == 0 ? 0 : places());
      Kokkos::parallel_for("terrace::cuda::schwarz::keep_order", each(triangle_(t).of.count()),
                           KeepOrder<Offset>{tag, sorted, items_[t], tags});
      if (t == 0)
        Kokkos::parallel_scan("terrace::cuda::schwarz::number_cells", each(triangle_(0).of.count()),
                              NumberCells{items_[0], places(), pattern.block_of(), cells_, by_cell});
    }
  }

  void cut_chunks() {
    const auto triangles = 2 * static_cast<std::size_t>(plan_->pattern.blocks());
    plan_->places = Arrays(space_, "terrace::cuda::schwarz::places", Arrays::bytes<StreamPlace>(triangles + 1));
    auto* places = plan_->places.template take<StreamPlace>(triangles + 1);
    CutChunks<Offset> cut{{triangle_(0), triangle_(1)},
                          plan_->pattern.block_map.data(),
                          plan_->pattern.blocks(),
                          plan_->slots_per_chunk,
                          cells_,
                          places};
    const auto launch_cut = [&](const char* label, auto kernel) {
      constexpr int threads = 128;
      launch(space_, label, kernel, blocks_of(triangles, threads / warp_size), threads, cut);
    };
    launch_cut("terrace::cuda::schwarz::count_chunks", cut_chunks_kernel<Offset, false>);
    const auto count = static_cast<int>(triangles);
    Kokkos::parallel_scan("terrace::cuda::schwarz::place_triangles", each(count + 1), PlaceTriangles{places, count});
    plan_->all = read_numbers<1>(space_, places + triangles)[0];
    make_structure(cut);
    launch_cut("terrace::cuda::schwarz::cut_chunks", cut_chunks_kernel<Offset, true>);
    for (auto& triangle : plan_->triangles) triangle.tags = nullptr;
    launch_for_slices(space_, "terrace::cuda::schwarz::fill_columns", fill_columns_kernel<Offset>,
                      FillColumns<Offset>{plan_->to_fill(), plan_->pattern.block_of(), cells_, columns_});
  }

  void make_structure(CutChunks<Offset>& cut) {
    const StreamPlace& all = plan_->all;
    const auto slots = static_cast<std::size_t>(all.slots), slices = static_cast<std::size_t>(all.slices),
               chunks = static_cast<std::size_t>(all.chunks), heads = static_cast<std::size_t>(all.heads);
    plan_->structure = Arrays(space_, "terrace::cuda::schwarz::structure",
                              Arrays::bytes<Cell>(slots) + Arrays::bytes<StreamSlice>(slices) +
                                  Arrays::bytes<ChunkSize>(chunks) + Arrays::bytes<uint4>(heads));
    columns_ = plan_->structure.template take<Cell>(slots);
    cut.slices = plan_->slices = plan_->structure.template take<StreamSlice>(slices);
    cut.chunks = plan_->structure.template take<ChunkSize>(chunks);
    cut.heads = plan_->structure.template take<uint4>(heads);
    plan_->stream = {plan_->pattern.block_map.data(), cut.places, cut.chunks, cut.heads, columns_, cells_};
    plan_->warps = BlockTuning::warps(static_cast<double>(all.crowd) / static_cast<double>(all.slices));
  }

  Kokkos::Cuda space_;
  std::shared_ptr<BlockPlan<Offset>> plan_;
  std::optional<JoinedScratch> scratch_, scratch_of_order_;
  int* level_[2];
  TriangleFacts facts_{};
  Cell* cells_ = nullptr;
  int* items_[2];
  Cell* columns_ = nullptr;
};

/// The plan of L and U, and if asked for that of U^T and L^T, which is one of a lower and an upper triangle as well.
template <class Offset>
std::shared_ptr<const BlockPlan<Offset>> make_plan(const Kokkos::Cuda& space, const BlockPattern<Offset>& pattern,
                                                   int slots_per_chunk, bool prepare_transpose) {
  const auto plan = PlanMaker<Offset>(space, pattern, slots_per_chunk).plan();
  if (!prepare_transpose || pattern.places() == 0) return plan;
  const sparse::GraphView<int, Offset> from{pattern.places(), pattern.row_map.data(), pattern.entries.data()};
  const auto transposed = sparse::build_rows<int, Offset>(
      space, "terrace::cuda::schwarz::transpose", from.rows, from.rows,
      sparse::VisitTransposed<sparse::GraphView<int, Offset>, int, Offset>{from}, sparse::Sources::Keep);
  sparse::sort_rows(space, transposed);
  const auto rows = terrace::incomplete::merged_rows(space, transposed);
  plan->transpose = PlanMaker<Offset>(space,
                                      {pattern.block_map, rows.row_map, rows.entries, rows.diagonal,
                                       pattern.largest_block, /*unit_lower=*/false},
                                      slots_per_chunk, rows.source)
                        .plan();
  return plan;
}

}  // namespace terrace::cuda::schwarz
