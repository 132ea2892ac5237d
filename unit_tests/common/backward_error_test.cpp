// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/backward_error.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "common/host_matrix.hpp"

namespace terrace::common {
namespace {

/// [2 . .; 1 4 .; . 3 5]
template <class Number>
HostMatrix<Number> small_matrix() {
  return {3, {0, 1, 3, 5}, {0, 0, 1, 1, 2}, {2, 1, 4, 3, 5}};
}

template <class Number>
double error_of(const HostMatrix<Number>& A, const std::vector<Number>& b, const std::vector<Number>& x,
                bool transposed = false) {
  return backward_error(b.size(), b.data(), x.data(), [&](const auto& visit) { for_each_entry(A, transposed, visit); });
}

TEST(BackwardErrorOfTerms, IsZeroForTheExactSolution) {
  EXPECT_EQ(error_of<double>(small_matrix<double>(), {2, 5, 8}, {1, 1, 1}), 0.0);
  EXPECT_EQ(error_of<float>(small_matrix<float>(), {2, 5, 8}, {1, 1, 1}), 0.0);
}

TEST(BackwardErrorOfTerms, IsTheRelativeResidualOfTheWorstRow) {
  EXPECT_DOUBLE_EQ(error_of<double>(small_matrix<double>(), {2, 5, 8}, {1, 1, 2}), 5.0 / (3 + 10 + 8));
}

TEST(BackwardErrorOfTerms, KnowsTheTranspose) {
  EXPECT_EQ(error_of<double>(small_matrix<double>(), {3, 7, 5}, {1, 1, 1}, true), 0.0);
  const HostMatrix<double> T = transpose(small_matrix<double>());
  EXPECT_EQ(T.row_map, (std::vector<std::size_t>{0, 2, 4, 5}));
  EXPECT_EQ(T.entries, (std::vector<int>{0, 1, 1, 2, 2}));
  EXPECT_EQ(error_of<double>(T, {3, 7, 5}, {1, 1, 1}), 0.0);
}

TEST(BackwardErrorOfTerms, IsNanForASolutionWithNanOrInf) {
  EXPECT_TRUE(std::isnan(error_of<double>(small_matrix<double>(), {2, 5, 8}, {std::nan(""), 1, 1})));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(error_of<double>(small_matrix<double>(), {2, 5, 8}, {1, 1, inf})));
}

TEST(BackwardErrorOfTerms, IsNanForWhatIsNotFiniteInAnyPlace) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const bool transposed : {false, true})
      for (std::size_t place = 0; place < 3; ++place) {
        std::vector<double> x(3, 0.0);
        x[place] = bad;
        EXPECT_TRUE(std::isnan(error_of<double>(small_matrix<double>(), {0, 0, 0}, x, transposed))) << place;
      }
}

TEST(BackwardErrorOfTerms, CountsZeroOverZeroAsZero) {
  EXPECT_EQ(error_of<double>({1, {0, 0}, {}, {}}, {0}, {7}), 0.0);
}

TEST(BackwardErrorOfTerms, SubtractsFloatsInDouble) {
  const double error = error_of<float>({1, {0, 1}, {0}, {1.0f}}, {1.0f}, {1.0f + 0x1p-23f});
  EXPECT_DOUBLE_EQ(error, 0x1p-23 / (2 + 0x1p-23));
}

TEST(BackwardErrorOfTerms, SeesAWrongImaginaryPart) {
  using Complex = std::complex<double>;
  const HostMatrix<Complex> A{1, {0, 1}, {0}, {{0, 2}}};
  EXPECT_EQ(error_of<Complex>(A, {{0, 2}}, {{1, 0}}), 0.0);
  EXPECT_GT(error_of<Complex>(A, {{0, 2}}, {{1, 0.5}}), 0.1);
}

}  // namespace
}  // namespace terrace::common
