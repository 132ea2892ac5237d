// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices in compressed rows on the host, in the widest precision.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <terrace/matrix_market.hpp>
#include <terrace/triangular_options.hpp>
#include <vector>

#include "common/host_matrix.hpp"
#include "report/terminal.hpp"

namespace terrace::tools {

/// Number: double or std::complex<double>. `n` counts rows; a matrix that is only looked at need not be square.
template <class Number>
using HostMatrix = common::HostMatrix<Number>;

/// Reads a file while the progress line shows how far it has come. \throws Error InvalidFile, OutOfMemory.
MatrixMarketMatrix read_matrix(const std::string& path, ProgressLine& progress);

/// "the matrix is 2x3; an iteration needs a square matrix", for what = "an iteration".
std::string not_square_message(const MatrixMarketHeader& header, const std::string& what);

/// Takes over what was read. A real matrix of a complex file has the real parts.
template <class Number>
HostMatrix<Number> to_host_matrix(MatrixMarketMatrix&& matrix);

/// The chosen triangle; without its diagonal when that is taken as one.
template <class Number>
HostMatrix<Number> triangle_of(const HostMatrix<Number>& matrix, Uplo uplo, Diag diag);

/// How a matrix compares with its transpose, off the diagonal.
struct SymmetryFacts {
  bool structure = false;  ///< wherever (i, j) is stored, so is (j, i)
  double matched = 1;      ///< the fraction of entries for which that holds
  bool symmetric = false;  ///< equal values, exactly; likewise the next two, whose diagonal counts too
  bool skew_symmetric = false;
  bool hermitian = false;
};

/// Looks for the mirror image of every entry by bisection: O(entries log(row length)), no transpose.
template <class Number>
SymmetryFacts find_symmetry(const HostMatrix<Number>& matrix);

/// The first row with an entry off the diagonal that differs from its mirror image, or whose mirror image is not
/// stored. NaN counts as equal to NaN.
template <class Number>
std::optional<std::int64_t> first_asymmetric_row(const HostMatrix<Number>& matrix);

/// Numbers with parts in [-1, 1], the same on every platform.
template <class Number>
std::vector<Number> random_numbers(std::size_t count, std::mt19937_64& generator);

/// Replaces every number by the nearest one that fits into single precision.
template <class Number>
void round_to_single(std::vector<Number>& numbers);

}  // namespace terrace::tools
