// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solves with the blocks of a Schwarz method on an NVIDIA GPU: a thread block for each, if its unknowns fit into
// shared memory.
#pragma once

#include <string>

#include "algorithms/schwarz/block_engine.hpp"
#include "backends/cuda/schwarz/find_pivots.hpp"
#include "backends/cuda/schwarz/solve_transposed.hpp"

namespace terrace::cuda::schwarz {

/// What a launch of solve_blocks may be given; 0: chosen.
struct WalkOptions {
  int warps = 0, buffers = 0, columns = 0;
};

/// Calls body(std::integral_constant<int, columns>()) for one column, two, or four, if there may be so many.
template <int Most, class Body>
auto with_columns(int columns, const Body& body) {
  if constexpr (Most > 2)
    if (columns > 2) return body(std::integral_constant<int, 4>());
  if (columns > 1) return body(std::integral_constant<int, 2>());
  return body(std::integral_constant<int, 1>());
}

template <class Scalar, class Factor, class Offset>
class BlockEngine : public terrace::schwarz::BlockEngine<Scalar, int, Offset, Kokkos::Cuda> {
  using Base = terrace::schwarz::BlockEngine<Scalar, int, Offset, Kokkos::Cuda>;
  using Transfer = terrace::schwarz::Transfer<Scalar, int>;
  using Plan = std::shared_ptr<const BlockPlan<Offset>>;

 public:
  BlockEngine(const Kokkos::Cuda& space, const Plan& plan, const WalkOptions& options = {})
      : plan_(plan),
        options_(options),
        warps_(options.warps > 0 ? options.warps : plan->warps),
        memory_(space, "terrace::cuda::schwarz::values",
                Arrays::bytes<Factor>(static_cast<std::size_t>(plan->all.slots))),
        stream_(memory_.take<Factor>(static_cast<std::size_t>(plan->all.slots))) {
    if (is_empty()) return;
    for (int columns = 1; columns <= max_columns; columns *= 2) {
      const int buffers = with_columns<max_columns>(columns, [&](auto count) { return buffers_for<count>(); });
      if (buffers == 0) break;
      buffers_[log2(columns)] = buffers;
      resident_[log2(columns)] =
          with_columns<max_columns>(columns, [&](auto count) { return resident<count>(buffers); });
    }
  }

  void update_values(const Kokkos::Cuda& space, const typename Base::values_type& values) override {
    launch_for_slices(space, "terrace::cuda::schwarz::fill_values", fill_values_kernel<Scalar, Factor, Offset>,
                      FillValues<Scalar, Factor, Offset>{plan_->to_fill(), values.data(), stream_});
  }

  void apply(const Kokkos::Cuda& space, const typename Base::const_vectors& R, const typename Base::vectors& Z, Op op,
             const Transfer& transfer) override {
    if (op == Op::None) return apply_as_stored(space, R, Z, /*conjugate=*/false, transfer);
    // L L^T and L L^H are their own transposes but for conjugation, and asked for another operation if that is left.
    if (!plan_->pattern.unit_lower) return apply_as_stored(space, R, Z, /*conjugate=*/true, transfer);
    if (!is_empty()) apply_transposed(space, R, Z, op, transfer);
  }

  /// With the triangles of the plan, or their conjugates.
  void apply_as_stored(const Kokkos::Cuda& space, const typename Base::const_vectors& R,
                       const typename Base::vectors& Z, bool conjugate, const Transfer& transfer) const {
    if (is_empty()) return;
    const int columns = columns_at_once(R.columns);
    with_columns<max_columns>(columns, [&](auto count) { solve<count>(space, R, Z, conjugate, transfer); });
  }

  std::size_t bytes_held() const override { return memory_.bytes_held() + memory_of_norms_.bytes_held(); }

  bool finds_pivots(const Kokkos::Cuda& space) const override {
    if constexpr (std::is_same_v<Scalar, Factor>) return !is_empty() && can_find_pivots(space, *plan_);
    else return false;
  }

  /// The first call, which is not recorded in a graph, makes memory for norms where pivots are replaced.
  void find_pivots(const Kokkos::Cuda& space, const typename Base::Elimination& elimination, Scalar* pivots) override {
    if constexpr (std::is_same_v<Scalar, Factor>) {
      using Real = terrace::incomplete::RealOf<Scalar>;
      const auto places = static_cast<std::size_t>(plan_->pattern.places());
      if (elimination.pivots.replace && !norms_) {
        memory_of_norms_ = Arrays(space, "terrace::cuda::schwarz::norms", Arrays::bytes<Real>(places));
        norms_ = memory_of_norms_.template take<Real>(places);
      }
      if (pivot_threads_ == 0) pivot_threads_ = threads_for_pivots();
      terrace::incomplete::forget_pivots(space, elimination.pivots.first, elimination.pattern.rows);
      launch_with_memory(
          space, "terrace::cuda::schwarz::find_pivots", find_pivots_kernel<Scalar, Offset>,
          static_cast<std::size_t>(plan_->pattern.blocks()), pivot_threads_, bytes_for_pivots(),
          FindPivots<Scalar, Offset>{elimination, plan_->stream, plan_->to_fill(), stream_, norms_, pivots});
    }
  }

  void update_by_pivots(const Kokkos::Cuda& space, const typename Base::PivotNumbers& numbers) override {
    if constexpr (std::is_same_v<Scalar, Factor>)
      launch_for_slices(space, "terrace::cuda::schwarz::fill_by_pivots", fill_by_pivots_kernel<Scalar, Offset>,
                        FillByPivots<Scalar, Offset>{plan_->to_fill(), numbers, stream_});
  }

  std::span<char> overwritten_memory() const override {
    return {reinterpret_cast<char*>(stream_), static_cast<std::size_t>(plan_->all.slots) * sizeof(Factor)};
  }

  /// For measurements.
  int warps() const { return warps_; }
  int buffers(int columns) const { return buffers_[log2(columns)]; }
  template <int Columns>
  int blocks_of_multiprocessor() const {
    return resident<Columns>(buffers(Columns)) / attribute_of_device(cudaDevAttrMultiProcessorCount);
  }

  /// Whether a block of so many places can be solved here.
  static bool fits(int largest_block) {
    const SharedShape fewest{BlockTuning::min_buffers, BlockTuning::slots_per_chunk, sizeof(Factor)};
    return largest_block <= max_places_of_block &&
           bytes_to_solve<Scalar, 1>(fewest, largest_block) <= static_cast<std::size_t>(shared_memory_of_block());
  }

 private:
  static constexpr int max_columns = BlockTuning::max_columns(sizeof(Scalar));

  bool is_empty() const { return plan_->all.chunks == 0; }
  int threads() const { return (warps_ + 1) * warp_size; }
  SharedShape shape(int buffers) const { return {buffers, plan_->slots_per_chunk, sizeof(Factor)}; }

  template <int Columns>
  std::size_t bytes(int buffers) const {
    return bytes_to_solve<Scalar, Columns>(shape(buffers), plan_->pattern.largest_block);
  }

  std::size_t bytes_for_pivots() const {
    return (static_cast<std::size_t>(plan_->pattern.largest_block) + 1) * sizeof(Scalar);
  }
  int threads_for_pivots() const {
    const auto resident = [&](int threads) {
      return std::min(resident_blocks(find_pivots_kernel<Scalar, Offset>, threads, bytes_for_pivots()),
                      plan_->pattern.blocks());
    };
    int threads = PivotTuning::max_threads;
    while (threads > PivotTuning::min_threads && resident(threads) < resident(PivotTuning::min_threads)) threads /= 2;
    return threads;
  }

  /// Thread blocks that the device holds at once.
  template <int Columns>
  int resident(int buffers) const {
    if (bytes<Columns>(buffers) > static_cast<std::size_t>(shared_memory_of_block())) return 0;
    return resident_blocks(solve_blocks_kernel<Scalar, Factor, Columns>, threads(), bytes<Columns>(buffers));
  }

  /// As many as leave capacity for as many thread blocks as the fewest would, or as there are; 0: it does not fit.
  template <int Columns>
  int buffers_for() const {
    int buffers = BlockTuning::min_buffers;
    if (resident<Columns>(buffers) == 0) return 0;
    if (options_.buffers > 0) return resident<Columns>(options_.buffers) > 0 ? options_.buffers : 0;
    const int wanted = std::min(resident<Columns>(buffers), plan_->pattern.blocks());
    while (buffers < BlockTuning::max_buffers && resident<Columns>(buffers + 1) >= wanted) ++buffers;
    return buffers;
  }

  /// As many side by side as let a multiprocessor work on most columns at the same time: more of them in a thread block
  /// leave capacity for fewer thread blocks.
  int columns_at_once(std::size_t columns) const {
    const int wanted = options_.columns > 0 ? std::min(options_.columns, max_columns) : max_columns;
    const int most = static_cast<int>(std::min(static_cast<std::size_t>(wanted), std::bit_ceil(columns)));
    int best = 1;
    for (int count = 2; count <= most; count *= 2)
      if (buffers(count) > 0 && count * resident_[log2(count)] > best * resident_[log2(best)]) best = count;
    return best;
  }
  static int log2(int count) { return std::countr_zero(static_cast<unsigned>(count)); }

  /// Calls body(first, count) for groups of columns such that a grid can have a thread block for each group and block.
  template <class Body>
  void for_grids(std::size_t groups, const Body& body) const {
    const std::size_t most =
        std::max<std::size_t>(1, GridLimits::x / static_cast<std::size_t>(plan_->pattern.blocks()));
    for (std::size_t first = 0; first < groups; first += most) body(first, std::min(most, groups - first));
  }

  template <int Columns>
  void solve(const Kokkos::Cuda& space, const typename Base::const_vectors& R, const typename Base::vectors& Z,
             bool conjugate, const Transfer& transfer) const {
    const int buffers = this->buffers(Columns);
    for_grids(parallel::divide_up<std::size_t>(R.columns, Columns), [&](std::size_t first, std::size_t groups) {
      const auto first_column = static_cast<std::ptrdiff_t>(first * Columns);
      launch_with_memory(space, "terrace::cuda::schwarz::solve_blocks", solve_blocks_kernel<Scalar, Factor, Columns>,
                         static_cast<std::size_t>(plan_->pattern.blocks()) * groups, threads(), bytes<Columns>(buffers),
                         BlockSolve<Scalar, Factor>{plan_->stream, stream_, R, Z, transfer, first_column,
                                                    static_cast<unsigned>(groups), shape(buffers), conjugate});
    });
  }

  void apply_transposed(const Kokkos::Cuda& space, const typename Base::const_vectors& R,
                        const typename Base::vectors& Z, Op op, const Transfer& transfer) const {
    const auto& pattern = plan_->pattern;
    const std::size_t bytes = static_cast<std::size_t>(pattern.largest_block) * sizeof(Scalar);
    for_grids(R.columns, [&](std::size_t first, std::size_t columns) {
      launch_with_memory(
          space, "terrace::cuda::schwarz::solve_transposed", solve_transposed_kernel<Scalar, Factor>,
          static_cast<std::size_t>(pattern.blocks()) * columns, warp_size, bytes,
          TransposedSolve<Scalar, Factor>{plan_->stream, stream_, op == Op::ConjugateTranspose, R, Z, transfer,
                                          static_cast<std::ptrdiff_t>(first), static_cast<unsigned>(columns)});
    });
  }

  Plan plan_;
  WalkOptions options_;
  int warps_;
  int buffers_[3] = {0, 0, 0};   // for one, two, four columns
  int resident_[3] = {0, 0, 0};  // thread blocks that the device holds at once with them
  Arrays memory_;
  Factor* stream_;
  int pivot_threads_ = 0;
  Arrays memory_of_norms_;
  terrace::incomplete::RealOf<Scalar>* norms_ = nullptr;  // of rows of A, where pivots are replaced
};

/// A stream of L and U, and one of their transposes: each is applied as it is stored.
template <class Scalar, class Factor, class Offset>
class PairedBlockEngine : public terrace::schwarz::BlockEngine<Scalar, int, Offset, Kokkos::Cuda> {
  using Base = terrace::schwarz::BlockEngine<Scalar, int, Offset, Kokkos::Cuda>;
  using Engine = BlockEngine<Scalar, Factor, Offset>;

 public:
  PairedBlockEngine(const Kokkos::Cuda& space, const std::shared_ptr<const BlockPlan<Offset>>& plan)
      : direct_(space, plan), transpose_(space, plan->transpose) {}

  void update_values(const Kokkos::Cuda& space, const typename Base::values_type& values) override {
    direct_.update_values(space, values);
    transpose_.update_values(space, values);
  }

  void apply(const Kokkos::Cuda& space, const typename Base::const_vectors& R, const typename Base::vectors& Z, Op op,
             const terrace::schwarz::Transfer<Scalar, int>& transfer) override {
    const Engine& engine = op == Op::None ? direct_ : transpose_;
    engine.apply_as_stored(space, R, Z, op == Op::ConjugateTranspose, transfer);
  }

  std::size_t bytes_held() const override { return direct_.bytes_held() + transpose_.bytes_held(); }

  bool finds_pivots(const Kokkos::Cuda& space) const override { return direct_.finds_pivots(space); }
  void find_pivots(const Kokkos::Cuda& space, const typename Base::Elimination& elimination, Scalar* pivots) override {
    direct_.find_pivots(space, elimination, pivots);
  }
  void update_by_pivots(const Kokkos::Cuda& space, const typename Base::PivotNumbers& numbers) override {
    direct_.update_by_pivots(space, numbers);
    transpose_.update_by_pivots(space, numbers);
  }

  std::span<char> overwritten_memory() const override { return direct_.overwritten_memory(); }

 private:
  Engine direct_, transpose_;
};

}  // namespace terrace::cuda::schwarz

namespace terrace::schwarz {

/// Whether a thread block can hold the unknowns of the largest block.
template <class Scalar>
bool block_plan_fits(int largest_block) {
  return cuda::schwarz::BlockEngine<Scalar, Scalar, int>::fits(largest_block);
}

template <class Scalar, class Offset>
BlockChoice choose_block_algorithm(const Kokkos::Cuda&, const BlockPattern<int, Offset, Kokkos::Cuda>& pattern,
                                   SchwarzAlgorithm asked) {
  if (asked != SchwarzAlgorithm::Automatic) return {asked, "the caller asked for it"};
  using Tuning = cuda::schwarz::BlockTuning;
  const std::string largest = "the largest block has " + std::to_string(pattern.largest_block) + " rows";
  if (!block_plan_fits<Scalar>(pattern.largest_block))
    return {SchwarzAlgorithm::Solvers, largest + ", more than the shared memory of a multiprocessor holds"};
  if (pattern.blocks() < Tuning::fewest_blocks && pattern.largest_block > Tuning::rows_of_few_blocks)
    return {SchwarzAlgorithm::Solvers,
            largest + ", and " + std::to_string(pattern.blocks()) + " blocks keep few multiprocessors busy"};
  const std::size_t entries = pattern.entries.extent(0);
  const auto per = [entries](int count) { return entries / std::max<std::size_t>(1, static_cast<std::size_t>(count)); };
  if (pattern.blocks() < Tuning::fewest_blocks && per(pattern.blocks()) > Tuning::entries_of_few_blocks)
    return {SchwarzAlgorithm::Solvers, "a block has " + std::to_string(per(pattern.blocks())) +
                                           " entries on average, and " + std::to_string(pattern.blocks()) +
                                           " blocks keep few multiprocessors busy"};
  if (pattern.largest_block > Tuning::rows_of_dense_block && per(pattern.places()) > Tuning::dense_row)
    return {SchwarzAlgorithm::Solvers,
            "a row has " + std::to_string(per(pattern.places())) + " entries on average, which tiles take together"};
  return {SchwarzAlgorithm::Blocks, largest + ", whose unknowns fit in shared memory"};
}

/// Waits for the space, but not for all of the plan's arrays.
template <class Scalar, class Offset>
BlockPlanPointer<int, Offset, Kokkos::Cuda> make_block_plan(const Kokkos::Cuda& space,
                                                            const BlockPattern<int, Offset, Kokkos::Cuda>& pattern,
                                                            std::string reason, bool prepare_transpose) {
  if (!block_plan_fits<Scalar>(pattern.largest_block))
    return std::make_shared<GenericBlockPlan<int, Offset, Kokkos::Cuda>>(
        space, pattern, reason + "; too large for shared memory, it is solved by a team in device memory");
  return cuda::schwarz::make_plan(space, pattern, cuda::schwarz::BlockTuning::slots_per_chunk, prepare_transpose);
}

template <class Scalar, class Offset>
BlockEnginePointer<Scalar, int, Offset, Kokkos::Cuda> make_block_engine(
    const Kokkos::Cuda& space, const BlockPlanPointer<int, Offset, Kokkos::Cuda>& plan, FactorPrecision precision,
    const parallel::Columns<Scalar, Kokkos::Cuda>& solved) {
  if (plan->is_generic())
    return make_generic_block_engine<Scalar, int, Offset, Kokkos::Cuda>(space, plan, precision, solved);
  const auto own = std::static_pointer_cast<const cuda::schwarz::BlockPlan<Offset>>(plan);
  const auto make = [&]<class Factor>(Factor) -> BlockEnginePointer<Scalar, int, Offset, Kokkos::Cuda> {
    if (own->transpose) return std::make_unique<cuda::schwarz::PairedBlockEngine<Scalar, Factor, Offset>>(space, own);
    return std::make_unique<cuda::schwarz::BlockEngine<Scalar, Factor, Offset>>(space, own);
  };
  if (precision == FactorPrecision::Single) return make(parallel::SingleOf<Scalar>());
  return make(Scalar());
}

}  // namespace terrace::schwarz
