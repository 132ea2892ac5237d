// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pivots of all blocks where elimination changes only the diagonal (incomplete/row_changes.hpp), and from them L
// and U in the stream, which is their only copy:
//
//     l_ik = a_ik / u_kk,    u_ij = a_ij,    u_ii = a_ii - sum_k l_ik a_ki.
//
// A thread block finds the pivots of a block along the slices of L. First it gathers A: a_ik to the slot of l_ik, a_ki,
// unless it is the mirror image, as far behind where U begins, and the diagonal to the cells in shared memory. Then it
// goes from step to step as applications do (solve_blocks.hpp): a lane has a row, and the cells of finished rows hold
// pivots. The sums are those of incomplete/elimination.hpp, in the same order.
//
// Cost: one read of A with the map from M to A, and a search in row k of U for each entry of L; and another read for
// the stream.
#pragma once

#include "algorithms/incomplete/row_changes.hpp"
#include "backends/cuda/schwarz/plan.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::schwarz {

template <class Scalar, class Offset>
struct FindPivots {
  terrace::incomplete::Elimination<Scalar, int, Offset, Kokkos::Cuda> elimination;
  StreamStructure stream;
  FillStream<Offset> fill;
  Scalar* values;                              // of the stream
  terrace::incomplete::RealOf<Scalar>* norms;  // of rows of A, by place; null unless pivots are replaced
  Scalar* pivots;                              // by place
};

template <class Scalar, class Offset>
class PivotWalk {
  static constexpr int at_once = 4;  // entries of a row that are on their way together, or before a step begins

 public:
  __device__ PivotWalk(const FindPivots<Scalar, Offset>& find, int block, Scalar* cells)
      : find_(find),
        places_(find.stream.places + 2 * static_cast<std::size_t>(block)),
        begin_(find.stream.block_map[block]),
        count_(find.stream.block_map[block + 1] - begin_),
        upper_(find.values + (places_[1].slots - places_[0].slots)),
        cells_(cells),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        warp_(static_cast<int>(threadIdx.x) / warp_size),
        warps_(static_cast<int>(blockDim.x) / warp_size) {}

  /// What fills slices up divides zero by the number behind the last cell.
  __device__ void gather() const {
    if (threadIdx.x == 0) cells_[count_] = Scalar(1);
    for (std::int64_t slice = places_[0].slices + warp_; slice < places_[1].slices; slice += warps_)
      gather_slice(find_.fill.slices[slice]);
  }

  __device__ void walk() {
    std::int64_t slots = places_[0].slots, slice = places_[0].slices;
    const uint4* heads = find_.stream.heads + places_[0].heads;
    for (std::int64_t chunk = places_[0].chunks; chunk < places_[1].chunks; ++chunk) {
      const ChunkSize size = find_.stream.chunks[chunk];
      const ChunkHead head = *reinterpret_cast<const ChunkHead*>(heads);
      const auto* slices = reinterpret_cast<const SliceHead*>(heads + 1);
      for (int s = 0; s < head.slices; ++s)
        take(slices[s], slots, slice + s, head.meets >> s & 1u, head.single >> s & 1u);
      heads += size.heads();
      slots += size.slots;
      slice += head.slices;
    }
  }

  __device__ void write() const {
    for (int place = static_cast<int>(threadIdx.x); place < count_; place += static_cast<int>(blockDim.x))
      find_.pivots[begin_ + place] = cells_[find_.stream.cells[begin_ + place]];
  }

 private:
  __device__ int row_of(const StreamSlice& slice) const { return find_.fill.triangles[0].items[slice.first + lane_]; }

  /// A lane for each row.
  __device__ void gather_slice(const StreamSlice& slice) const {
    const SliceShape shape = slice.shape();
    if (lane_ >= shape.width()) return;
    const auto& elimination = find_.elimination;
    const auto& pattern = elimination.pattern;
    const int row = row_of(slice);
    const Offset begin = pattern.row_map[row], diagonal = pattern.diagonal[row];
    for (int first = 0; first < shape.depth(); first += at_once) {
      Scalar lower[at_once], upper[at_once];
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        const Offset p = begin + static_cast<Offset>(first + w);
        lower[w] = p < diagonal ? elimination.stored(row, p) : Scalar(0);
        upper[w] = p < diagonal && !elimination.symmetric ? mirror(row, p) : Scalar(0);
      }
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        if (first + w >= shape.depth()) continue;
        const std::int64_t slot = slice.start + (first + w) * shape.width() + lane_;
        find_.values[slot] = lower[w];
        if (!elimination.symmetric) upper_[slot] = upper[w];
      }
    }
    cells_[find_.stream.cells[row]] = elimination.stored(row, diagonal) * elimination.diagonal_factor;
    if (!find_.norms) return;
    terrace::incomplete::RealOf<Scalar> norm(0);
    for (Offset p = begin; p < pattern.row_map[row + 1]; ++p)
      norm += terrace::incomplete::magnitude(elimination.stored(row, p));
    find_.norms[row] = norm;
  }

  /// a_ki of an entry a_ik.
  __device__ Scalar mirror(int row, Offset p) const {
    const auto& elimination = find_.elimination;
    const auto& pattern = elimination.pattern;
    const int k = pattern.entries[p];
    const Offset last = pattern.row_map[k + 1];
    const Offset found = sparse::find_column(pattern.entries, pattern.diagonal[k] + 1, last, row);
    return found == last ? Scalar(0) : elimination.stored(k, found);
  }

  /// Entries of this lane's row that do not depend on a pivot.
  struct Entries {
    Cell column[at_once];
    Scalar lower[at_once], upper[at_once];
  };

  __device__ Entries load(const SliceShape& shape, std::int64_t start, int first) const {
    Entries entries;
    for_slots_of_lane<at_once>(shape, start, lane_, first, [&](int w, std::int64_t slot, bool is_slot) {
      entries.column[w] = is_slot ? find_.stream.columns[slot] : static_cast<Cell>(count_);
      entries.lower[w] = is_slot ? find_.values[slot] : Scalar(0);
      entries.upper[w] = is_slot && !find_.elimination.symmetric ? upper_[slot] : Scalar(0);
    });
    return entries;
  }

  /// Slices of one step go to the warps in turn; those that each are a step are one warp's (solve_blocks.hpp).
  __device__ void take(const SliceHead head, std::int64_t chunk, std::int64_t number, bool meets, bool is_step) {
    if (meets) turn_ = 0;
    const bool is_mine = is_step ? warp_ == 0 : warp_ == turn_;
    if (++turn_ == warps_) turn_ = 0;
    const std::int64_t start = chunk + head.start();
    Entries entries{};
    if (is_mine) entries = load(head.shape(), start, 0);
    if (meets) __syncthreads();
    if (!is_mine) return;
    solve(head, start, number, entries);
    __syncwarp();
  }

  __device__ void solve(const SliceHead& head, std::int64_t start, std::int64_t number, Entries entries) const {
    const SliceShape shape = head.shape();
    const bool is_row = lane_ < shape.width();
    int cell = is_row ? head.first() + lane_ : count_;
    if (is_row && shape.has_diagonal()) cell = find_.stream.columns[start + shape.width() * shape.depth() + lane_];
    Scalar sum = cells_[cell];
    for (int first = 0; first < shape.depth(); first += at_once) {
      if (first > 0) entries = load(shape, start, first);
#pragma unroll
      for (int w = 0; w < at_once; ++w)
        if (first + w < shape.depth()) subtract(entries.lower[w], entries.upper[w], cells_[entries.column[w]], sum);
    }
    if (is_row) cells_[cell] = settled(number, sum);
  }

  __device__ void subtract(const Scalar& lower, const Scalar& upper, const Scalar& pivot, Scalar& sum) const {
    const auto& elimination = find_.elimination;
    const Scalar factor = lower / (elimination.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot);
    sum = terrace::incomplete::minus_seen_product(
        sum, factor, elimination.symmetric ? triangular::conjugated(factor, elimination.hermitian) : upper);
  }

  __device__ Scalar settled(std::int64_t number, const Scalar& sum) const {
    const auto& rule = find_.elimination.pivots;
    if (!find_.norms) return rule.usable(sum);
    const int row = row_of(find_.fill.slices[number]);
    return rule.settle(row, sum, find_.norms[row]);
  }

  const FindPivots<Scalar, Offset>& find_;
  const StreamPlace* places_;  // of L, of U, and the end
  int begin_, count_;
  Scalar* upper_;  // a_ki by slot of l_ik
  Scalar* cells_;
  int lane_, warp_, warps_;
  int turn_ = 0;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(PivotTuning::max_threads)
    find_pivots_kernel(const __grid_constant__ FindPivots<Scalar, Offset> find) {
  extern __shared__ __align__(16) unsigned char memory[];
  PivotWalk<Scalar, Offset> walk(find, static_cast<int>(blockIdx.x), reinterpret_cast<Scalar*>(memory));
  walk.gather();
  __syncthreads();
  walk.walk();
  __syncthreads();
  walk.write();
}

template <class Scalar, class Offset>
struct FillByPivots {
  FillStream<Offset> fill;
  terrace::incomplete::PivotNumbers<Scalar, int, Offset, Kokkos::Cuda> numbers;
  Scalar* values;
};

template <class Scalar, class Offset>
__global__ void fill_by_pivots_kernel(const __grid_constant__ FillByPivots<Scalar, Offset> values) {
  fill_slice(
      values.fill,
      [&](const auto& triangle, const auto& item, int k) {
        if (k >= item.count) return Scalar(0);
        const Offset entry = item.begin + static_cast<Offset>(k);
        const int row = values.fill.source ? triangle.of.pattern.entries[entry] : item.row;
        return values.numbers(row, values.fill.stored(entry));
      },
      [&](const auto& triangle, const auto& item) {
        return item.is_last && !triangle.is_unit ? Scalar(1) / values.numbers.diagonal_of(item.row) : Scalar(1);
      },
      [&](std::int64_t slot, const Scalar& value) { values.values[slot] = value; });
}

/// Rows of L that several lanes share, and blocks whose L takes more of the stream than U, unless one triangle of A is
/// enough.
template <class Offset>
struct CountUnfit {
  sparse::TriangleView<int, Offset> lower;
  const StreamPlace* places;
  int blocks;
  bool is_symmetric;

  KOKKOS_FUNCTION void operator()(int place, int& unfit) const {
    if (place < lower.rows &&
        lower.end(place) - lower.begin(place) > static_cast<Offset>(BlockTuning::entries_per_lane))
      ++unfit;
    if (is_symmetric || place >= blocks) return;
    const StreamPlace* of = places + 2 * static_cast<std::size_t>(place);
    if (2 * of[1].slots > of[0].slots + of[2].slots) ++unfit;
  }
};

/// Whether the pivots of the blocks can be found here. Waits for the space.
template <class Offset>
bool can_find_pivots(const Kokkos::Cuda& space, const BlockPlan<Offset>& plan) {
  const auto& pattern = plan.pattern;
  int unfit = 0;
  Kokkos::parallel_reduce(
      "terrace::cuda::schwarz::count_unfit",
      Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, std::max(pattern.places(), pattern.blocks())),
      CountUnfit<Offset>{plan.triangles[0].of.pattern, plan.stream.places, pattern.blocks(), !pattern.unit_lower},
      unfit);
  if (unfit > 0) return false;
  sparse::Triangle<int, Offset, Kokkos::Cuda> merged;
  merged.count = pattern.places();
  merged.row_map = pattern.row_map;
  merged.entries = pattern.entries;
  merged.diagonal = pattern.diagonal;
  return terrace::incomplete::only_pivots_change(space, merged);
}

}  // namespace terrace::cuda::schwarz
