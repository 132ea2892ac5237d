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

#include "algorithms/ldlt/engine.hpp"
#include "parallel/loops.hpp"
#include "parallel/powers_of_two.hpp"

namespace terrace::ldlt {

/// Where entries stand, and their values. For kernels.
template <class Scalar, class Offset>
struct EntryView {
  std::size_t count;
  const Offset* source;
  const int* row;
  const int* column;
  const Scalar* values;  // the caller's

  KOKKOS_FUNCTION const Scalar& value(std::size_t e) const { return values[source[e]]; }
};

inline constexpr double no_logarithm = -1e300;

/// log2 |a_ij|; far below every other where that is no number.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double logarithm_of(const Scalar& value) {
  const auto size = static_cast<double>(incomplete::magnitude(value));
  return size > 0 && triangular::is_finite(size) ? Kokkos::log2(size) : no_logarithm;
}

/// Entries that one iteration of a loop over entries takes. They are sorted by columns, and a host's thread raises what
/// belongs to a column once.
template <class Space>
inline constexpr std::size_t entries_at_once = parallel::is_host_space<Space> ? 1024 : 1;

/// The logarithms of all entries, for hosts, which look at them several times.
template <class Scalar, class Offset>
struct NoteLogarithms {
  EntryView<Scalar, Offset> entries;
  double* logarithms;
  KOKKOS_FUNCTION void operator()(std::size_t e) const { logarithms[e] = logarithm_of(entries.value(e)); }
};

/// largest[i] = max_j log2 |2^(s_i + s_j) a_ij|; of the diagonal alone, or of all entries.
template <class Scalar, class Offset, class Space>
struct LargestLogarithms {
  EntryView<Scalar, Offset> entries;
  const double* logarithms;  // null: not known
  const double* scale;
  double* largest;
  bool diagonal_only;
  bool is_alone;  // one thread does everything

  KOKKOS_FUNCTION void operator()(std::size_t piece) const {
    const std::size_t begin = piece * entries_at_once<Space>;
    const std::size_t end = Kokkos::min(begin + entries_at_once<Space>, entries.count);
    int column = entries.column[begin];
    double of_column = no_logarithm;
    for (std::size_t e = begin; e < end; ++e) {
      if (entries.column[e] != column) {
        raise(largest[column], of_column);
        column = entries.column[e];
        of_column = no_logarithm;
      }
      const int row = entries.row[e];
      if (diagonal_only && row != column) continue;
      const double of_value = logarithms ? logarithms[e] : logarithm_of(entries.value(e));
      if (of_value == no_logarithm) continue;
      const double logarithm = of_value + scale[row] + scale[column];
      of_column = Kokkos::max(of_column, logarithm);
      if (row != column) raise(largest[row], logarithm);
    }
    raise(largest[column], of_column);
  }

  KOKKOS_FUNCTION void raise(double& cell, double value) const {
    if (!is_alone) parallel::atomic_raise(cell, value);
    else if (cell < value) cell = value;
  }
};

struct BalanceRows {
  double* scale;
  double* largest;
  KOKKOS_FUNCTION void operator()(int row) const {
    if (largest[row] > no_logarithm) scale[row] -= largest[row] / 2;
    largest[row] = no_logarithm;
  }
};

struct ForgetScales {
  double* scale;
  double* largest;
  const int* cell;  // of A
  KOKKOS_FUNCTION void operator()(int row) const {
    scale[row] = *cell > 0 ? (parallel::exponent_bias - *cell) / 2.0 : 0.0;
    largest[row] = no_logarithm;
  }
};

struct ForgetExponents {
  int* exponent;
  KOKKOS_FUNCTION void operator()(int row) const { exponent[row] = 0; }
};

/// Forgets the cell too.
struct RoundScales {
  const double* scale;
  int* exponent;
  int* cell;
  KOKKOS_FUNCTION void operator()(int row) const {
    exponent[row] = static_cast<int>(Kokkos::floor(scale[row] + 0.5));
    if (row == 0) *cell = 0;
  }
};

/// The exponent of the largest number of S A S, with a bias; 0 where there is none.
template <class Scalar, class Offset>
struct NoteExponents {
  EntryView<Scalar, Offset> entries;
  const int* exponent;  // null: S is one
  KOKKOS_FUNCTION void operator()(std::size_t e, int& largest) const {
    const int moved = exponent ? exponent[entries.row[e]] + exponent[entries.column[e]] : 0;
    const auto size = static_cast<double>(incomplete::magnitude(entries.value(e)));
    const bool is_good = size > 0 && triangular::is_finite(size);
    largest =
        Kokkos::max(largest, is_good ? static_cast<int>(Kokkos::logb(size)) + moved + parallel::exponent_bias : 0);
  }
};

/// largest = the maximum of what the functor finds for each entry, which is not negative; as it was where there are
/// none. Enqueued. By a reduction: where the threads of a device raised one cell, those that came first took ten times
/// as long as all else that they had to do.
template <class Value, class Space, class Functor>
void find_largest(const char* label, const Space& space, std::size_t entries, const Functor& functor, Value* largest) {
  const Kokkos::View<Value, parallel::Device<Space>, Kokkos::MemoryTraits<Kokkos::Unmanaged>> result(largest);
  if (entries > 0)
    parallel::reduce_range(label, Kokkos::RangePolicy<Space>(space, 0, entries), functor,
                           Kokkos::Max<Value, parallel::Device<Space>>(result));
}

struct MoveExponents {
  int* exponent;
  const int* cell;
  KOKKOS_FUNCTION void operator()(int row) const {
    if (*cell > 0) exponent[row] -= (*cell - parallel::exponent_bias) / 2;
  }
};

template <class Real>
struct ForgetRecord {
  PivotRecord<Real>* record;
  int* cell;
  int rows;
  KOKKOS_FUNCTION void operator()(int) const {
    record->forget(rows);
    if (cell) *cell = 0;
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
    Scalar value = entries.value(e);
    if (exponent)
      value = parallel::scaled_by_power_of_two<RealOf<Scalar>>(value,
                                                               exponent[entries.row[e]] + exponent[entries.column[e]]);
    const auto copied = static_cast<FactorScalar>(value);
    const bool is_good = triangular::is_finite(copied);
    to[e] = is_good ? copied : FactorScalar(Kokkos::Experimental::quiet_NaN_v<Real>);
    if (!is_good) parallel::atomic_lower(record->first_nonfinite, entries.column[e]);
    largest = Kokkos::max(largest, is_good ? Real(incomplete::magnitude(copied)) : Real(0));
  }
};

template <class Scalar, class FactorScalar, class Offset, class Space>
void copy_entries(const Space& space, const EntryView<Scalar, Offset>& entries, const int* exponent, FactorScalar* to,
                  PivotRecord<RealOf<FactorScalar>>* record) {
  find_largest("terrace::ldlt::copy_entries", space, entries.count,
               CopyEntries<Scalar, FactorScalar, Offset>{entries, exponent, to, record}, &record->largest_entry);
}

/// What scaling needs, for one factor.
template <class Space>
class MatrixScaling {
 public:
  MatrixScaling() = default;
  MatrixScaling(const Space& space, int rows, std::size_t entries, Scaling scaling, bool is_single)
      : scaling_(scaling), is_single_(is_single) {
    if (scaling == Scaling::None && !is_single) return;
    const auto count = static_cast<std::size_t>(rows);
    exponent_ = parallel::zeros<int>(space, "terrace::ldlt::exponents", count + 1);
    if (scaling == Scaling::None) return;
    scale_ = parallel::uninitialized<double>(space, "terrace::ldlt::scale", 2 * count);
    if (parallel::is_host_space<Space> && scaling == Scaling::Equilibrate)
      logarithms_ = parallel::uninitialized<double>(space, "terrace::ldlt::logarithms", entries);
  }

  /// Of each row, in the order of elimination; null: zeros.
  const int* exponents() const { return exponent_.data(); }

  /// Finds S for these values and forgets the record. Enqueued.
  template <class Scalar, class Offset, class Real>
  void find(const Space& space, int rows, const EntryView<Scalar, Offset>& entries, PivotRecord<Real>* record) const {
    int* const cell = exponent_.data() ? exponent_.data() + rows : nullptr;
    const auto each_row = [&](const char* label, const auto& functor) {
      parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, rows), functor);
    };
    parallel::for_range("terrace::ldlt::forget_record", Kokkos::RangePolicy<Space>(space, 0, 1),
                        ForgetRecord<Real>{record, cell, rows});
    if (scaling_ != Scaling::None) {
      double* const scale = scale_.data();
      double* const largest = scale + rows;
      find_largest("terrace::ldlt::note_exponents", space, entries.count,
                   NoteExponents<Scalar, Offset>{entries, nullptr}, cell);
      each_row("terrace::ldlt::forget_scales", ForgetScales{scale, largest, cell});
      const bool diagonal_only = scaling_ == Scaling::Diagonal;
      if (logarithms_.data())
        parallel::for_range("terrace::ldlt::note_logarithms", Kokkos::RangePolicy<Space>(space, 0, entries.count),
                            NoteLogarithms<Scalar, Offset>{entries, logarithms_.data()});
      const LargestLogarithms<Scalar, Offset, Space> raise_rows{entries, logarithms_.data(), scale,
                                                                largest, diagonal_only,      space.concurrency() == 1};
      const std::size_t pieces = (entries.count + entries_at_once<Space> - 1) / entries_at_once<Space>;
      for (int step = 0; step < (diagonal_only ? 1 : equilibration_steps); ++step) {
        parallel::for_range("terrace::ldlt::largest_logarithms", Kokkos::RangePolicy<Space>(space, 0, pieces),
                            raise_rows);
        each_row("terrace::ldlt::balance_rows", BalanceRows{scale, largest});
      }
      each_row("terrace::ldlt::round_scales", RoundScales{scale, exponent_.data(), cell});
    } else if (is_single_) {
      each_row("terrace::ldlt::forget_exponents", ForgetExponents{exponent_.data()});
    }
    if (!is_single_) return;
    find_largest("terrace::ldlt::note_exponents", space, entries.count,
                 NoteExponents<Scalar, Offset>{entries, exponent_.data()}, cell);
    each_row("terrace::ldlt::move_exponents", MoveExponents{exponent_.data(), cell});
  }

  std::size_t bytes_held() const {
    return exponent_.span() * sizeof(int) + (scale_.span() + logarithms_.span()) * sizeof(double);
  }

 private:
  static constexpr int equilibration_steps = 5;

  Scaling scaling_ = Scaling::None;
  bool is_single_ = false;
  Kokkos::View<int*, parallel::Device<Space>> exponent_;  // and a cell behind them
  Kokkos::View<double*, parallel::Device<Space>> scale_;  // and the largest logarithms
  Kokkos::View<double*, parallel::Device<Space>> logarithms_;
};

}  // namespace terrace::ldlt
