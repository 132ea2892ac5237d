// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms of entries, and the largest of each row, of which the steps of Ruiz's iteration are made
// (matrix_values.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "algorithms/ldlt/engine.hpp"
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
inline constexpr int no_logarithm = -(1 << 30);

/// Whether it is one, or a sum of one with scales, whose size is less than 2^28.
KOKKOS_INLINE_FUNCTION constexpr bool is_logarithm(int number) { return number > no_logarithm / 2; }

/// log2(1 + x) - x within 2^-10: x (1 - x) (a - b x), where a and b are those with the smallest largest error. In units
/// of 2^-16; no product has more than 30 bits.
KOKKOS_INLINE_FUNCTION constexpr unsigned curve_of_logarithm(unsigned x) {
  constexpr unsigned one = 1u << bits_of_logarithm, a = 27713, b = 10435;  // 0.42287, 0.15922
  return x * (one - x) / one * (a - b * x / one) / one;
}

/// log2 |a_ij| within 2^-10, or no_logarithm. By integers from the bits of the number, so that it is the same on every
/// space.
template <class Scalar>
KOKKOS_INLINE_FUNCTION int logarithm_of(const Scalar& value) {
  constexpr int digits = std::numeric_limits<double>::digits - 1;
  constexpr unsigned one = 1u << bits_of_logarithm;
  const auto size = static_cast<double>(incomplete::magnitude(value));
  if (!(size > 0) || !triangular::is_finite(size)) return no_logarithm;
  const bool is_normal = size >= Kokkos::Experimental::norm_min_v<double>;
  const auto bits = Kokkos::bit_cast<std::uint64_t>(is_normal ? size : size * 0x1p54);
  const int exponent = static_cast<int>(bits >> digits) - parallel::largest_exponent<double> - (is_normal ? 0 : 54);
  const auto x = static_cast<unsigned>(bits >> (digits - bits_of_logarithm)) % one;
  return exponent * static_cast<int>(one) + static_cast<int>(x + curve_of_logarithm(x));
}

/// The scale of a row after a step of Ruiz's iteration that began with `scale` and found the largest logarithm.
KOKKOS_INLINE_FUNCTION int balanced(int scale, int largest) {
  return is_logarithm(largest) ? (scale - largest) >> 1 : scale;
}

/// The exponent of a row whose last step began with `scale`; without a number of its own, that of the largest of all.
KOKKOS_INLINE_FUNCTION int rounded_exponent(int scale, int largest, int largest_of_all) {
  const int of_all = is_logarithm(largest_of_all) ? -largest_of_all >> 1 : 0;
  const int last = is_logarithm(largest) ? balanced(scale, largest) : of_all;
  return (last + (1 << (bits_of_logarithm - 1))) >> bits_of_logarithm;
}

/// What one step of Ruiz's iteration leaves: s_i of each row before it, and m_i = max_j (log2 |a_ij| + s_j), which it
/// finds. After it the row's is s_i - (s_i + m_i) / 2.
struct RowLogarithms {
  int* scale;
  int* largest;

  KOKKOS_FUNCTION int next(int row) const { return balanced(scale[row], largest[row]); }
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
  /// What a step works on. The scales of the last of `of_steps` are where the exponents go.
  KOKKOS_FUNCTION RowLogarithms left_by(int step, int of_steps) const {
    return {scale((of_steps - 1 - step) % 2), largest(step)};
  }
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

}  // namespace terrace::ldlt
