// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::StructuredMatrix: check once, multiply.
#pragma once

#include "algorithms/structured/check_diagonals.hpp"
#include "algorithms/structured/multiply.hpp"
#include "algorithms/structured/vectors.hpp"
#include "backends/failures.hpp"

namespace terrace {
namespace structured {

template <class Scalar, class Space>
void check_lengths(const Grid& grid, const GeneralDiagonals<Scalar, Space>& d, bool is_symmetric) {
  check_length(grid, d.center, "center", 0);
  check_length(grid, d.upper_x, is_symmetric ? "x" : "upper_x", grid.nx);
  check_length(grid, d.upper_y, is_symmetric ? "y" : "upper_y", grid.ny);
  check_length(grid, d.upper_z, is_symmetric ? "z" : "upper_z", grid.nz);
  if (is_symmetric) return;
  check_length(grid, d.lower_x, "lower_x", grid.nx);
  check_length(grid, d.lower_y, "lower_y", grid.ny);
  check_length(grid, d.lower_z, "lower_z", grid.nz);
}

template <class Scalar, class Space>
void check_matrix(const Space& space, const StructuredMatrix<Scalar, Space>& A) {
  check_lengths(A.grid(), A.diagonals(), A.is_symmetric());
  check_boundary(space, A.grid(), make_stencil(A), A.is_symmetric());
}

/// A line of zeros, for a grid that can be counted.
template <class Scalar, class Space>
auto make_zeros(const Space& space, const Grid& grid) {
  check_grid(grid);
  return parallel::zeros<Scalar>(space, "terrace::structured::zeros", static_cast<std::size_t>(grid.nx));
}

}  // namespace structured

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space>::StructuredMatrix(const Space& space, const Grid& grid,
                                                  const SymmetricDiagonals<Scalar, Space>& d)
    : StructuredMatrix(space, grid, {d.center, d.x, d.y, d.z, {}, {}, {}}, true) {}

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space>::StructuredMatrix(const Space& space, const Grid& grid,
                                                  const GeneralDiagonals<Scalar, Space>& diagonals)
    : StructuredMatrix(space, grid, diagonals, false) {}

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space>::StructuredMatrix(const Space& space, const Grid& grid,
                                                  const GeneralDiagonals<Scalar, Space>& diagonals,
                                                  bool is_symmetric) try
    : grid_(grid), is_symmetric_(is_symmetric), diagonals_(diagonals) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  zeros_ = structured::make_zeros<Scalar>(space, grid);
  structured::check_matrix(space, *this);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredMatrix");
}

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space>::~StructuredMatrix() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  zeros_ = {};
}

template <class Scalar, class Space>
void StructuredMatrix<Scalar, Space>::multiply(const Space& space, const_vectors x, vectors y, Op op) const {
  structured::check_vectors(grid_, "x", x, "y", y);
  structured::for_each_column(x, y, [&](const auto& x_column, const auto& y_column) {
    structured::multiply(space, structured::make_stencil(*this, op), x_column, y_column);
  });
}

}  // namespace terrace
