// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors that promise to wait have waited: their stream is idle, and another stream may use the object at once.
// And info() needs no stream that the caller may have destroyed.
#include <terrace/terrace.hpp>

#include "solvers/krylov_solver_test.hpp"
#include "support/cuda_stream.hpp"
#include "support/device_grid_matrix.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using Tested = Combination<double, int, Space>;
using Vector = Kokkos::View<double*, Tested::Device>;
using Symbolic = IluSymbolic<int, int, Space>;
using Factor = IluFactor<double, int, int, Space>;
using Threshold = IlutFactor<double, int, int, Space>;

class CudaWaits : public ::testing::Test {
 protected:
  static constexpr int nx = 700, ny = 600;

  CudaWaits() : arrays_(reference::compress(reference::poisson<double>(nx, ny))), b_("b", nx * ny) {
    Kokkos::deep_copy(b_, 1.0);
    Kokkos::fence();
  }

  /// Makes an object on one stream and uses it on another: the first is idle by then, and the bits are those of an
  /// object whose device was waited for.
  template <class Make, class Use>
  void expect_to_wait(const std::string& what, const Make& make, const Use& use) const {
    const auto bits = [&](const Space& space, auto& object) {
      const Vector x("x", b_.extent(0));
      Kokkos::fence();
      return [&, x, space] {
        use(space, object, x);
        space.fence();
        return to_host(x);
      };
    };
    auto patient = make(Space());
    cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto expected = bits(Space(), patient)();
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
      const CudaStream first(flags), second(cudaStreamNonBlocking);
      const Vector x("x", b_.extent(0));
      Kokkos::fence();
      auto object = make(first.space());
      EXPECT_EQ(cudaStreamQuery(first.stream()), cudaSuccess) << what << " returned before its work was done";
      use(second.space(), object, x);
      second.space().fence();
      EXPECT_EQ(to_host(x), expected) << what;
    }
  }

  DeviceArrays<Tested> arrays_;
  Vector b_;
};

TEST_F(CudaWaits, ForTheAnalysisOfATriangle) {
  for (const Reuse reuse : {Reuse::Many, Reuse::Once})
    for (const Algorithm algorithm : {Algorithm::Automatic, Algorithm::SyncFreeRows, Algorithm::LevelScheduled})
      expect_to_wait(
          "TriangularSolver",
          [&](const Space& space) {
            return Tested::Solver(space, arrays_.row_map, arrays_.entries, arrays_.values,
                                  {.stored = Stored::Full, .algorithm = algorithm, .reuse = reuse});
          },
          [&](const Space& space, auto& solver, const Vector& x) { solver.solve(space, b_, x); });
}

TEST_F(CudaWaits, ForADenseTriangle) {
  const int n = 1500;
  reference::GeneralMatrix<double> matrix(n);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column <= row; ++column)
      matrix.rows[row][column] = row == column ? n : 1.0 / (1 + row - column);
  const DeviceArrays<Tested> arrays(reference::compress(matrix));
  const auto b = Kokkos::subview(b_, std::make_pair(0, n));
  expect_to_wait(
      "TriangularSolver of dense tiles",
      [&](const Space& space) {
        return Tested::Solver(space, arrays.row_map, arrays.entries, arrays.values, {.algorithm = Algorithm::Blocked});
      },
      [&](const Space& space, auto& solver, const Vector& x) {
        solver.solve(space, b, Vector(Kokkos::subview(x, std::make_pair(0, n))));
      });
}

TEST_F(CudaWaits, ForIncompleteFactorizations) {
  const auto apply = [&](const Space& space, auto& factor, const Vector& x) { factor.apply(space, b_, x); };
  for (const PivotPolicy policy : {PivotPolicy::Report, PivotPolicy::Shift})
    for (const Ordering ordering : {Ordering::Natural, Ordering::Multicolor})
      expect_to_wait(
          "IluFactor",
          [&](const Space& space) {
            const Symbolic symbolic(space, arrays_.row_map, arrays_.entries, {.ordering = ordering});
            return Factor(space, symbolic, arrays_.values,
                          {.scaling = Scaling::Diagonal, .pivots = {.policy = policy}});
          },
          apply);
  expect_to_wait(
      "IlutFactor",
      [&](const Space& space) {
        return Threshold(space, arrays_.row_map, arrays_.entries, arrays_.values, {.fill = 3});
      },
      apply);
  expect_to_wait(
      "IlutFactor::refactorize",
      [&](const Space& space) {
        Threshold factor(Space(), arrays_.row_map, arrays_.entries, arrays_.values, {.fill = 3});
        factor.refactorize(space, arrays_.values);
        return factor;
      },
      apply);
}

TEST_F(CudaWaits, ForTheSymbolicPhase) {
  expect_to_wait(
      "IluSymbolic",
      [&](const Space& space) { return Symbolic(space, arrays_.row_map, arrays_.entries, {.fill_level = 1}); },
      [&](const Space& space, auto& symbolic, const Vector& x) {
        Factor(space, symbolic, arrays_.values).apply(space, b_, x);
      });
}

TEST_F(CudaWaits, ForIterationsOnGrids) {
  const auto grid = reference::make_poisson<double>({nx, ny, 1});
  const auto A = to_device_matrix<Tested>(grid, true);
  const auto solve = [&](const Space& space, auto& pcg, const Vector& x) {
    EXPECT_GT(pcg.solve(space, b_, x, {.max_iterations = 5}).iterations, 0);
  };
  expect_to_wait(
      "StructuredPcg", [&](const Space& space) { return StructuredPcg(space, A, StructuredFactorOptions{}); }, solve);
  expect_to_wait(
      "StructuredPcg::refactorize",
      [&](const Space& space) {
        StructuredPcg pcg(Space(), A, StructuredFactorOptions{});
        pcg.refactorize(space);
        return pcg;
      },
      solve);
  expect_to_wait(
      "StructuredFactor", [&](const Space& space) { return StructuredFactor(space, A); },
      [&](const Space& space, auto& factor, const Vector& x) { factor.solve(space, b_, x); });
}

TEST_F(CudaWaits, ForTheMemoryOfAKrylovSolver) {
  const auto problem = KrylovProblem<Tested>(reference::poisson<double>(nx, ny), Factorization::Cholesky);
  expect_to_wait(
      "KrylovSolver",
      [&](const Space& space) {
        return KrylovSolver<double, Space>(space, b_.extent(0), {.max_iterations = 5, .check_every = 5});
      },
      [&](const Space& space, auto& solver, const Vector& x) { solver.solve(space, problem.A(), b_, x, problem.M()); });
}

/// The values with a zero and a NaN on the diagonal.
std::pair<Vector, Vector> spoilt(const DeviceArrays<Tested>& arrays) {
  auto values = to_host(arrays.values);
  const auto row_map = to_host(arrays.row_map), entries = to_host(arrays.entries);
  const auto diagonal = [&](int row) -> double& {
    for (int k = row_map[row];; ++k)
      if (entries[k] == row) return values[k];
  };
  diagonal(17) = 0;
  const auto with_zero = to_device<double, Tested::Device>(values);
  diagonal(17) = 4;
  diagonal(23) = NAN;
  return {with_zero, to_device<double, Tested::Device>(values)};
}

TEST_F(CudaWaits, ForNewValuesWhoseStreamIsGone) {
  const auto [with_zero, with_nan] = spoilt(arrays_);
  auto solver = arrays_.analyze({.stored = Stored::Full});
  Factor factor(Space(), Symbolic(Space(), arrays_.row_map, arrays_.entries), arrays_.values);
  EXPECT_FALSE(solver.info().first_singular_row());
  {
    const CudaStream stream;
    solver.update_values(stream.space(), with_zero);
    factor.refactorize(stream.space(), with_nan);
  }
  EXPECT_EQ(solver.info().first_zero_diagonal, 17);
  EXPECT_EQ(factor.info().first_nonfinite_row, 23);
  {
    const CudaStream stream;
    solver.update_values(stream.space(), arrays_.values);
    factor.refactorize(stream.space(), arrays_.values);
  }
  EXPECT_FALSE(solver.info().first_singular_row());
  EXPECT_TRUE(factor.info().succeeded());
}

}  // namespace
}  // namespace terrace::test
