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

#include "algorithms/ldlt/balance_alone.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/joined_arrays.hpp"
#include "parallel/repeated_work.hpp"

namespace terrace::ldlt {

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
    bool is_balanced = false;
    if constexpr (parallel::is_host_space<Space>)
      if (pieces.is_alone && !scaling.is_of_diagonal() && BalanceAlone<Scalar, Offset>::pays(entries.count, rows)) {
        parallel::run_alone(space, "terrace::ldlt::balance_alone",
                            BalanceAlone<Scalar, Offset>{entries, memory, steps, logarithms});
        is_balanced = true;
      }
    if (!is_balanced) {
      note_logarithms(
          space, NoteLogarithms<Scalar, Offset, Space>{pieces, logarithms, memory.largest(0), scaling.is_of_diagonal()},
          memory.cell());
      const auto rows_of_piece = static_cast<int>(
          parallel::divide_up(static_cast<std::size_t>(rows), std::max<std::size_t>(pieces.count(), 1)));
      for (int step = 1; step < steps; ++step)
        balance_rows(space, BalanceRows<Scalar, Offset, Space>{pieces, rows, rows_of_piece, logarithms,
                                                               memory.left_by(step - 1, steps),
                                                               memory.left_by(step, steps), memory.largest(step + 1)});
    }
    loops.for_each("terrace::ldlt::round_scales", rows,
                   RoundScales{memory.left_by(steps - 1, steps), memory.cell(), memory.exponent});
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
