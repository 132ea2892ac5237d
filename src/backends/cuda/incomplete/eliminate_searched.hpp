// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of a row without a list of products (products.hpp): of a modified factorization, whose dropped products
// count too, of a row that does not fit in shared memory, or where lists would take too much memory.
//
// The lanes take neighbouring entries of row k of U and search each in row i; where row k is much longer than what is
// left of row i, they take those and search them in row k. What is dropped is added up lane by lane, in the order of
// the pattern.
#pragma once

#include "backends/cuda/incomplete/warp_row.hpp"

namespace terrace::cuda {

template <class Scalar, class Offset>
class SearchedElimination {
  static constexpr int at_once = EliminationTuning::entries_at_once, nowhere = 0;
  using Real = incomplete::RealOf<Scalar>;
  using Row = WarpRow<Scalar, Offset>;

  /// What a lane knows of a part of a step: its entries of row k of U, and where they fall.
  struct Part {
    int place[at_once];  // nowhere outside the row, and where there is no entry
    Offset at[at_once];
    Scalar found[at_once];
  };

  struct Step {
    int place;
    Offset pivot;
    int count;  // entries of row k behind the pivot
    int span;   // that the lanes take
    bool searches_upper;
  };

 public:
  /// `w` and `columns`: shared memory for a row that fits.
  __device__ SearchedElimination(const RowsSystem<Scalar, Offset>& system, Scalar* w, int* columns)
      : system_(system),
        elimination_(system.elimination),
        w_(w),
        columns_(columns),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void eliminate(Row row) {
    const bool fits = row.length <= system_.room;
    row.w = fits ? w_ : system_.scratch + row.begin;
    row_columns_ = fits ? columns_ : elimination_.lines.entries + row.begin;
    __syncwarp();
    const Real norm = load_row(system_, row, [&](int place, int column) {
      if (fits) columns_[place] = column;
    });
    __syncwarp();
    Scalar dropped(0);
    int is_bad = 0;
    for (int place = 0; place < row.steps; ++place) is_bad |= subtract(row, step_at(row, place), dropped);
    Scalar diagonal = row.w[row.steps];
    if (elimination_.relaxation != Real(0)) diagonal -= elimination_.relaxation * dropped;
    finish_row(system_, row, diagonal, norm, is_bad);
  }

 private:
  __device__ Step step_at(const Row& row, int place) const {
    const int k = row_columns_[place], left = row.length - place - 1;
    const Offset pivot = elimination_.lines.diagonal[k];
    const auto count = static_cast<int>(elimination_.lines.line_map[k + 1] - pivot) - 1;
    const bool searches_upper = elimination_.relaxation == Real(0) && is_much_longer(count, left);
    return {place, pivot, count, searches_upper ? left : count, searches_upper};
  }

  /// Returns whether the entry of L is not finite.
  __device__ int subtract(const Row& row, const Step& step, Scalar& dropped) const {
    Scalar pivot = pending<Scalar>();
    do watch_if(is_pending(pivot), elimination_.values + step.pivot, pivot);
    while (__any_sync(all_lanes, is_pending(pivot)));
    const Scalar factor = row.w[step.place] / pivot;
    for (int first = 0; first < step.span; first += at_once * warp_size) {
      Part part;
      look_at(row, step, first, part);
      wait_for(part);
      update(row, factor, part, step.span - first, dropped);
    }
    if (lane_ == 0) elimination_.values[row.begin + static_cast<Offset>(step.place)] = factor;
    __syncwarp();
    return elimination_.is_not_finite(factor);
  }

  __device__ void look_at(const Row& row, const Step& step, int first, Part& part) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const int index = first + e * warp_size + lane_;
      part.place[e] = nowhere;
      part.found[e] = Scalar(0);
      part.at[e] = step.pivot;
      if (index >= step.span) continue;
      if (step.searches_upper) search_upper(step, step.place + 1 + index, part.place[e], part.at[e]);
      else {
        part.at[e] = step.pivot + static_cast<Offset>(1 + index);
        const int place = find_column(row_columns_, step.place + 1, row.length, elimination_.lines.entries[part.at[e]]);
        part.place[e] = place == row.length ? nowhere : place;
      }
      part.found[e] = pending<Scalar>();
    }
  }

  /// Where an entry of the row stands in row k; if it does not, the pivot is looked at in its place.
  __device__ void search_upper(const Step& step, int place, int& found, Offset& at) const {
    const Offset first = step.pivot + 1, last = first + static_cast<Offset>(step.count);
    const Offset position = find_column(elimination_.lines.entries, first, last, row_columns_[place]);
    found = position == last ? nowhere : place;
    at = position == last ? step.pivot : position;
  }

  __device__ void wait_for(Part& part) const {
    for (bool waits = true; __any_sync(all_lanes, waits);) {
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        watch_if(is_pending(part.found[e]), elimination_.values + part.at[e], part.found[e]);
      waits = false;
#pragma unroll
      for (int e = 0; e < at_once; ++e) waits |= is_pending(part.found[e]);
    }
  }

  /// `left`: the entries of the step from this part on.
  __device__ void update(const Row& row, const Scalar& factor, const Part& part, int left, Scalar& dropped) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      if (part.place[e] != nowhere) row.w[part.place[e]] -= factor * part.found[e];
      if (elimination_.relaxation == Real(0)) continue;
      const unsigned misses = __ballot_sync(all_lanes, part.place[e] == nowhere && e * warp_size + lane_ < left);
      for (int lane = 0; lane < warp_size; ++lane) {
        const Scalar missed = of_lane(part.found[e], lane);
        if (misses >> lane & 1u) dropped += factor * missed;
      }
    }
  }

  const RowsSystem<Scalar, Offset>& system_;
  const incomplete::Elimination<Scalar, int, Offset, Space>& elimination_;
  Scalar* w_;
  int* columns_;
  const int* row_columns_ = nullptr;
  int lane_;
};

}  // namespace terrace::cuda
