// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination by one thread of a host, neighbouring rows with the same columns together: the unknowns of a node, of
// which fill keeps the columns alike. Every number of U that is read serves up to four rows, whose numbers stand side
// by side in an array by column (inodes in PETSc's words).
//
// Each row has its own sums, in the order of a row that is eliminated alone (elimination.hpp): the same bits.
#pragma once

#include <cstring>

#include "algorithms/incomplete/elimination.hpp"

namespace terrace::incomplete {

/// Of a factorization that drops nothing on the diagonal: L U, or in one triangle L L^T and L L^H, whose rows of L are
/// read in those of L^T that come before.
template <class Scalar, class Ordinal, class Offset, class Space>
class GroupElimination {
  using Of = Elimination<Scalar, Ordinal, Offset, Space>;
  using Real = RealOf<Scalar>;

 public:
  static constexpr int most = 4;  ///< rows together

  /// `numbers` has `most` places for each column, which need not hold anything; `widths` are those of find_widths.
  GroupElimination(const Of& elimination, const unsigned char* widths, Scalar* numbers)
      : of_(elimination), pattern_(elimination.pattern), values_(elimination.values), widths_(widths), w_(numbers) {}

  /// By the first row of each group: how many rows it has. Returns whether there are so few groups that it pays.
  static bool find_widths(const sparse::TriangleView<Ordinal, Offset>& pattern, unsigned char* widths) {
    std::size_t groups = 0;
    for (Ordinal row = 0, rows = 0; row < pattern.rows; row += rows, ++groups) {
      for (rows = 1; rows < most && row + rows < pattern.rows && are_alike(pattern, row, row + rows);) ++rows;
      for (Ordinal r = 0; r < rows; ++r) widths[row + r] = 0;
      widths[row] = static_cast<unsigned char>(rows);
    }
    return 3 * groups <= 2 * static_cast<std::size_t>(pattern.rows);
  }

  void operator()(int) const {
    for (Ordinal row = 0; row < pattern_.rows; row += widths_[row]) {
      if (widths_[row] == 1) of_.arrays.rows.with_array([&](Scalar* w) { alone(row, w); });
      else together(row, widths_[row]);
    }
  }

 private:
  Offset begin(Ordinal row) const { return pattern_.row_map[row]; }
  Offset end(Ordinal row) const { return pattern_.row_map[row + 1]; }
  void alone(Ordinal row, Scalar* w) const {
    if (of_.symmetric) of_.eliminate_upper(row, begin(row), end(row), w);
    else of_.eliminate_spread(row, begin(row), end(row), w);
  }

  static bool are_alike(const sparse::TriangleView<Ordinal, Offset>& pattern, Ordinal row, Ordinal other) {
    const Offset begin = pattern.row_map[row], begin_of_other = pattern.row_map[other];
    const auto length = static_cast<std::size_t>(pattern.row_map[row + 1] - begin);
    if (static_cast<std::size_t>(pattern.row_map[other + 1] - begin_of_other) != length) return false;
    const Ordinal *columns = pattern.entries + begin, *others = pattern.entries + begin_of_other;
    return columns[length - 1] == others[length - 1] && std::memcmp(columns, others, length * sizeof(Ordinal)) == 0;
  }

  Scalar& at(Ordinal column, int r) const {
    return w_[static_cast<std::size_t>(column) * most + static_cast<std::size_t>(r)];
  }

  void together(Ordinal first, int rows) const {
    Real norms[most] = {};
    int bad[most] = {};
    if (stands_side_by_side()) load_by_column(first, rows, norms);
    else
      for (int r = 0; r < most; ++r) norms[r] = r < rows ? load(first + r, r) : clear(first, r);
    const Ordinal* const columns = pattern_.entries + begin(first);
    Offset place = 0;
    while (columns[place] < first) {
      const Ordinal k = columns[place];
      const int width = widths_[k], steps = width > 1 && has_all(columns + place, k, width, first) ? width : 1;
      if (steps == 1) take_steps<1>(k, first, rows, place, bad);
      if (steps == 2) take_steps<2>(k, first, rows, place, bad);
      if (steps == 3) take_steps<3>(k, first, rows, place, bad);
      if (steps == 4) take_steps<4>(k, first, rows, place, bad);
      place += static_cast<Offset>(steps);
    }
    for (int r = 0; r < rows; ++r, ++place) {
      const Ordinal row = first + r;
      const Scalar pivot = of_.pivots.settle(row, at(row, r), norms[r]);
      finish(row, r, pivot, bad[r]);
      take_out(row, r, rows, place, bad);
    }
  }

  /// Copies the row of A to its columns; returns its 1-norm.
  Real load(Ordinal row, int r) const {
    const Real norm = of_.read_row(row, begin(row), end(row),
                                   [&](Offset p, const Scalar& value) { at(pattern_.entries[p], r) = value; });
    at(row, r) = at(row, r) * of_.diagonal_factor;
    return norm;
  }
  Real clear(Ordinal first, int r) const {
    for (Offset p = begin(first); p < end(first); ++p) at(pattern_.entries[p], r) = Scalar(0);
    return Real(0);
  }

  /// Whether numbers of A that rows of a group have in one column can be read together: where they are not changed, and
  /// stand at their places or as mirror images in the row of that column, one after the other.
  bool stands_side_by_side() const {
    return of_.matrix.are_values_anywhere() && (of_.next_mirror || !of_.matrix.source);
  }

  /// load() of all rows of a group. In the columns left of it and right of it their mirror images stand side by side.
  void load_by_column(Ordinal first, int rows, Real (&norms)[most]) const {
    const Offset from = begin(first), length = end(first) - from, left = pattern_.diagonal[first] - from;
    const bool mirrors = of_.next_mirror != nullptr, mirrors_left = of_.matrix.read_upper;
    load_columns(first, rows, 0, left, mirrors && mirrors_left, norms);
    if (mirrors && mirrors_left) begin_mirrors(first, rows);
    for (int r = 0; r < most; ++r)
      for (Offset k = left; k < left + static_cast<Offset>(rows); ++k) {
        if (r < rows) load_of_group(first, r, k, mirrors && (mirrors_left ? k < left + r : k > left + r), norms[r]);
        else at(pattern_.entries[from + k], r) = Scalar(0);
      }
    if (mirrors && !mirrors_left) begin_mirrors(first, rows);
    load_columns(first, rows, left + static_cast<Offset>(rows), length, mirrors && !mirrors_left, norms);
    for (int r = 0; r < rows; ++r) {
      const Ordinal row = first + static_cast<Ordinal>(r);
      at(row, r) = at(row, r) * of_.diagonal_factor;
    }
  }

  /// Columns [k, last) of the rows, outside of their group.
  void load_columns(Ordinal first, int rows, Offset k, Offset last, bool mirrors, Real (&norms)[most]) const {
    const Scalar *const numbers = of_.matrix.values, *beginnings[most];
    for (int r = 0; r < most; ++r) beginnings[r] = numbers + begin(first + static_cast<Ordinal>(r < rows ? r : 0));
    const Ordinal* const columns = pattern_.entries + begin(first);
    Real sums[most] = {norms[0], norms[1], norms[2], norms[3]};
    for (; k < last; ++k) {
      Scalar* const w = w_ + static_cast<std::size_t>(columns[k]) * most;
      const Scalar* side_by_side = nullptr;
      if (mirrors) {
        Offset& next = of_.next_mirror[columns[k]];
        side_by_side = numbers + next;
        next += static_cast<Offset>(rows);
      }
      for (int r = 0; r < most; ++r) {
        const Scalar number = r >= rows ? Scalar(0) : mirrors ? side_by_side[r] : beginnings[r][k];
        sums[r] += magnitude(number);
        w[r] = number;
      }
    }
    for (int r = 0; r < most; ++r) norms[r] = sums[r];
  }

  /// Of the next rows that read them, or of the next elimination.
  void begin_mirrors(Ordinal first, int rows) const {
    for (Ordinal row = first; row < first + static_cast<Ordinal>(rows); ++row)
      of_.next_mirror[row] = of_.first_mirror(row);
  }

  /// Column k of a row, in its group.
  void load_of_group(Ordinal first, int r, Offset k, bool mirrored, Real& norm) const {
    const Ordinal row = first + static_cast<Ordinal>(r), column = pattern_.entries[begin(first) + k];
    const Scalar number = of_.matrix.values[mirrored ? of_.next_mirror[column]++ : begin(row) + k];
    norm += magnitude(number);
    at(column, r) = number;
  }

  /// Whether the columns from k on, left of the diagonal, are those of a group of so many rows.
  static bool has_all(const Ordinal* columns, Ordinal k, int width, Ordinal first) {
    const Ordinal last = k + static_cast<Ordinal>(width - 1);
    return last < first && columns[width - 1] == last;
  }

  /// Row k of U and those behind it, `Steps` of a group: l_ik for all rows, and where the numbers that they multiply
  /// are.
  template <int Steps>
  struct Step {
    Scalar factors[Steps][most] = {};
    const Scalar* upper[Steps];
    Offset first;  // of the columns of those numbers
  };

  /// Subtracts rows k, ...; all rows have columns for them, from `place` on.
  template <int Steps>
  void take_steps(Ordinal k, Ordinal first, int rows, Offset place, int (&bad)[most]) const {
    Step<Steps> step;
    if (of_.symmetric) find_mirrors(k, rows, step);
    else find_quotients(k, rows, bad, step);
    for (int t = 0; t < Steps; ++t)
      for (int r = 0; r < rows; ++r)
        values_[begin(first + static_cast<Ordinal>(r)) + place + static_cast<Offset>(t)] = step.factors[t][r];
    const Ordinal* const columns = pattern_.entries + step.first;
    const Offset count = end(k) - step.first;
    const auto subtract_column = [&](Offset q) {
      Scalar* const w = w_ + static_cast<std::size_t>(columns[q]) * most;
      Scalar sums[most] = {w[0], w[1], w[2], w[3]};
      for (int t = 0; t < Steps; ++t) {
        const Scalar u = step.upper[t][q];
        for (int r = 0; r < most; ++r) sums[r] = minus_product(sums[r], step.factors[t][r], u);
      }
      for (int r = 0; r < most; ++r) w[r] = sums[r];
    };
    const Offset left = begin(first) + place + static_cast<Offset>(Steps);
    if (Of::is_far_longer(step.first, end(k), left, end(first)))
      of_.for_each_common(left, end(first), step.first, end(k),
                          [&](Offset, Offset q) { subtract_column(q - step.first); });
    else
      for (Offset q = 0; q < count; ++q) subtract_column(q);
  }

  template <int Steps>
  void find_quotients(Ordinal k, int rows, int (&bad)[most], Step<Steps>& step) const {
    for (int t = 0; t < Steps; ++t) {
      const Ordinal column = k + static_cast<Ordinal>(t);
      const Scalar* const pivot = values_ + pattern_.diagonal[column];
      for (int r = 0; r < rows; ++r) {
        step.factors[t][r] = at(column, r) / *pivot;
        bad[r] |= Of::is_not_finite(step.factors[t][r]);
      }
      for (int behind = 1; t + behind < Steps; ++behind)
        subtract(column + static_cast<Ordinal>(behind), step.factors[t], pivot[behind]);
      step.upper[t] = pivot + (Steps - t);
    }
    step.first = pattern_.diagonal[k] + static_cast<Offset>(Steps);
  }

  /// The rows of a group stand side by side in row k, next to be used. What is subtracted left of their diagonals
  /// nobody reads.
  template <int Steps>
  void find_mirrors(Ordinal k, int rows, Step<Steps>& step) const {
    step.first = of_.next_upper[k];
    for (int t = 0; t < Steps; ++t) {
      Offset& next = of_.next_upper[k + static_cast<Ordinal>(t)];
      step.upper[t] = values_ + next;
      for (int r = 0; r < rows; ++r) step.factors[t][r] = of_.mirror_image(step.upper[t][r]);
      next += static_cast<Offset>(rows);
    }
  }

  void subtract(Ordinal column, const Scalar (&factors)[most], const Scalar& u) const {
    for (int r = 0; r < most; ++r) at(column, r) = minus_product(at(column, r), factors[r], u);
  }

  /// Writes the diagonal and what stands behind it.
  void finish(Ordinal row, int r, const Scalar& pivot, int bad) const {
    Offset p = pattern_.diagonal[row];
    const Scalar diagonal = of_.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
    values_[p] = diagonal;
    bad |= Of::is_not_finite(pivot) | Of::is_not_finite(diagonal);
    for (++p; p < end(row); ++p) {
      const Scalar number = at(pattern_.entries[p], r);
      values_[p] = of_.symmetric ? number / diagonal : number;
      bad |= Of::is_not_finite(values_[p]);
    }
    if (bad != 0) of_.report_not_finite(row, pivot);
  }

  /// A finished row out of those of its group behind it; `place`: of its column in them.
  void take_out(Ordinal row, int finished, int rows, Offset place, int (&bad)[most]) const {
    const Offset pivot = pattern_.diagonal[row];
    for (int r = finished + 1; r < rows; ++r) {
      const Offset behind = static_cast<Offset>(r - finished), first = pivot + (of_.symmetric ? behind : Offset(1));
      const Scalar factor = of_.symmetric ? of_.mirror_image(values_[first]) : at(row, r) / values_[pivot];
      values_[begin(row + static_cast<Ordinal>(behind)) + place] = factor;
      if (!of_.symmetric) bad[r] |= Of::is_not_finite(factor);
      for (Offset q = first; q < end(row); ++q) {
        Scalar& number = at(pattern_.entries[q], r);
        number = minus_product(number, factor, values_[q]);
      }
    }
    if (of_.symmetric) of_.next_upper[row] = pivot + static_cast<Offset>(rows - finished);
  }

  Of of_;
  sparse::TriangleView<Ordinal, Offset> pattern_;
  Scalar* values_;
  const unsigned char* widths_;
  Scalar* w_;
};

}  // namespace terrace::incomplete
