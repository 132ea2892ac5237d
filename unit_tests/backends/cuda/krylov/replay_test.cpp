// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations that are recorded and replayed as CUDA graphs, and products over tiles of uneven rows.
#include "solvers/krylov_solver_columns_test.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using Tested = Combination<double, int, Space>;
using Problem = KrylovProblem<Tested>;
using Columns = KrylovColumnsTest<Tested>;
using Operator = LinearOperator<double, Space>;

/// Says that it can be replayed; counts how often it was asked, and may wait, which a recording refuses.
struct Claimant {
  static constexpr bool is_replayable = true;
  const Operator& wrapped;
  int* applied;
  bool waits;
  void apply(const Space& space, const Operator::input_type& x, const Operator::output_type& y) const {
    ++*applied;
    if (waits) space.fence("terrace::test::claimant");
    wrapped.apply(space, x, y);
  }
};

static_assert(Claimant::is_replayable);  // which nvcc calls unused otherwise

class KrylovReplay : public ::testing::Test {
 protected:
  KrylovReplay() : problem_(reference::poisson<double>(24, 20), Factorization::Cholesky), A_(problem_.A()) {}

  /// Iterations, and how often the operator was asked.
  std::pair<int, int> solve(const KrylovOptions& options, bool waits) const {
    int applied = 0;
    const Claimant claimant{A_, &applied, waits};
    KrylovSolver<double, Space> solver(Space(), 480, options);
    const auto solved = Columns::solve(solver, claimant, problem_.M(), {problem_.ones()}, 480);
    EXPECT_TRUE(solved.results.front().converged());
    return {solved.results.front().iterations, applied};
  }

  Problem problem_;
  Operator A_;
};

TEST_F(KrylovReplay, AsksTheOperatorNoMoreOnceTheIterationIsRecorded) {
  for (const auto method : Columns::methods) {
    const int products = method == KrylovMethod::BiCGStab ? 2 : 1;
    const auto [eager, asked] = solve({.method = method, .replay = false}, false);
    const auto [replayed, asked_while_recording] = solve({.method = method, .replay = true}, false);
    EXPECT_EQ(replayed, eager);
    EXPECT_GE(asked, products * eager);
    EXPECT_LE(asked_while_recording, 3 * products + 2);
  }
}

TEST_F(KrylovReplay, AnOperatorThatWaitsAllTheSameIsAskedInEachIteration) {
  for (const auto method : Columns::methods) {
    const int products = method == KrylovMethod::BiCGStab ? 2 : 1;
    const auto [eager, asked] = solve({.method = method, .replay = false}, true);
    const auto [attempted, asked_again] = solve({.method = method, .replay = true}, true);
    EXPECT_EQ(attempted, eager);
    EXPECT_GE(asked_again, products * eager);
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(KrylovReplay, GivesTheBitsOfIterationsThatWereEnqueuedOneByOne) {
  const std::vector<std::vector<double>> b{problem_.ones(), random_vector<double>(480, 3)};
  for (const auto method : Columns::methods) {
    KrylovSolver<double, Space> eager(Space(), 480, {.method = method, .replay = false}),
        replayed(Space(), 480, {.method = method, .replay = true});
    const auto expected = Columns::solve(eager, A_, problem_.M(), b, 480);
    for (int repetition = 0; repetition < 3; ++repetition)
      EXPECT_EQ(Columns::solve(replayed, A_, problem_.M(), b, 480).x, expected.x);
  }
}

/// Long rows beside empty ones, and more entries than a tile has capacity for.
TEST(KrylovProduct, MultipliesRowsOfAnyLength) {
  for (const int n : {1, 700, 5000}) {
    reference::GeneralMatrix<double> matrix(n);
    for (int row = 0; row < n; ++row) {
      const int length = row % 97 == 0 ? n : row % 5 == 0 ? 0 : 1 + row % 40;
      for (int k = 0; k < length; ++k)
        matrix.rows[row][length == n ? k : (row * 31 + k * 17) % n] = 1.0 + (row + k) % 7;
    }
    const DeviceArrays<Tested> arrays(reference::compress(matrix));
    const Problem::Operator A(Problem::Matrix("A", n, n, static_cast<int>(arrays.values.extent(0)), arrays.values,
                                              arrays.row_map, arrays.entries));
    for (const std::size_t columns : {1U, 3U, 17U}) {
      std::vector<std::vector<double>> vectors;
      for (unsigned k = 0; k < columns; ++k) vectors.push_back(random_vector<double>(n, k));
      const auto x = to_device_columns<Tested, Kokkos::LayoutLeft>(vectors, static_cast<std::size_t>(n));
      const Kokkos::View<double**, Kokkos::LayoutLeft, Tested::Device> y("y", n, columns);
      A.apply(Space(), x, y);
      for (std::size_t k = 0; k < columns; ++k) {
        const auto expected = reference::multiply(matrix, vectors[k]), found = column_to_host(y, k);
        for (int row = 0; row < n; ++row) EXPECT_NEAR(found[row], expected[row], 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace terrace::test
