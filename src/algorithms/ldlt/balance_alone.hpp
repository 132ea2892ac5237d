// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of Ruiz's iteration by one thread of a host, where columns have many entries: to the same scales as by
// loops over entries (matrix_values.hpp). Loops over several entries are ones that compilers turn into instructions for
// vectors: logarithms are taken before anything is raised, the scales of a step are there before it begins, and rows
// that follow one another, as in locally dense matrices, are raised together.
#pragma once

#include "algorithms/ldlt/row_logarithms.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::ldlt {

/// logarithm[k] = logarithm_of(size[k]) for `count` numbers that are not negative.
void write_logarithms(const double* size, int* logarithm, int count);

/// next_scale[k] = balanced(scale[k], largest[k]), for `count` rows.
void balance(const int* scale, const int* largest, int* next_scale, std::size_t count);

/// largest[k] = max(largest[k], logarithm[k] + scale_of_column), for `count` rows that follow one another. Returns the
/// largest logarithm[k] + scale[k].
int raise_run(const int* logarithm, const int* scale, int scale_of_column, int* largest, std::size_t count);

/// Before it scales are zero, and of the first two steps no largest is known.
template <class Scalar, class Offset>
struct BalanceAlone {
  EntryView<Scalar, Offset> entries;
  ScaleMemory memory;
  int steps;
  int* logarithms;  // of each entry

  static bool pays(std::size_t entries, int rows) { return entries / 8 >= static_cast<std::size_t>(rows); }

  void operator()(int) const {
    constexpr std::size_t at_once = 1024;  // that stay in the first level of the cache
    for (std::size_t begin = 0; begin < entries.count; begin += at_once) {
      const std::size_t end = std::min(begin + at_once, entries.count);
      note_logarithms(begin, end);
      raise_rows(begin, end, memory.left_by(0, steps));
    }
    for (int step = 1; step < steps; ++step) {
      const RowLogarithms before = memory.left_by(step - 1, steps), after = memory.left_by(step, steps);
      balance(before.scale, before.largest, after.scale, static_cast<std::size_t>(memory.rows));
      std::fill_n(memory.largest(step + 1), memory.rows, no_logarithm);
      raise_rows(0, entries.count, after);
    }
  }

 private:
  void note_logarithms(std::size_t begin, std::size_t end) const {
    constexpr std::size_t together = 16;
    for (std::size_t e = begin; e < end; e += together) {
      const std::size_t count = std::min(together, end - e);
      double size[together];
      for (std::size_t k = 0; k < count; ++k)
        size[k] = static_cast<double>(incomplete::magnitude(entries.value(e + k)));
      write_logarithms(size, logarithms + e, static_cast<int>(count));
    }
    *memory.cell() = std::max(*memory.cell(), *std::max_element(logarithms + begin, logarithms + end));
  }

  void raise_rows(std::size_t begin, std::size_t end, const RowLogarithms& step) const {
    const int *const row = entries.row, *const column = entries.column;
    for (std::size_t e = begin; e < end;) {
      const int of = column[e], scale_of_column = step.scale[of];
      int of_column = no_logarithm;
      do {
        if (const std::size_t count = neighbours(e, end); count > 0) {
          of_column = std::max(
              of_column, raise_run(logarithms + e, step.scale + row[e], scale_of_column, step.largest + row[e], count));
          e += count;
          continue;
        }
        of_column = std::max(of_column, logarithms[e] + step.scale[row[e]]);
        step.largest[row[e]] = std::max(step.largest[row[e]], logarithms[e] + scale_of_column);
        ++e;
      } while (e < end && column[e] == of);
      step.largest[of] = std::max(step.largest[of], of_column);
    }
  }

  /// Entries of a column from this one on whose rows follow one another; 0 where they are too few. Rows ascend.
  std::size_t neighbours(std::size_t e, std::size_t end) const {
    constexpr std::size_t together = 8;
    const int *const row = entries.row + e, *const column = entries.column + e;
    const auto belongs = [&](std::size_t k) {
      return column[k] == column[0] && row[k] - row[0] == static_cast<int>(k);
    };
    std::size_t count = 0;
    while (e + count + together <= end && belongs(count + together - 1)) count += together;
    if (count > 0)
      while (e + count < end && belongs(count)) ++count;
    return count;
  }
};

}  // namespace terrace::ldlt
