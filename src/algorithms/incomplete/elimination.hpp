// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete Gaussian elimination by rows (IKJ; Saad, "Iterative Methods for Sparse Linear Systems", 2003, algorithms
// 10.3, 10.4 and section 10.3.5 for MILU).
//
// Row i of A is copied into the merged pattern of L and U and then reduced in place: for each k < i of the pattern, in
// ascending order,
//     l_ik = w_k / u_kk,    w_j -= l_ik u_kj  for all j > k of row k of U;
// what falls outside the pattern of row i is dropped, or times the relaxation subtracted from the diagonal of row i.
//
// L L^T is the same elimination of a symmetric matrix. A finished row holds u_ij / sqrt(d_i) and sqrt(d_i) on the
// diagonal instead of u_ij and d_i; then w_k / sqrt(d_k) is the entry of L, the products l_ik u_kj are what they were,
// and the upper triangle of the merged pattern is L^T (L^H when A is Hermitian). All of row k of U is seen, so what MIC
// drops is the same in both triangles. A host that need not know what is dropped eliminates the upper triangle alone:
// l_ik is u_ki, its mirror image, with the same bits, because both are the same sums of the same products.
//
// Invariant: row i reads only rows k of its own pattern left of the diagonal, and writes only itself. So it waits for
// exactly the rows that substitution with L waits for, and the drivers of the triangular solves order both. The sums
// are taken in the order of the pattern: the factor has the same bits whatever the number of threads.
//
// Cost: one visit of row k of U for each entry l_ik, from column i on where one triangle is enough; of a row of U that
// is far longer than what is left of row i, a search for each column of that. Where what is dropped matters, it is then
//     l_ik (sum over all j > k of u_kj  -  sum over those in the pattern of row i),
// the first of which row k knows. Both sums are compensated, since what is dropped may be a small part of them. Memory:
// the factor, these sums, and on a host, where rows are long or the matrix is symmetric, an array for each thread.
#pragma once

#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/incomplete/pivots.hpp"
#include "algorithms/incomplete/row_lookup.hpp"
#include "parallel/compensated_sum.hpp"
#include "sparse/find_column.hpp"

namespace terrace::incomplete {

/// w - a b, rounded once for each real product. `a` may be real where the others are complex.
template <class Scalar, class Factor>
KOKKOS_INLINE_FUNCTION Scalar minus_fused_product(const Scalar& w, const Factor& a, const Scalar& b) {
  if constexpr (std::is_floating_point_v<Scalar>) {
    return Kokkos::fma(-a, b, w);
  } else if constexpr (std::is_floating_point_v<Factor>) {
    return Scalar(Kokkos::fma(-a, b.real(), w.real()), Kokkos::fma(-a, b.imag(), w.imag()));
  } else {
    return Scalar(Kokkos::fma(a.imag(), b.imag(), Kokkos::fma(-a.real(), b.real(), w.real())),
                  Kokkos::fma(-a.imag(), b.real(), Kokkos::fma(-a.real(), b.imag(), w.imag())));
  }
}

/// w - a b. A device's compiler fuses products with sums as it likes, one of a complex number's two and not where it
/// takes the product out of two branches: this says which, so that every kernel has the same bits.
template <class Scalar, class Factor>
KOKKOS_INLINE_FUNCTION Scalar minus_product(const Scalar& w, const Factor& a, const Scalar& b) {
  KOKKOS_IF_ON_HOST((return w - a * b;))
  KOKKOS_IF_ON_DEVICE((return minus_fused_product(w, a, b);))
}

/// The same where the compiler sees product and sum together, and fuses those of real numbers by itself.
template <class Scalar, class Factor>
KOKKOS_INLINE_FUNCTION Scalar minus_seen_product(const Scalar& w, const Factor& a, const Scalar& b) {
  if constexpr (std::is_floating_point_v<Scalar>) return w - a * b;
  else return minus_product(w, a, b);
}

/// The elimination as the drivers of triangular solves see it: a system whose rows are "gathered".
template <class ScalarType, class OrdinalType, class OffsetType, class Space>
struct Elimination {
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Real = RealOf<Scalar>;
  static constexpr triangular::KernelNames names{
      "terrace::incomplete::eliminate_sequentially", "terrace::incomplete::eliminate_level",
      "terrace::incomplete::eliminate_chain", "terrace::incomplete::eliminate_rows_sync_free"};

  sparse::TriangleView<Ordinal, Offset> pattern;  // the strict part is that of L
  MatrixEntries<Scalar, Ordinal, Offset> matrix;
  Scalar* values;
  PivotRule<Scalar, Ordinal> pivots;
  RowArrays<Scalar, Ordinal, Space> arrays;
  Real relaxation;
  Real diagonal_factor;  // 1 + alpha
  bool symmetric;        // L L^T or L L^H
  bool hermitian;
  bool changes_only_pivots = false;  // row_changes.hpp, and nothing that is dropped goes to the diagonal
  // Where what is dropped matters, two numbers for each row, of a compensated sum of what it has behind its pivot;
  // those of short rows are not set.
  Scalar* upper_sums = nullptr;
  // Where one thread takes all rows, of each of them:
  Offset* next_upper = nullptr;   // the first entry of U not yet used as l_ik
  Offset* next_mirror = nullptr;  // the first entry of the triangle that is read whose mirror image is not loaded yet

  template <class Body>
  KOKKOS_FUNCTION void with_diagonal_place(const Body& body) const {
    body(triangular::Placed<triangular::DiagonalPlace::Anywhere>());
  }

  template <class Place>
  KOKKOS_FUNCTION void gather_all_columns(Place, Ordinal, Ordinal row) const {
    const Offset begin = pattern.row_map[row], end = pattern.row_map[row + 1];
    if constexpr (parallel::is_host_space<Space>) {
      if (symmetric && arrays.rows.are_there())
        return arrays.rows.with_array([&](Scalar* w) { eliminate_upper(row, begin, end, w); });
      if (changes_only_pivots) return eliminate_pivot(row, begin, end);
      if (arrays.rows.are_there())
        return arrays.rows.with_array([&](Scalar* w) { eliminate_spread(row, begin, end, w); });
      if (arrays.positions.are_there())
        return arrays.positions.with_array([&](Ordinal* places) {
          PositionTable<Ordinal, Offset> table(pattern.entries, begin, end, places);
          eliminate(row, begin, end, table);
        });
    }
    WalkAlong<Ordinal, Offset> along{pattern.entries, end};
    eliminate(row, begin, end, along);
  }

  template <class Lookup>
  KOKKOS_FUNCTION void eliminate(Ordinal row, Offset begin, Offset end, Lookup& lookup) const {
    const Offset diagonal = pattern.diagonal[row];
    const Real norm = load_row(row, begin, end);
    Scalar dropped(0);
    for (Offset p = begin; p < diagonal; ++p) {
      const Ordinal k = pattern.entries[p];
      const Offset pivot = pattern.diagonal[k];
      const Scalar factor = values[p] / values[pivot];
      values[p] = factor;
      const Offset last = pattern.row_map[k + 1];
      if (relaxation == Real(0) && is_far_longer(pivot + 1, last, p + 1, end)) {
        for_each_common(p + 1, end, pivot + 1, last,
                        [&](Offset at, Offset q) { values[at] = minus_product(values[at], factor, values[q]); });
      } else if (upper_sums && is_far_longer(pivot + 1, last, p + 1, end)) {
        parallel::CompensatedSum<Scalar> missed(upper_sums[2 * std::size_t(k)], upper_sums[2 * std::size_t(k) + 1]);
        parallel::CompensatedSum<Scalar> kept;
        for_each_common(p + 1, end, pivot + 1, last, [&](Offset at, Offset q) {
          values[at] = minus_product(values[at], factor, values[q]);
          kept.add(values[q]);
        });
        missed.subtract(kept);
        dropped = minus_product(dropped, -factor, missed.value());
      } else {
        lookup.restart(p + 1);
        subtract(factor, pivot + 1, last, lookup, dropped);
      }
    }
    if (relaxation != Real(0)) values[diagonal] = minus_seen_product(values[diagonal], relaxation, dropped);
    finish(row, begin, end, values[diagonal], norm);
    if (upper_sums && may_be_far_more(end - diagonal - 1)) sum_upper(row, diagonal + 1, end);
  }

  /// Whether a row of U of so many entries may be far longer than what is left of another.
  KOKKOS_FUNCTION static bool may_be_far_more(Offset entries) {
    return entries > static_cast<Offset>(sparse::never_far_more);
  }

  KOKKOS_FUNCTION void sum_upper(Ordinal row, Offset first, Offset last) const {
    parallel::CompensatedSum<Scalar> sum;
    for (Offset p = first; p < last; ++p) sum.add(values[p]);
    upper_sums[2 * std::size_t(row)] = sum.high();
    upper_sums[2 * std::size_t(row) + 1] = sum.low();
  }

  /// The same sums where only the diagonal gets any.
  KOKKOS_FUNCTION void eliminate_pivot(Ordinal row, Offset begin, Offset end) const {
    if (matrix.are_values() && !symmetric) return eliminate_pivot_of_values(row, begin, end);
    const Real norm = load_row(row, begin, end);
    const Offset diagonal = pattern.diagonal[row];
    Scalar sum = values[diagonal];
    for (Offset p = begin; p < diagonal; ++p) divide_by_pivot(row, p, values[p], sum);
    finish(row, begin, end, sum, norm);
  }

  /// The same where the numbers of A stand at their places: each is read once, and written as it stays.
  KOKKOS_FUNCTION void eliminate_pivot_of_values(Ordinal row, Offset begin, Offset end) const {
    const Scalar* const a = matrix.values;
    Scalar* const w = values;
    const Offset diagonal = pattern.diagonal[row];
    const Scalar of_diagonal = a[diagonal];
    Scalar sum = of_diagonal * diagonal_factor;
    Real norm(0);
    int bad = 0;
    for (Offset p = begin; p < diagonal; ++p) {
      const Scalar value = a[p];
      norm += magnitude(value);
      bad |= is_not_finite(divide_by_pivot(row, p, value, sum));
    }
    norm += magnitude(of_diagonal);
    for (Offset p = diagonal + 1; p < end; ++p) {
      const Scalar value = a[p];
      norm += magnitude(value);
      w[p] = value;
      bad |= is_not_finite(value);
    }
    const Scalar pivot = pivots.settle(row, sum, norm);
    w[diagonal] = pivot;
    bad |= is_not_finite(pivot);
    if (bad != 0) report_not_finite(row, pivot);
  }

  /// Writes l_ik, of the number of A that stands there, and takes l_ik u_ki from the sum on the diagonal.
  KOKKOS_FORCEINLINE_FUNCTION Scalar divide_by_pivot(Ordinal row, Offset p, const Scalar& value, Scalar& sum) const {
    const Ordinal k = pattern.entries[p];
    const Offset pivot = pattern.diagonal[k], last = pattern.row_map[k + 1];
    const Scalar factor = value / values[pivot];
    values[p] = factor;
    const Ordinal* const columns = pattern.entries;
    if (is_far_longer(pivot + 1, last, 0, 1)) {
      const Offset q = sparse::find_column(columns, pivot + 1, last, row);
      if (q != last) sum = minus_product(sum, factor, values[q]);
    } else {
      for (Offset q = pivot + 1; q < last; ++q)
        if (columns[q] == row) sum = minus_product(sum, factor, values[q]);
    }
    return factor;
  }

  /// The same sums in an array by column, w. What falls outside the pattern is added as well, to numbers that the next
  /// row that has the column overwrites.
  KOKKOS_FUNCTION void eliminate_spread(Ordinal row, Offset begin, Offset end, Scalar* w) const {
    const Ordinal* const columns = pattern.entries;
    const Real norm = spread_row(row, begin, end, w);
    const Offset diagonal = pattern.diagonal[row];
    int bad = 0;
    for (Offset p = begin; p < diagonal; ++p) {
      const Ordinal k = columns[p];
      const Offset pivot = pattern.diagonal[k];
      const Scalar factor = w[k] / values[pivot];
      values[p] = factor;
      bad |= is_not_finite(factor);
      subtract_spread(factor, pivot + 1, pattern.row_map[k + 1], p + 1, end, w);
    }
    const Scalar pivot = pivots.settle(row, w[row], norm);
    finish_upper(row, end, pivot, pivot, w, bad);
  }

  /// The upper triangle of a symmetric row, and its mirror image in the lower one.
  KOKKOS_FUNCTION void eliminate_upper(Ordinal row, Offset begin, Offset end, Scalar* w) const {
    const Ordinal* const columns = pattern.entries;
    const Offset diagonal = pattern.diagonal[row];
    const Real norm = read_row(row, begin, end, [=](Offset p, const Scalar& value) {
      if (p >= diagonal) w[columns[p]] = value;
    });
    w[row] = w[row] * diagonal_factor;
    for (Offset p = begin; p < diagonal; ++p) {
      const Ordinal k = columns[p];
      const Offset upper = place_in_upper(k, row), last = pattern.row_map[k + 1];
      const Scalar factor = mirror_image(values[upper]);
      values[p] = factor;
      if (changes_only_pivots) w[row] = minus_product(w[row], factor, values[upper]);
      else subtract_spread(factor, upper, last, diagonal, end, w);
    }
    if (next_upper) next_upper[row] = diagonal + 1;
    const Scalar pivot = pivots.settle(row, w[row], norm);
    finish_upper(row, end, pivot, Kokkos::sqrt(pivot), w, 0);
  }

  /// Writes the diagonal and what stands behind it. `bad`: whether a number before it is not finite; those that are
  /// mirror images were reported with their rows, which come first.
  KOKKOS_FUNCTION void finish_upper(Ordinal row, Offset end, const Scalar& pivot, const Scalar& diagonal,
                                    const Scalar* w, int bad) const {
    const Ordinal* const columns = pattern.entries;
    Offset p = pattern.diagonal[row];
    values[p] = diagonal;
    bad |= is_not_finite(pivot) | is_not_finite(diagonal);
    for (++p; p < end; ++p) {
      const Scalar value = symmetric ? w[columns[p]] / diagonal : w[columns[p]];
      values[p] = value;
      bad |= is_not_finite(value);
    }
    if (bad != 0) report_not_finite(row, pivot);
  }

  /// Where u_ki stands, which the pattern has.
  KOKKOS_FUNCTION Offset place_in_upper(Ordinal k, Ordinal i) const {
    if (next_upper) return next_upper[k]++;
    return sparse::find_column(pattern.entries, pattern.diagonal[k] + 1, pattern.row_map[k + 1], i);
  }

  KOKKOS_FUNCTION Scalar mirror_image(const Scalar& value) const {
    if constexpr (triangular::is_complex<Scalar>) return hermitian ? Kokkos::conj(value) : value;
    return value;
  }

  /// Whether entries [first, last) of a row of U are far more than [at, end), those that are left of the row.
  KOKKOS_FUNCTION static bool is_far_longer(Offset first, Offset last, Offset at, Offset end) {
    return sparse::are_far_more(static_cast<Offset>(last - first), static_cast<Offset>(end - at));
  }

  /// visit(place in [at, end), place in [first, last)) for every column that both have, ascending.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_common(Offset at, Offset end, Offset first, Offset last, const Visit& visit) const {
    for (; at < end && first < last; ++at) {
      first = sparse::place_of_column(pattern.entries, first, last, pattern.entries[at]);
      if (first < last && pattern.entries[first] == pattern.entries[at]) visit(at, first);
    }
  }

  /// Entries [at, end) are those that are left of the row.
  KOKKOS_FUNCTION void subtract_spread(const Scalar factor, Offset first, Offset last, Offset at, Offset end,
                                       Scalar* w) const {
    const Scalar* const u = values;
    const Ordinal* const columns = pattern.entries;
    if (is_far_longer(first, last, at, end))
      return for_each_common(at, end, first, last,
                             [&](Offset, Offset q) { w[columns[q]] = minus_product(w[columns[q]], factor, u[q]); });
    for (Offset q = first; q < last; ++q) w[columns[q]] = minus_product(w[columns[q]], factor, u[q]);
  }

  /// Copies the row of A to its columns in w; returns its 1-norm.
  KOKKOS_FUNCTION Real spread_row(Ordinal row, Offset begin, Offset end, Scalar* w) const {
    const Ordinal* const columns = pattern.entries;
    const Real norm = read_row(row, begin, end, [&](Offset p, const Scalar& value) { w[columns[p]] = value; });
    w[row] = w[row] * diagonal_factor;
    return norm;
  }

  /// Calls put(place, value) for the row of A, place by place; returns its 1-norm.
  template <class Put>
  KOKKOS_FUNCTION Real read_row(Ordinal row, Offset begin, Offset end, const Put& put) const {
    Real norm(0);
    if constexpr (parallel::is_host_space<Space>)
      if (next_mirror) return read_mirrored_row(row, begin, end, put);
    const auto read = [&](Offset p, const Scalar& value) {
      norm += magnitude(value);
      put(p, value);
    };
    if (matrix.are_values()) {
      const Scalar* const a = matrix.values;
      for (Offset p = begin; p < end; ++p) read(p, a[p]);
    } else {
      const auto a = matrix;
      for (Offset p = begin; p < end; ++p) read(p, a.look_up(row, p));
    }
    return norm;
  }

  /// The same of a symmetric matrix whose rows come one after the other: those that name a column come in ascending
  /// order, as their mirror images stand in its row.
  template <class Put>
  KOKKOS_FUNCTION Real read_mirrored_row(Ordinal row, Offset begin, Offset end, const Put& put) const {
    const Scalar* const a = matrix.values;
    if (matrix.are_values_anywhere())
      return walk_mirrors(
          row, begin, end, [a](Offset, Offset from) { return a[from]; }, put);
    return walk_mirrors(
        row, begin, end, [&](Offset p, Offset from) { return matrix.look_up(row, p, from); }, put);
  }

  /// number(place in the pattern, place in A)
  template <class Number, class Put>
  KOKKOS_FUNCTION Real walk_mirrors(Ordinal row, Offset begin, Offset end, const Number& number, const Put& put) const {
    const Ordinal* const columns = pattern.entries;
    const Offset diagonal = pattern.diagonal[row];
    Offset* const next = next_mirror;
    Real norm(0);
    if (matrix.read_upper) {
      for (Offset p = begin; p < diagonal; ++p) norm += take_number(p, number(p, next[columns[p]]++), put);
      for (Offset p = diagonal; p < end; ++p) norm += take_number(p, number(p, p), put);
    } else {
      for (Offset p = begin; p <= diagonal; ++p) norm += take_number(p, number(p, p), put);
      for (Offset p = diagonal + 1; p < end; ++p) norm += take_number(p, number(p, next[columns[p]]++), put);
    }
    next[row] = first_mirror(row);
    return norm;
  }

  /// Returns the magnitude, so that sums stay in registers: a compiler does not inline what it sees four times.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION static Real take_number(Offset p, const Scalar& value, const Put& put) {
    put(p, value);
    return magnitude(value);
  }

  /// Where next_mirror begins; those of a finished lower triangle stand there again for the next elimination.
  KOKKOS_FUNCTION Offset first_mirror(Ordinal row) const {
    return matrix.read_upper ? pattern.diagonal[row] + 1 : pattern.row_map[row];
  }

  KOKKOS_FUNCTION void finish(Ordinal row, Offset begin, Offset end, const Scalar& reduced, Real norm) const {
    const Offset diagonal = pattern.diagonal[row];
    const Scalar pivot = pivots.settle(row, reduced, norm);
    values[diagonal] = symmetric ? Kokkos::sqrt(pivot) : pivot;
    if (symmetric)
      for (Offset p = diagonal + 1; p < end; ++p) values[p] = values[p] / values[diagonal];
    check_finite(row, begin, end, pivot);
  }

  /// Copies the row of A into the pattern; returns its 1-norm.
  KOKKOS_FUNCTION Real load_row(Ordinal row, Offset begin, Offset end) const {
    Scalar* const w = values;
    const Real norm = read_row(row, begin, end, [w](Offset p, const Scalar& value) { w[p] = value; });
    values[pattern.diagonal[row]] = values[pattern.diagonal[row]] * diagonal_factor;
    return norm;
  }

  /// The entry of A at a place of the pattern.
  KOKKOS_FUNCTION Scalar stored(Ordinal row, Offset p) const { return matrix(row, p); }

  /// Members are copied first: a store to the values might change them, for all that the compiler knows.
  template <class Lookup>
  KOKKOS_FUNCTION void subtract(const Scalar factor, Offset first, Offset last, Lookup& lookup, Scalar& dropped) const {
    Scalar* const w = values;
    const Ordinal* const columns = pattern.entries;
    const bool modified = relaxation != Real(0);
    for (Offset q = first; q < last; ++q) {
      Offset position;
      if (lookup.find(columns[q], position)) w[position] = minus_product(w[position], factor, w[q]);
      else if (modified) dropped = minus_product(dropped, -factor, w[q]);
    }
  }

  /// Whether a number is not finite, as a bit: no chain of additions, so that the next row can begin meanwhile.
  KOKKOS_FUNCTION static int is_not_finite(const Scalar& value) {
    return magnitude(value) <= Kokkos::Experimental::finite_max_v<Real> ? 0 : 1;
  }

  KOKKOS_FUNCTION void check_finite(Ordinal row, Offset begin, Offset end, const Scalar& pivot) const {
    const Scalar* const w = values;
    int bad = is_not_finite(pivot);
    for (Offset p = begin; p < end; ++p) bad |= is_not_finite(w[p]);
    if (bad != 0) report_not_finite(row, pivot);
  }

  KOKKOS_FUNCTION void report_not_finite(Ordinal row, const Scalar& pivot) const {
    if (triangular::is_finite(pivot) && symmetric && !pivots.is_good(pivot, Real(0))) return;  // reported as a pivot
    parallel::atomic_lower(pivots.first[NonFiniteRow], row);
  }
};

}  // namespace terrace::incomplete
