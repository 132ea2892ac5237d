// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How rows are put in order: in which row blocks, and by which runs they are counted. On the device, by what it has
// just found of the levels, or on the host where more has to be known than that.
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "backends/cuda/triangular/choose_row_blocks.hpp"
#include "backends/cuda/triangular/sort_keys.hpp"

namespace terrace::cuda::triangular {

/// Runs of places, none of which lies in two row blocks, and their counts: of each key that occurs, run by run.
struct Runs {
  int rows = 0;
  int rows_per_row_block = 0;
  int places = 0;         // of a run, but for the last of a row block
  int per_row_block = 0;  // runs
  int count = 0;          // of all row blocks; 0 where rows are not counted
  int levels = 0;
  unsigned kinds = 0;  // that keys have, bit by bit
  int kinds_per_level = 0;

  /// None where there would be too many counts, or slices, for one block to add up.
  KOKKOS_FUNCTION static Runs of(int rows, const RowBlocks& row_blocks, int levels, unsigned kinds, int most_slices) {
    Runs runs;
    runs.rows = rows;
    runs.rows_per_row_block = row_blocks.count == 1 ? rows : row_blocks.rows_per_row_block;
    runs.levels = levels;
    runs.kinds = kinds;
    runs.kinds_per_level = Kokkos::popcount(kinds);
    const std::int64_t keys = std::int64_t(levels) * row_blocks.count * classes_per_level;
    if (Kokkos::max(std::int64_t(most_slices), keys) > CountTuning::most_counts) return runs;
    for (runs.places = CountTuning::fewest_places; runs.places <= CountTuning::most_places; runs.places *= 2) {
      runs.per_row_block = parallel::divide_up(runs.rows_per_row_block, runs.places);
      runs.count = row_blocks.count * runs.per_row_block;
      if (runs.counts() <= CountTuning::most_counts) return runs;
    }
    runs.count = 0;
    return runs;
  }

  KOKKOS_FUNCTION std::int64_t counts() const { return std::int64_t(levels) * kinds_per_level * count; }

  KOKKOS_FUNCTION int first_place(int run) const {
    return run / per_row_block * rows_per_row_block + run % per_row_block * places;
  }
  KOKKOS_FUNCTION int end_place(int run) const {
    const int end_of_row_block = Kokkos::min((run / per_row_block + 1) * rows_per_row_block, rows);
    return Kokkos::min(first_place(run) + places, end_of_row_block);
  }

  /// The first count of a key of all row blocks; of one that does not occur that of the next one that does.
  __device__ int first_count(int key) const {
    const unsigned before = kinds & ((1u << key % classes_per_level) - 1u);
    return (key / classes_per_level * kinds_per_level + __popc(before)) * per_row_block;
  }
  /// What count_of is asked of: the run, and the first key of its row block.
  struct Run {
    int first_key, in_row_block;
  };
  __device__ Run run_of(int number) const {
    return {number / per_row_block * levels * classes_per_level, number % per_row_block};
  }
  __device__ int count_of(const Run& run, int key_of_row_block) const {
    return first_count(run.first_key + key_of_row_block) + run.in_row_block;
  }
};

/// What rows are put in order by.
struct OrderChoice {
  RowBlocks row_blocks;
  Runs runs;  // none where rows are sorted
  int levels = 0;
  unsigned kinds = (1u << classes_per_level) - 1;  // that keys may have, bit by bit
  int slices = 0;                                  // at most
  bool is_made = false;

  KOKKOS_FUNCTION int key_count() const { return row_blocks.count * levels * classes_per_level; }
};

/// Of rows that are not cut.
struct ChooseOrder {
  RowBlocks smallest;  // of up to CountTuning::most_levels; one where there cannot be several
  int capacity;        // of a row block

  /// Numbers of lanes that rows have, as kinds of keys, and of pieces.
  KOKKOS_FUNCTION static unsigned kinds_of(unsigned classes) {
    unsigned kinds = 0;
    for (int log2_lanes = 0; log2_lanes <= 6; ++log2_lanes)
      if (classes >> log2_lanes & 1u) kinds |= 1u << class_of(log2_lanes);
    return kinds;
  }

  /// No group begins a slice that is not full, but for its last.
  KOKKOS_FUNCTION static int most_slices(int positions, int pieces, std::int64_t lanes, int groups) {
    return static_cast<int>(Kokkos::min(std::int64_t(positions), lanes / 32 + pieces + groups + 1));
  }

  /// Not made where rows are long, or row blocks may pay whose costs nobody counted, or rows have to be sorted.
  KOKKOS_FUNCTION OrderChoice of(const Summary& summary, const RowBlockCosts& costs) const {
    OrderChoice choice;
    choice.levels = summary.deepest + 1;
    choice.row_blocks = {1, smallest.rows, smallest.rows, smallest.backward};
    if (summary.long_rows > 0 || choice.levels > CountTuning::most_counts) return choice;
    if (smallest.count > 1 && choice.levels >= RowBlockTuning::fewest_levels) {
      if (choice.levels > CountTuning::most_levels) return choice;
      choice.row_blocks = cheapest(smallest, capacity, choice.levels, costs);
    }
    choice.kinds = kinds_of(summary.classes);
    choice.slices = most_slices(smallest.rows, 0, static_cast<std::int64_t>(summary.lanes),
                                choice.row_blocks.count * choice.levels * Kokkos::popcount(choice.kinds));
    choice.runs = Runs::of(smallest.rows, choice.row_blocks, choice.levels, choice.kinds, choice.slices);
    choice.is_made = choice.runs.count > 0;
    return choice;
  }
};

}  // namespace terrace::cuda::triangular
