// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "No fence, no allocation" of structured grids: products and solves by every algorithm, captured in a graph, which
// refuses a wait or an allocation, and replayed with other vectors.
#pragma once

#include <terrace/structured_factor.hpp>

#include "support/captured_apply.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/every_option.hpp"

namespace terrace::test {

template <class T>
class CaptureGridsTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Factor = StructuredFactor<Scalar, Kokkos::Cuda>;

  CaptureGridsTest() : space(cuda_instance()) {}

  /// test(matrix of the host, whether it is symmetric) for flat grids and others, with every operation.
  static void for_each_matrix(const auto& test) {
    for (const Grid& grid : {Grid{70, 33, 1}, Grid{7, 30, 12}, Grid{20, 21, 22}})
      for (const bool symmetric : {true, false}) {
        SCOPED_TRACE(to_string(grid) + (symmetric ? " symmetric" : " general"));
        test(reference::make_grid_matrix<Scalar>(grid, symmetric, 5, 2.0), symmetric);
      }
  }

  /// apply(in, out, op) for every operation, one vector and several.
  void expect_captured(int rows, int columns, const auto& apply) const {
    for (const Op op : all_ops()) {
      SCOPED_TRACE(to_string(op));
      expect_captured_in_every_rank<T>(space, rows, columns,
                                       [&](const auto& in, const auto& out) { apply(in, out, op); });
    }
  }

  Kokkos::Cuda space;
};

TYPED_TEST_SUITE_P(CaptureGridsTest);

TYPED_TEST_P(CaptureGridsTest, Products) {
  this->for_each_matrix([&](const auto& A, bool symmetric) {
    const auto matrix = to_device_matrix<TypeParam>(A, symmetric);
    this->expect_captured(A.size(), 3,
                          [&](const auto& x, const auto& y, Op op) { matrix.multiply(this->space, x, y, op); });
  });
}

TYPED_TEST_P(CaptureGridsTest, SolvesAndTheirHalvesByEveryAlgorithm) {
  this->for_each_matrix([&](const auto& A, bool symmetric) {
    const auto matrix = to_device_matrix<TypeParam>(A, symmetric);
    for (const auto algorithm : {SweepAlgorithm::Automatic, SweepAlgorithm::Wavefronts})
      for (const int right_hand_sides : {1, 3}) {
        SCOPED_TRACE(to_string(algorithm));
        const typename TestFixture::Factor M(
            this->space, matrix, {.relaxation = 0.5, .algorithm = algorithm, .right_hand_sides = right_hand_sides});
        this->expect_captured(A.size(), 3,
                              [&](const auto& b, const auto& x, Op op) { M.solve(this->space, b, x, op); });
        this->expect_captured(A.size(), 2,
                              [&](const auto& b, const auto& x, Op op) { M.solve_forward(this->space, b, x, op); });
        this->expect_captured(A.size(), 2,
                              [&](const auto& b, const auto& x, Op op) { M.solve_backward(this->space, b, x, op); });
      }
  });
}

REGISTER_TYPED_TEST_SUITE_P(CaptureGridsTest, Products, SolvesAndTheirHalvesByEveryAlgorithm);

}  // namespace terrace::test
