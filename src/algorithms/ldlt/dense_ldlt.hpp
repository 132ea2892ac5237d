// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// L D L^T of the own columns of a front, in place and without interchanges, tile by tile (left-looking).
//
// The panel is a matrix of `rows` x `columns`, column after column, of which the lower trapezoid is the matrix. Above
// the diagonal it comes to hold U = D L^T: each tile of L that is done leaves its W = L D there, transposed, so that
// the next block columns are updated by plain products, C -= L U, as in an LU factorization. D has an array of its own.
//
//     diagonal tile   blocks of 64 columns, in them 8 at a time, one column after the other
//     others          C -= L U with all columns before (BLAS 3), W = C L^-T (triangular solve), L = W D^-1
#pragma once

#include "algorithms/ldlt/blas.hpp"
#include "algorithms/ldlt/engine.hpp"
#include "algorithms/ldlt/front_tiles.hpp"

namespace terrace::ldlt {

template <class Scalar>
struct DensePanel {
  using Real = RealOf<Scalar>;

  Scalar* values;
  std::ptrdiff_t rows;  // and leading dimension
  Scalar* pivots;       // of its columns
  int first_column;     // of L, for the record

  Scalar* at(std::ptrdiff_t row, std::ptrdiff_t column) const { return values + row + column * rows; }
  int leading_dimension() const { return static_cast<int>(rows); }
};

/// A range of rows or columns.
struct Range {
  int begin, end;
  int size() const { return end - begin; }
};

/// C -= L U for the tile of these rows and columns, with the columns from `first` to where the tile begins.
template <class Scalar>
void update_tile(const DensePanel<Scalar>& panel, Range rows, Range columns, int first) {
  const int ld = panel.leading_dimension();
  subtract_product(Op::Plain, Op::Plain, rows.size(), columns.size(), columns.begin - first,
                   panel.at(rows.begin, first), ld, panel.at(first, columns.begin), ld,
                   panel.at(rows.begin, columns.begin), ld);
}

/// Eliminates column k in the block that ends with row `end`; of its columns those before `columns_end` are updated.
template <class Scalar>
void eliminate_column(const DensePanel<Scalar>& panel, int k, int columns_end, int end, const PivotRule<Scalar>& rule,
                      RealOf<Scalar>& growth) {
  Scalar* const column = panel.at(0, k);
  const Scalar pivot = rule.settle(panel.first_column + k, column[k]);
  using Real = RealOf<Scalar>;
  // Whatever is divided by a pivot that is not finite is no number; by infinity it would be zero.
  panel.pivots[k] = triangular::is_finite(pivot) ? pivot : Scalar(std::numeric_limits<Real>::quiet_NaN());
  const Scalar inverse = Scalar(1) / panel.pivots[k];
  for (int r = k + 1; r < end; ++r) {
    *panel.at(k, r) = column[r];
    column[r] *= inverse;
    if (const Real size = incomplete::magnitude(column[r]); size > growth) growth = size;
  }
  for (int j = k + 1; j < columns_end; ++j) {
    Scalar* const other = panel.at(0, j);
    const Scalar factor = other[k];
    for (int r = j; r < end; ++r) other[r] -= column[r] * factor;
  }
}

template <class Scalar>
void factorize_block(const DensePanel<Scalar>& panel, Range block, const PivotRule<Scalar>& rule,
                     RealOf<Scalar>& growth) {
  constexpr int width = 8;
  for (int k = block.begin; k < block.end; k += width) {
    const int end = std::min(k + width, block.end);
    update_tile(panel, {k, block.end}, {k, end}, block.begin);
    for (int column = k; column < end; ++column) eliminate_column(panel, column, end, block.end, rule, growth);
  }
}

/// W is there: L = W D^-1, and above the diagonal U = W^T where the rows are own rows. 8 rows at a time: a column of U
/// is then written from top to bottom.
template <class Scalar>
void scale_tile(const DensePanel<Scalar>& panel, Range rows, Range columns, bool own_rows, RealOf<Scalar>& growth) {
  using Real = RealOf<Scalar>;
  constexpr int width = 8;
  Real largest[width] = {};
  for (int r = rows.begin; r < rows.end; r += width) {
    const int count = std::min(width, rows.end - r);
    for (int c = columns.begin; c < columns.end; ++c) {
      Scalar* const entry = panel.at(r, c);
      const Scalar inverse = Scalar(1) / panel.pivots[c];
      if (own_rows)
        for (int s = 0; s < count; ++s) *panel.at(c, r + s) = entry[s];
      for (int s = 0; s < count; ++s) {
        entry[s] *= inverse;
        const Real size = incomplete::magnitude(entry[s]);
        largest[s] = size > largest[s] ? size : largest[s];
      }
    }
  }
  for (const Real size : largest) growth = std::max(growth, size);
}

/// W = C L^-T with the diagonal tile of these columns, and L.
template <class Scalar>
void finish_tile(const DensePanel<Scalar>& panel, Range rows, Range columns, bool own_rows, RealOf<Scalar>& growth) {
  const int ld = panel.leading_dimension();
  solve_unit_lower(Side::Right, Op::Transposed, rows.size(), columns.size(), panel.at(columns.begin, columns.begin), ld,
                   panel.at(rows.begin, columns.begin), ld);
  scale_tile(panel, rows, columns, own_rows, growth);
}

template <class Scalar>
void factorize_diagonal_tile(const DensePanel<Scalar>& panel, Range tile, const PivotRule<Scalar>& rule,
                             RealOf<Scalar>& growth) {
  constexpr int width = 64;
  for (int k = tile.begin; k < tile.end; k += width) {
    const Range block{k, std::min(k + width, tile.end)};
    update_tile(panel, {k, tile.end}, block, tile.begin);
    factorize_block(panel, block, rule, growth);
    if (block.end < tile.end) finish_tile(panel, {block.end, tile.end}, block, true, growth);
  }
}

}  // namespace terrace::ldlt
