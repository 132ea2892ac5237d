// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x for the diagonals of a grid.
//
//     y_c = a_c x_c + sum over the neighbours n of c inside the grid of a_cn x_n
//
// No index is read: a symmetric matrix costs 4 diagonals, x and y per cell (48 bytes in double), where compressed rows
// take 7 values, 7 columns, a row offset, x and y (104 bytes). x comes from memory once, because the lines below and
// above are still in cache when they are needed again.
//
// On a host a line is one loop that a compiler can vectorize: neighbours that do not exist are read from a line of
// zeros instead of being asked for in the loop. On a device each cell is a thread.
#pragma once

#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

/// Vectors as kernels see them; a line of one has stride one when Contiguous.
template <class Scalar, bool Contiguous>
struct Vector {
  Scalar* data;
  Index stride;
  KOKKOS_FUNCTION Scalar& operator()(Index cell) const { return data[Contiguous ? cell : cell * stride]; }
  KOKKOS_FUNCTION Line<Scalar, Contiguous> line(Index first) const {
    return {&(*this)(first), Contiguous ? 1 : stride};
  }
};

/// (A x)_c for the cell c = (i, j, k).
template <class Scalar, class X>
KOKKOS_FUNCTION Scalar multiply_row(const Stencil<Scalar>& A, const int (&at)[Directions], Index c, const X& x) {
  Scalar sum = A.center[c] * x(c);
  for (int d = 0; d < Directions; ++d) {
    if (at[d] > 0) sum += A.lower[d](c) * x(c + A.lower[d].step);
    if (at[d] + 1 < A.extent[d]) sum += A.upper[d](c) * x(c + A.upper[d].step);
  }
  return sum;
}

/// The coefficients and the vector along one neighbouring line, or zeros twice.
template <class Scalar, bool Contiguous>
struct NeighbourLine {
  const Scalar* coefficients;
  Line<const Scalar, Contiguous> x;

  KOKKOS_FUNCTION NeighbourLine(const Stencil<Scalar>& A, const Side<Scalar>& side, bool exists,
                                const Vector<const Scalar, Contiguous>& vector, Index first)
      : coefficients(exists ? &side(first) : A.zeros),
        x(exists ? vector.line(first + side.step) : Line<const Scalar, Contiguous>{A.zeros, 1}) {}

  KOKKOS_FUNCTION Scalar operator()(Index i) const { return coefficients[i] * x[i]; }
};

/// Calls visit(c, (A x)_c) for the cells of line (j, k).
template <class Scalar, bool Contiguous, class Visit>
KOKKOS_FUNCTION void multiply_line(const Stencil<Scalar>& A, int j, int k, const Vector<const Scalar, Contiguous>& x,
                                   const Visit& visit) {
  const Index first = A.index(0, j, k);
  const int last = A.extent[X] - 1;
  const NeighbourLine<Scalar, Contiguous> south(A, A.lower[Y], j > 0, x, first);
  const NeighbourLine<Scalar, Contiguous> north(A, A.upper[Y], j + 1 < A.extent[Y], x, first);
  const NeighbourLine<Scalar, Contiguous> below(A, A.lower[Z], k > 0, x, first);
  const NeighbourLine<Scalar, Contiguous> above(A, A.upper[Z], k + 1 < A.extent[Z], x, first);
  const auto lines = [&](int i) { return south(i) + north(i) + below(i) + above(i); };
  const auto row = [&](int i) {
    const Index c = first + i;
    Scalar sum = A.center[c] * x(c) + lines(i);
    if (i > 0) sum += A.lower[X](c) * x(c - 1);
    if (i < last) sum += A.upper[X](c) * x(c + 1);
    visit(c, sum);
  };
  row(0);
  for (int i = 1; i < last; ++i) {
    const Index c = first + i;
    visit(c, A.center[c] * x(c) + A.lower[X](c) * x(c - 1) + A.upper[X](c) * x(c + 1) + lines(i));
  }
  if (last > 0) row(last);
}

template <class Scalar, bool Contiguous>
struct MultiplyLines {
  Stencil<Scalar> A;
  Vector<const Scalar, Contiguous> x;
  Vector<Scalar, Contiguous> y;

  KOKKOS_FUNCTION void operator()(Index line) const {
    const int j = static_cast<int>(line % A.extent[Y]), k = static_cast<int>(line / A.extent[Y]);
    multiply_line(A, j, k, x, [&](Index c, const Scalar& sum) { y(c) = sum; });
  }
};

template <class Scalar, bool Contiguous>
struct MultiplyCells {
  Stencil<Scalar> A;
  Vector<const Scalar, Contiguous> x;
  Vector<Scalar, Contiguous> y;

  KOKKOS_FUNCTION void operator()(Index c) const {
    const Index line = c / A.extent[X];
    const int at[Directions] = {static_cast<int>(c % A.extent[X]), static_cast<int>(line % A.extent[Y]),
                                static_cast<int>(line / A.extent[Y])};
    y(c) = multiply_row(A, at, c, x);
  }
};

template <class Scalar, bool Contiguous, class Space>
void multiply(const Space& space, const Stencil<Scalar>& A, const Vector<const Scalar, Contiguous>& x,
              const Vector<Scalar, Contiguous>& y) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;
  if constexpr (parallel::is_host_space<Space>)
    Kokkos::parallel_for("terrace::structured::multiply", Range(space, 0, A.lines()),
                         MultiplyLines<Scalar, Contiguous>{A, x, y});
  else
    Kokkos::parallel_for("terrace::structured::multiply", Range(space, 0, A.cells()),
                         MultiplyCells<Scalar, Contiguous>{A, x, y});
}

}  // namespace terrace::structured
