// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured matrices and their factorizations as operators of KrylovSolver, against the same system in rows.
#include <terrace/terrace.hpp>

#include "support/device_grid_matrix.hpp"

namespace terrace::test {
namespace {

template <class Space>
class StructuredKrylov : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Vector = Kokkos::View<double*, typename Tested::Device>;
  using Matrix = reference::GridMatrix<double>;

  template <class A, class M>
  static KrylovResult solve(const A& matrix, const M& preconditioner, std::size_t n, const KrylovOptions& options) {
    const auto b = to_device<double, typename Tested::Device>(random_vector<double>(static_cast<int>(n), 3));
    const Vector x("x", n);
    KrylovSolver<double, Space> solver(Space(), n, options);
    return solver.solve(Space(), matrix, b, x, preconditioner);
  }

  static KrylovResult solve_in_rows(const Matrix& matrix, const KrylovOptions& options) {
    const CrsOperator A(to_device_crs<Tested>(matrix.rows()));
    const IluFactor M(Space(), IluSymbolic(Space(), A.matrix()), A.matrix().values);
    return solve(A, M, static_cast<std::size_t>(matrix.size()), options);
  }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(StructuredKrylov, TestedSpaces);

/// Both factorizations are the same up to rounding, and so are the iterations.
TYPED_TEST(StructuredKrylov, TakesTheIterationsOfRows) {
  for (const Grid& grid : {Grid{40, 30}, Grid{14, 12, 11}}) {
    const auto matrix = reference::make_grid_matrix<double>(grid, false, 7, 1.002);
    const auto A = to_device_matrix<typename TestFixture::Tested>(matrix, false);
    const StructuredFactor M(TypeParam(), A);
    for (const auto method : {KrylovMethod::BiCGStab, KrylovMethod::Gmres, KrylovMethod::FlexibleGmres}) {
      const KrylovOptions options{.method = method, .tolerance = 1e-10};
      const auto n = static_cast<std::size_t>(matrix.size());
      const auto found = this->solve(A, M, n, options), expected = this->solve_in_rows(matrix, options);
      EXPECT_TRUE(found.converged()) << to_string(method);
      EXPECT_LE(found.true_residual, 1e-9);
      EXPECT_NEAR(found.iterations, expected.iterations, 1) << to_string(method) << ", " << to_string(grid);
    }
  }
}

TYPED_TEST(StructuredKrylov, FactorsThatKeepRowSumsTakeFewerIterationsOnPoisson) {
  const auto matrix = reference::make_poisson<double>({90, 90});
  const auto A = to_device_matrix<typename TestFixture::Tested>(matrix, false);
  const auto iterations = [&](double relaxation) {
    const StructuredFactor M(TypeParam(), A, {.relaxation = relaxation});
    return this->solve(A, M, static_cast<std::size_t>(matrix.size()), {.method = KrylovMethod::BiCGStab}).iterations;
  };
  EXPECT_LT(iterations(0.99), 0.75 * iterations(0.0));
}

TYPED_TEST(StructuredKrylov, SolvesSeveralColumnsTogether) {
  const auto matrix = reference::make_grid_matrix<double>({17, 9, 5}, false, 7);
  const auto A = to_device_matrix<typename TestFixture::Tested>(matrix, false);
  const StructuredFactor M(TypeParam(), A, {.right_hand_sides = 3});
  const auto n = static_cast<std::size_t>(matrix.size());
  const Kokkos::View<double**, Kokkos::LayoutLeft, typename TestFixture::Tested::Device> B("B", n, 3), X("X", n, 3);
  for (unsigned column = 0; column < 3; ++column)
    Kokkos::deep_copy(Kokkos::subview(B, Kokkos::ALL, column), to_device<double, typename TestFixture::Tested::Device>(
                                                                   random_vector<double>(matrix.size(), column)));
  KrylovSolver<double, TypeParam> solver(TypeParam(), n, {.method = KrylovMethod::BiCGStab, .tolerance = 1e-10});
  for (const KrylovResult& result : solver.solve(TypeParam(), A, B, X, M)) {
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.true_residual, 1e-9);
  }
}

}  // namespace
}  // namespace terrace::test
