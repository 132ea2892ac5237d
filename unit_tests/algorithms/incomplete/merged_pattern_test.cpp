// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric matrix whose rows are in order stays where it is, and one thread remembers of no entry where its mirror
// image stands: the numbers are those of a copy that does, and come from one triangle.
#include "algorithms/incomplete/merged_pattern.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <terrace/ilu.hpp>
#include <vector>

#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;
using Tested = Combination<double, int, Space>;
using Symbolic = IluSymbolic<int, int, Space>;
using Factor = IluFactor<double, int, int, Space>;

/// NaN in the triangle that nobody shall read.
reference::RealMatrix with_one_triangle(reference::RealMatrix matrix, Uplo uplo) {
  for (int row = 0; row < matrix.size(); ++row)
    for (auto& [column, value] : matrix.rows[row])
      if (column != row && (column > row) != (uplo == Uplo::Upper)) value = std::numeric_limits<double>::quiet_NaN();
  return matrix;
}

std::vector<Factor> factors_of(const reference::RealMatrix& matrix, const IluSymbolicOptions& options,
                               const std::vector<IluFactorOptions>& numeric, bool is_sorted) {
  const auto once = reference::compress(with_one_triangle(matrix, options.uplo), is_sorted);
  auto doubled = once;
  for (double& value : doubled.values) value *= 2;
  const DeviceArrays<Tested> arrays(once), others(doubled);
  const Symbolic symbolic(Space(), arrays.row_map, arrays.entries, options);
  const std::size_t entries = arrays.entries.extent(0), bytes = symbolic.info().bytes_held;
  EXPECT_EQ(bytes >= entries * sizeof(int), !is_sorted) << "whether it remembers something of each entry";
  std::vector<Factor> factors;
  for (const auto& options_of_factor : numeric) {
    factors.emplace_back(Space(), symbolic, arrays.values, options_of_factor);
    factors.back().refactorize(Space(), others.values);
    factors.back().refactorize(Space(), arrays.values);
  }
  return factors;
}

TEST(MergedPattern, TakesMirrorImagesOnItsWayWithTheSameBits) {
  const std::vector<IluFactorOptions> numeric{
      {}, {.relaxation = 0.7}, {.scaling = Scaling::Diagonal}, {.relaxation = 1, .scaling = Scaling::Diagonal}};
  int shapes = 0;
  for (const auto& shape : reference::elimination_shapes()) {
    if (!reference::is_symmetric(shape.matrix) || shape.matrix.size() < 100) continue;
    if (std::string(shape.name) == "diagonal") continue;  // as many diagonals as entries
    ++shapes;
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      const IluSymbolicOptions options{.factorization = Factorization::Cholesky, .uplo = uplo};
      const auto expected = factors_of(shape.matrix, options, numeric, false);
      const auto found = factors_of(shape.matrix, options, numeric, true);
      for (std::size_t k = 0; k < numeric.size(); ++k) {
        ASSERT_TRUE(expected[k].info().succeeded()) << shape.name;
        EXPECT_TRUE(found[k].info().succeeded()) << shape.name;
        EXPECT_EQ(to_host(found[k].values()), to_host(expected[k].values()))
            << shape.name << ", " << to_string(uplo) << ", options " << k;
      }
    }
  }
  EXPECT_GE(shapes, 10);
}

}  // namespace
}  // namespace terrace::test
