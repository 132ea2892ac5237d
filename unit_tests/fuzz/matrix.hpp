// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices as a draw makes them: on the host, in complex double precision whatever type they are tested in.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "fuzz/draw.hpp"

namespace terrace::fuzz {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;
using Row = std::vector<std::pair<int, Number>>;  ///< columns and values, in any order, none twice
using Rows = std::vector<Row>;

/// What a scalar type can hold.
struct ScalarTraits {
  bool is_complex = false;
  double epsilon = 0;
  double least_normal = 0;
  double least = 0;  ///< denormal
  double largest = 0;
  int far_exponent = 0;  ///< badly scaled entries lie between 2^-far and 2^far

  Number rounded(const Number& value) const;
};

/// What the values of a matrix are like.
enum class Numerics {
  Dominant,  ///< the diagonal outweighs its row and its column: elimination without pivoting is stable
  Random,    ///< entries of any size up to one
  Integers,  ///< small ones, so that sums cancel to zero
  Scaled,    ///< dominant, and then rows and columns are multiplied by powers of two far apart
};

struct MatrixRequest {
  bool is_symmetric = false;  ///< a_ij = a_ji
  bool is_hermitian = false;
  bool may_be_wild = true;           ///< other than Dominant
  bool may_lack_diagonals = true;    ///< entries of the diagonal that are not stored
  bool may_have_zero_pivots = true;  ///< entries of the diagonal that are zero
  bool may_have_nonfinite = true;    ///< NaN; Inf beside the diagonal
  int largest = 5000;
  std::size_t max_entries = 200000;
};

struct HostMatrix {
  Rows rows;
  Numerics numerics = Numerics::Dominant;
  bool is_sorted = true;

  int size() const { return static_cast<int>(rows.size()); }
  std::size_t entries() const;

  /// How many entries elimination would fill in at most if each row was the first: sum of the products of what stands
  /// in a row and in its column.
  std::size_t products() const;
};

/// Draws the kind, the number of rows, the values and the order of the entries in rows.
HostMatrix draw_matrix(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits);

/// Other values of the same numerics for the same pattern.
void draw_values(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits, HostMatrix& matrix);

/// Compressed rows.
struct Arrays {
  std::vector<std::size_t> row_map{0};
  std::vector<int> entries;
  Numbers values;
  int rows() const { return static_cast<int>(row_map.size()) - 1; }
};
Arrays compress(const Rows& rows);

Rows transposed(const Rows& rows, int columns);
Rows sorted(Rows rows);

/// n numbers, mostly finite; with `may_have_nonfinite` a NaN or an Inf at times.
Numbers draw_vector(Draw& draw, int n, const ScalarTraits& traits, bool may_have_nonfinite);

bool is_finite(const Number& value);
bool all_finite(const Rows& rows);

}  // namespace terrace::fuzz
