// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of A on their way into a factorization: S A S in the precision of the factor, S diagonal with powers of
// two, which round nothing. Exponents of S are found by kernels, in the order of elimination.
//
//   Diagonal:    2 e_i = -log2 |a_ii|, where that is a number; elsewhere 2 e_i = -log2 max |a_jk|, as for rows of which
//                Equilibrate finds no entry. So all exponents follow the units of A.
//   Equilibrate: e_i -= max_j log2 |2^(e_i + e_j) a_ij| / 2, five times over (Ruiz, "A scaling algorithm to equilibrate
//                both rows and columns norms in matrices", RAL-TR-2001-034), then rounded.
//   A factor in single precision: all exponents are moved so that the largest entry comes near one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "algorithms/ldlt/engine.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/joined_arrays.hpp"
#include "parallel/powers_of_two.hpp"
#include "parallel/repeated_work.hpp"

namespace terrace::ldlt {

/// Where entries stand, and their values. For kernels.
template <class Scalar, class Offset>
struct EntryView {
  std::size_t count;
  const Offset* source;
  const int* row;
  const int* column;
  const Scalar* values;  // the caller's

  /// On a host what comes soon is asked for: the caller's entries lie in his order, and each would be waited for.
  KOKKOS_FUNCTION const Scalar& value(std::size_t e) const {
#if defined(__GNUC__)
    KOKKOS_IF_ON_HOST((if (const std::size_t soon = e + 32; soon < count) __builtin_prefetch(values + source[soon]);))
#endif
    return values[source[e]];
  }
};

/// Logarithms to base two are counted in units of 2^-16: integers, because the largest of integers is found by one
/// operation of a device's memory, and that of floating-point numbers by attempts.
inline constexpr int bits_of_logarithm = 16;
inline constexpr int no_logarithm = std::numeric_limits<int>::min();

/// log2 |a_ij| within 2^-10, or no_logarithm. By integers from the bits of the number, so that it is the same on every
/// space: log2(1 + x) = x + x (1 - x) (a - b x), where a and b are those with the smallest largest error.
template <class Scalar>
KOKKOS_INLINE_FUNCTION int logarithm_of(const Scalar& value) {
  constexpr int digits = std::numeric_limits<double>::digits - 1;
  constexpr std::int64_t one = 1 << bits_of_logarithm, a = 27713, b = 10435;  // 0.42287, 0.15922
  const auto size = static_cast<double>(incomplete::magnitude(value));
  if (!(size > 0) || !triangular::is_finite(size)) return no_logarithm;
  const bool is_normal = size >= Kokkos::Experimental::norm_min_v<double>;
  const auto bits = Kokkos::bit_cast<std::uint64_t>(is_normal ? size : size * 0x1p54);
  const int exponent = static_cast<int>(bits >> digits) - parallel::largest_exponent<double> - (is_normal ? 0 : 54);
  const auto x = static_cast<std::int64_t>(bits >> (digits - bits_of_logarithm)) & (one - 1);
  const std::int64_t curve = x * (one - x) / one * (a - b * x / one) / one;
  return exponent * (1 << bits_of_logarithm) + static_cast<int>(x + curve);
}

/// The scale of a row after a step of Ruiz's iteration that began with `scale` and found the largest logarithm.
KOKKOS_INLINE_FUNCTION int balanced(int scale, int largest) {
  return largest == no_logarithm ? scale : (scale - largest) >> 1;
}

/// The exponent of a row whose last step began with `scale`; without a number of its own, that of the largest of all.
KOKKOS_INLINE_FUNCTION int rounded_exponent(int scale, int largest, int largest_of_all) {
  const int of_all = largest_of_all == no_logarithm ? 0 : -largest_of_all >> 1;
  const int last = largest == no_logarithm ? of_all : balanced(scale, largest);
  return (last + (1 << (bits_of_logarithm - 1))) >> bits_of_logarithm;
}

/// What one step of Ruiz's iteration leaves: s_i of each row before it, and m_i = max_j (log2 |a_ij| + s_j), which it
/// finds. After it the row's is s_i - (s_i + m_i) / 2.
struct RowLogarithms {
  int* scale;
  int* largest;

  KOKKOS_FUNCTION int next(int row) const { return balanced(scale[row], largest[row]); }
};

/// Entries that one iteration of a loop over entries takes. They are sorted by columns, and a host's thread raises what
/// belongs to a column once.
template <class Space>
inline constexpr std::size_t entries_at_once = parallel::is_host_space<Space> ? 1024 : 1;

/// Entries in pieces of entries_at_once, and who raises what they find.
template <class Scalar, class Offset, class Space>
struct EntryPieces {
  EntryView<Scalar, Offset> entries;
  bool is_alone;  // one thread does everything

  KOKKOS_FUNCTION std::size_t count() const {
    return (entries.count + entries_at_once<Space> - 1) / entries_at_once<Space>;
  }

  /// Raises largest[i] to logarithm(e, whether it is on the diagonal) + scale(j) for the entries (i, j) of a piece.
  template <class Logarithm, class Scale>
  KOKKOS_FUNCTION void raise_rows(std::size_t piece, int* largest, const Logarithm& logarithm,
                                  const Scale& scale) const {
    const std::size_t begin = piece * entries_at_once<Space>;
    const std::size_t end = Kokkos::min(begin + entries_at_once<Space>, entries.count);
    int column = entries.column[begin], of_column = no_logarithm, scale_of_column = scale(column);
    for (std::size_t e = begin; e < end; ++e) {
      if (entries.column[e] != column) {
        raise(largest[column], of_column);
        column = entries.column[e];
        scale_of_column = scale(column);
        of_column = no_logarithm;
      }
      const int row = entries.row[e];
      const int found = logarithm(e, row == column);
      if (found == no_logarithm) continue;
      of_column = Kokkos::max(of_column, found + scale(row));
      if (row != column) raise(largest[row], found + scale_of_column);
    }
    raise(largest[column], of_column);
  }

  KOKKOS_FUNCTION void raise(int& cell, int value) const {
    if (!is_alone) parallel::atomic_raise(cell, value);
    else cell = Kokkos::max(cell, value);
  }
};

/// The first step, from s = 0: the logarithms of all entries, and the largest of them.
template <class Scalar, class Offset, class Space>
struct NoteLogarithms {
  EntryPieces<Scalar, Offset, Space> pieces;
  int* logarithms;
  int* largest;
  bool diagonal_only;

  KOKKOS_FUNCTION void operator()(std::size_t piece, int& largest_of_all) const {
    pieces.raise_rows(
        piece, largest,
        [&](std::size_t e, bool is_diagonal) {
          const int logarithm = logarithm_of(pieces.entries.value(e));
          logarithms[e] = logarithm;
          largest_of_all = Kokkos::max(largest_of_all, logarithm);
          return diagonal_only && !is_diagonal ? no_logarithm : logarithm;
        },
        [](int) { return 0; });
  }
};

/// A later step. Its largest are no_logarithm when it begins, and it makes those of the step after it so: one kernel,
/// whose pieces take the rows, too.
template <class Scalar, class Offset, class Space>
struct BalanceRows {
  EntryPieces<Scalar, Offset, Space> pieces;
  int rows, rows_of_piece;
  const int* logarithms;
  RowLogarithms before, after;
  int* largest_of_next;

  KOKKOS_FUNCTION void operator()(std::size_t piece) const {
    const std::size_t first = piece * static_cast<std::size_t>(rows_of_piece);
    for (std::size_t k = first; k < first + rows_of_piece && k < static_cast<std::size_t>(rows); ++k) {
      after.scale[k] = before.next(static_cast<int>(k));
      largest_of_next[k] = no_logarithm;
    }
    pieces.raise_rows(
        piece, after.largest, [&](std::size_t e, bool) { return logarithms[e]; },
        [&](int row) { return before.next(row); });
  }
};

/// The steps, enqueued; backends overload them. The largest of all logarithms goes to `cell`, where none is before.
template <class Scalar, class Offset, class Space>
void note_logarithms(const Space& space, const NoteLogarithms<Scalar, Offset, Space>& note, int* cell) {
  parallel::RepeatableLoops<Space>(space).find_largest("terrace::ldlt::note_logarithms", note.pieces.count(), note,
                                                       cell);
}
template <class Scalar, class Offset, class Space>
void balance_rows(const Space& space, const BalanceRows<Scalar, Offset, Space>& balance) {
  parallel::RepeatableLoops<Space>(space).for_each("terrace::ldlt::balance_rows", balance.pieces.count(), balance);
}

/// Exponents from what the last step left; `exponent` may be its scales. For rows of which no number was found, of the
/// largest of all.
struct RoundScales {
  RowLogarithms last;
  const int* largest_of_all;
  int* exponent;
  KOKKOS_FUNCTION void operator()(int row) const {
    exponent[row] = rounded_exponent(last.scale[row], last.largest[row], *largest_of_all);
  }
};

/// The exponent of a number that is moved by so much, with a bias; 0 for one that has none.
template <class Scalar>
KOKKOS_INLINE_FUNCTION int biased_exponent(const Scalar& value, int moved) {
  const auto size = static_cast<double>(incomplete::magnitude(value));
  const bool is_good = size > 0 && triangular::is_finite(size);
  return is_good ? static_cast<int>(Kokkos::logb(size)) + moved + parallel::exponent_bias : 0;
}

/// By how much all exponents are moved where the largest number has this biased exponent.
KOKKOS_INLINE_FUNCTION int shift_of(int biased) { return biased > 0 ? (biased - parallel::exponent_bias) / 2 : 0; }

/// The exponent of the largest number of S A S, with a bias; 0 where there is none.
template <class Scalar, class Offset>
struct NoteExponents {
  EntryView<Scalar, Offset> entries;
  const int* exponent;
  KOKKOS_FUNCTION void operator()(std::size_t e, int& largest) const {
    const int moved = exponent[entries.row[e]] + exponent[entries.column[e]];
    largest = Kokkos::max(largest, biased_exponent(entries.value(e), moved));
  }
};

struct MoveExponents {
  int* exponent;
  const int* cell;
  KOKKOS_FUNCTION void operator()(int row) const { exponent[row] -= shift_of(*cell); }
};

/// Before new values: the record, and of scaling, where there is any, the cell, s = 0 and the largest of the first two
/// steps.
template <class Real>
struct ForgetValues {
  PivotRecord<Real>* record;
  int rows;
  int* cell;
  int* scale;
  int *largest, *largest_of_next;

  KOKKOS_FUNCTION void operator()(int row) const {
    if (row == 0) {
      record->forget(rows);
      if (cell) *cell = no_logarithm;
    }
    if (row == rows) return;
    if (scale) scale[row] = 0;
    if (largest) largest[row] = largest_of_next[row] = no_logarithm;
  }
};

/// Writes the entries of S A S, and what is known of them, into the record. In place of one that is not finite stands a
/// NaN.
template <class Scalar, class FactorScalar, class Offset>
struct CopyEntries {
  using Real = RealOf<FactorScalar>;
  EntryView<Scalar, Offset> entries;
  const int* exponent;  // null: S is one
  FactorScalar* to;
  PivotRecord<Real>* record;

  KOKKOS_FUNCTION void operator()(std::size_t e, Real& largest) const {
    const int column = entries.column[e];
    write(e, column, entries.value(e), exponent ? exponent[entries.row[e]] + exponent[column] : 0, largest);
  }

  /// An entry of this value, times 2^moved.
  KOKKOS_FUNCTION void write(std::size_t e, int column, Scalar value, int moved, Real& largest) const {
    if (exponent) value = parallel::scaled_by_power_of_two<RealOf<Scalar>>(value, moved);
    const auto copied = static_cast<FactorScalar>(value);
    const bool is_good = triangular::is_finite(copied);
    to[e] = is_good ? copied : FactorScalar(Kokkos::Experimental::quiet_NaN_v<Real>);
    if (!is_good) parallel::atomic_lower(record->first_nonfinite, column);
    largest = Kokkos::max(largest, is_good ? Real(incomplete::magnitude(copied)) : Real(0));
  }
};

/// The memory of scaling, for kernels.
struct ScaleMemory {
  int rows;
  int* exponent;  ///< of each row, in the order of elimination, and a cell behind them; null: zeros
  int* steps;     ///< scales, and the largest logarithms of three steps; null where S is not looked for

  KOKKOS_FUNCTION int* cell() const { return exponent ? exponent + rows : nullptr; }
  /// Scales alternate between two arrays.
  KOKKOS_FUNCTION int* scale(int which) const { return which == 0 ? exponent : steps; }
  KOKKOS_FUNCTION int* largest(int step) const {
    return steps ? steps + static_cast<std::ptrdiff_t>(1 + step % 3) * rows : nullptr;
  }
};

/// What scaling needs, for one factor; nothing where there is none.
template <class Space>
class MatrixScaling {
  using Arrays = parallel::JoinedArrays<Space>;

 public:
  MatrixScaling(Scaling scaling, bool is_single) : scaling_(scaling), is_single_(is_single) {}

  /// How often the largest entries of the rows are looked for.
  int steps() const { return scaling_ == Scaling::None ? 0 : is_of_diagonal() ? 1 : equilibration_steps; }
  bool is_of_diagonal() const { return scaling_ == Scaling::Diagonal; }
  bool is_single() const { return is_single_; }

  /// Of the arrays that it takes.
  std::size_t bytes(std::size_t rows) const {
    return (has_exponents() ? Arrays::template bytes<int>(rows + 1) : 0) +
           (steps() > 0 ? Arrays::template bytes<int>(4 * rows) : 0);
  }
  void take(Arrays& arrays, std::size_t rows) {
    memory_.rows = static_cast<int>(rows);
    if (has_exponents()) memory_.exponent = arrays.template take<int>(rows + 1);
    if (steps() > 0) memory_.steps = arrays.template take<int>(4 * rows);
  }

  const ScaleMemory& memory() const { return memory_; }
  const int* exponents() const { return memory_.exponent; }

 private:
  static constexpr int equilibration_steps = 5;
  static_assert(equilibration_steps % 2 == 1);  // as many arrays of scales have been left as begun

  bool has_exponents() const { return steps() > 0 || is_single_; }

  Scaling scaling_;
  bool is_single_;
  ScaleMemory memory_{};
};

/// Finds S for these values and forgets the record; `logarithms` is memory for an integer for each entry. Enqueued.
template <class Space, class Scalar, class Offset, class Real>
void find_scales(const Space& space, const MatrixScaling<Space>& scaling, const EntryView<Scalar, Offset>& entries,
                 int* logarithms, PivotRecord<Real>* record) {
  const ScaleMemory& memory = scaling.memory();
  const int rows = memory.rows, steps = scaling.steps();
  const parallel::RepeatableLoops<Space> loops(space);
  loops.for_each(
      "terrace::ldlt::forget_values", std::max(rows, 1),
      ForgetValues<Real>{record, rows, memory.cell(), memory.scale(0), memory.largest(0), memory.largest(1)});
  if (steps > 0) {
    const EntryPieces<Scalar, Offset, Space> pieces{entries, space.concurrency() == 1};
    note_logarithms(
        space, NoteLogarithms<Scalar, Offset, Space>{pieces, logarithms, memory.largest(0), scaling.is_of_diagonal()},
        memory.cell());
    const auto rows_of_piece =
        static_cast<int>(parallel::divide_up(static_cast<std::size_t>(rows), std::max<std::size_t>(pieces.count(), 1)));
    // The last step's scales are where the exponents go.
    const auto left_by = [&](int step) {
      return RowLogarithms{memory.scale((steps - 1 - step) % 2), memory.largest(step)};
    };
    for (int step = 1; step < steps; ++step)
      balance_rows(space, BalanceRows<Scalar, Offset, Space>{pieces, rows, rows_of_piece, logarithms, left_by(step - 1),
                                                             left_by(step), memory.largest(step + 1)});
    loops.for_each("terrace::ldlt::round_scales", rows,
                   RoundScales{left_by(steps - 1), memory.cell(), memory.exponent});
  }
  if (!scaling.is_single()) return;
  // Where no logarithm is: what a further step would find, or a cell that no step has touched.
  int* const largest = steps > 0 && entries.count > 0 ? memory.largest(steps) : memory.cell();
  loops.find_largest("terrace::ldlt::note_exponents", entries.count,
                     NoteExponents<Scalar, Offset>{entries, memory.exponent}, largest);
  loops.for_each("terrace::ldlt::move_exponents", rows, MoveExponents{memory.exponent, largest});
}

/// Finds S for these values, and writes the entries of S A S; the record begins anew. Enqueued.
template <class Space, class Scalar, class FactorScalar, class Offset>
void scale_by_loops(const Space& space, const MatrixScaling<Space>& scaling, const EntryView<Scalar, Offset>& entries,
                    FactorScalar* to, PivotRecord<RealOf<FactorScalar>>* record) {
  static_assert(sizeof(FactorScalar) >= sizeof(int));
  const auto logarithms = reinterpret_cast<int*>(to);  // whose values come after them
  find_scales(space, scaling, entries, logarithms, record);
  parallel::RepeatableLoops<Space>(space).find_largest(
      "terrace::ldlt::copy_entries", entries.count,
      CopyEntries<Scalar, FactorScalar, Offset>{entries, scaling.exponents(), to, record}, &record->largest_entry);
}

/// The same, as it is done on a space; backends overload it (backends/ldlt.hpp).
template <class Space, class Scalar, class FactorScalar, class Offset>
void scale_entries(const Space& space, const MatrixScaling<Space>& scaling, const EntryView<Scalar, Offset>& entries,
                   FactorScalar* to, PivotRecord<RealOf<FactorScalar>>* record) {
  scale_by_loops(space, scaling, entries, to, record);
}

}  // namespace terrace::ldlt
