// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the tiles of a GPU's engine can get wrong: shapes that fill them partly, edges that are handed on, values
// that are flags, graphs, streams, a device that is busy. What it computes is compared with the sequential engine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <terrace/structured_pcg.hpp>
#include <vector>

#include "backends/cuda/structured/make_engine.hpp"
#include "backends/cuda/structured/tile_engine.hpp"
#include "solvers/structured_matrix.hpp"  // bodies, for float
#include "support/device_grid_matrix.hpp"
#include "support/full_device.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using T = Combination<double, int, Space>;
using Host = Combination<double, int, Kokkos::Serial>;
using Vector = Kokkos::View<double*, T::Device>;
using Matrix = reference::GridMatrix<double>;
using Numbers = std::vector<double>;

template <class Type>
StructuredFactor<double, typename Type::Space> factorize(const Matrix& A, bool symmetric, double relaxation,
                                                         SweepAlgorithm algorithm) {
  return {typename Type::Space(), to_device_matrix<Type>(A, symmetric),
          StructuredFactorOptions{.relaxation = relaxation, .algorithm = algorithm}};
}

StructuredFactor<double, Space> factorize(const Matrix& A, bool symmetric = true, double relaxation = 0.5) {
  return factorize<T>(A, symmetric, relaxation, SweepAlgorithm::Pipelined);
}

/// The three solves of a factor.
template <class Type>
std::vector<Numbers> solves(const StructuredFactor<double, typename Type::Space>& M, const Numbers& b) {
  const auto right = to_device<double, typename Type::Device>(b);
  const Kokkos::View<double*, typename Type::Device> x("x", b.size());
  std::vector<Numbers> found;
  const typename Type::Space space;
  M.solve_forward(space, right, x);
  found.push_back(to_host(x));
  M.solve_backward(space, right, x);
  found.push_back(to_host(x));
  M.solve(space, right, x);
  found.push_back(to_host(x));
  return found;
}

double relative_difference(const Numbers& found, const Numbers& expected) {
  double largest = 0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  return largest_difference(found, expected) / largest;
}

void expect_agreement(const Grid& grid, bool symmetric, double relaxation) {
  const auto A = reference::make_grid_matrix<double>(grid, symmetric, 7u + static_cast<unsigned>(grid.cells()), 2.0);
  const auto b = random_vector<double>(A.size(), 3);
  const auto M = factorize(A, symmetric, relaxation);
  const auto expected = factorize<Host>(A, symmetric, relaxation, SweepAlgorithm::Sequential);
  EXPECT_LT(relative_difference(to_host(M.inverse_pivots()), to_host(expected.inverse_pivots())), 1e-14)
      << to_string(grid);
  const auto found = solves<T>(M, b), wanted = solves<Host>(expected, b);
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_LT(relative_difference(found[k], wanted[k]), 1e-13) << to_string(grid) << " solve " << k;
}

TEST(Cuda_GridEngine, AgreesWithTheSequentialOneOnEveryShapeUpToNine) {
  int shape = 0;
  for_each_grid(9, [&](const Grid& grid) { expect_agreement(grid, ++shape % 2 == 0, 0.5 * (shape % 3)); });
}

TEST(Cuda_GridEngine, AgreesOnShapesThatFillTilesPartly) {
  for (const Grid& grid :
       {Grid{200, 300, 1}, Grid{65, 64, 1}, Grid{64, 65, 1}, Grid{1, 513, 257}, Grid{1000, 1, 33}, Grid{63, 130, 2},
        Grid{17, 16, 33}, Grid{33, 31, 47}, Grid{50, 41, 63}, Grid{129, 3, 127}, Grid{170, 180, 30}, Grid{256, 17, 18}})
    for (const bool symmetric : {true, false}) expect_agreement(grid, symmetric, symmetric ? 1.0 : 0.0);
}

TEST(Cuda_GridEngine, AgreesOnFlatShapes) {
  for (const Grid& grid : {Grid{1, 20000, 1}, Grid{20000, 1, 1}, Grid{1, 1, 20000}, Grid{10000, 3, 2}, Grid{3, 2, 5001},
                           Grid{2, 3001, 2}, Grid{5, 5, 2000}})
    expect_agreement(grid, true, 0.5);
}

TEST(Cuda_GridEngine, SolvesInFloat) {
  using Single = Combination<float, int, Space>;
  for (const Grid& grid : {Grid{90, 70, 1}, Grid{20, 37, 18}}) {
    const auto A = reference::make_grid_matrix<float>(grid, true, 5, 2.0);
    const Space space;
    const auto matrix = to_device_matrix<Single>(A, true);
    const auto engine = grid.nz == 1
                            ? cuda::grid::make_tile_engine<float, cuda::grid::StripTile>(space, matrix, 1, "")
                            : std::unique_ptr<cuda::grid::GridEngine<float>>(
                                  cuda::grid::make_tile_engine<float, cuda::grid::LargeTileFew>(space, matrix, 1, ""));
    const Kokkos::View<std::int64_t, Space> breakdown("breakdown");
    Kokkos::deep_copy(breakdown, grid.cells());
    engine->factorize(space, 0.5, 0.0, breakdown.data());
    const auto b = random_vector<float>(A.size(), 3);
    const auto x = to_device<float, Single::Device>(b);
    engine->solve(space, x, x, structured::Part::Both, Op::None);
    const Kokkos::View<float*, Kokkos::HostSpace> found("found", b.size());
    Kokkos::deep_copy(found, x);
    Matrix wide{grid, Numbers(A.center.begin(), A.center.end()), {}, {}};
    for (int d = 0; d < 3; ++d) {
      wide.lower[d].assign(A.lower[d].begin(), A.lower[d].end());
      wide.upper[d].assign(A.upper[d].begin(), A.upper[d].end());
    }
    const auto expected =
        solves<Host>(factorize<Host>(wide, true, 0.5, SweepAlgorithm::Sequential), Numbers(b.begin(), b.end()))[2];
    EXPECT_LT(relative_difference(Numbers(found.data(), found.data() + b.size()), expected), 1e-5);
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), breakdown)(), grid.cells());
  }
}

TEST(Cuda_GridEngine, NamesTheBreakdownsThatTheSequentialOneFinds) {
  for (const Grid& grid : {Grid{150, 90, 1}, Grid{7, 30, 12}, Grid{40, 39, 53}}) {
    auto A = reference::make_poisson<double>(grid);
    for (const int place : {2, 3, 5}) A.center[A.center.size() * static_cast<std::size_t>(place) / 7] = 0.4;
    for (const bool symmetric : {true, false}) {
      if (!symmetric) A.center[A.center.size() / 5] = std::nan("");
      const StructuredFactorOptions options{
          .relaxation = 0.5, .pivots = {.policy = PivotPolicy::Shift, .max_attempts = symmetric ? 21 : 2}};
      const StructuredFactor<double, Space> M(Space(), to_device_matrix<T>(A, symmetric), options);
      const StructuredFactor<double, Kokkos::Serial> expected(Kokkos::Serial(), to_device_matrix<Host>(A, symmetric),
                                                              options);
      EXPECT_TRUE(M.info().first_breakdown) << to_string(grid);
      EXPECT_EQ(M.info().first_breakdown, expected.info().first_breakdown) << to_string(grid);
      EXPECT_EQ(M.info().breakdown, expected.info().breakdown) << to_string(grid);
      EXPECT_EQ(M.info().attempts, expected.info().attempts) << to_string(grid);
      EXPECT_EQ(M.info().shift, expected.info().shift) << to_string(grid);
    }
  }
}

TEST(Cuda_GridEngine, GivesTheSameBitsAThousandTimes) {
  for (const Grid& grid : {Grid{300, 200, 1}, Grid{40, 50, 33}}) {
    const auto A = reference::make_grid_matrix<double>(grid, true, 5, 2.0);
    const auto M = factorize(A);
    const auto b = to_device<double, T::Device>(random_vector<double>(A.size(), 5));
    const Vector x("x", b.extent(0)), first("first", b.extent(0));
    const Space space;
    M.solve(space, b, first);
    const auto expected = to_host(first);
    for (int batch = 0; batch < 5; ++batch) {
      for (int repetition = 0; repetition < 200; ++repetition) M.solve(space, b, x);
      space.fence();
      ASSERT_EQ(to_host(x), expected);
    }
  }
}

/// Whatever the bits of a number that is none, waits end, and the next solve is as good as ever.
TEST(Cuda_GridEngine, EndsEveryWaitWhateverIsNotANumber) {
  for (const Grid& grid : {Grid{200, 150, 1}, Grid{20, 7, 33}, Grid{40, 39, 53}}) {
    const auto A = reference::make_grid_matrix<double>(grid, true, 5, 2.0);
    const auto M = factorize(A);
    const auto expected = factorize<Host>(A, true, 0.5, SweepAlgorithm::Sequential);
    for (const std::uint64_t pattern :
         {0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000000u, 0xffffffffffffffffu, 0xfff7ffff00000000u,
          0xfff7ffffffffffffu, 0x7ff0000000000001u})
      for (const int at : {0, A.size() / 2, A.size() - 1}) {
        auto b = random_vector<double>(A.size(), 9);
        std::memcpy(&b[static_cast<std::size_t>(at)], &pattern, sizeof(pattern));
        const auto found = solves<T>(M, b), wanted = solves<Host>(expected, b);
        for (std::size_t solve = 0; solve < found.size(); ++solve) {
          int differ = 0;
          for (std::size_t c = 0; c < b.size(); ++c)
            differ += std::isfinite(found[solve][c]) != std::isfinite(wanted[solve][c]);
          EXPECT_EQ(differ, 0) << to_string(grid) << " cell " << at << " solve " << solve;
        }
      }
    const auto b = random_vector<double>(A.size(), 11);
    EXPECT_LT(relative_difference(solves<T>(M, b)[2], solves<Host>(expected, b)[2]), 1e-13);
  }
}

TEST(Cuda_GridEngine, IsCapturedInAGraphAndReplayed) {
  const auto A = reference::make_grid_matrix<double>({50, 41, 33}, true, 5, 2.0);
  const auto expected = factorize<Host>(A, true, 0.0, SweepAlgorithm::Sequential);
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreate(&stream));
  {
    const Space space(stream);
    const StructuredFactor<double, Space> M(space, to_device_matrix<T>(A, true));
    const auto first_b = random_vector<double>(A.size(), 8), second_b = random_vector<double>(A.size(), 9);
    const auto b = to_device<double, T::Device>(first_b), later = to_device<double, T::Device>(second_b);
    const Vector x("x", b.extent(0));
    Kokkos::fence();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    M.solve(space, b, x);
    cuda::check(cudaStreamEndCapture(stream, &graph));
    cuda::check(cudaGraphInstantiate(&executable, graph, 0));
    cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    EXPECT_LT(relative_difference(to_host(x), solves<Host>(expected, first_b)[2]), 1e-13);
    Kokkos::deep_copy(b, later);
    for (int replay = 0; replay < 3; ++replay) cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    EXPECT_LT(relative_difference(to_host(x), solves<Host>(expected, second_b)[2]), 1e-13);
    cuda::check(cudaGraphExecDestroy(executable));
    cuda::check(cudaGraphDestroy(graph));
  }
  cuda::check(cudaStreamDestroy(stream));
}

TEST(Cuda_GridEngine, FactorsOfTheirOwnSolveOnSeveralStreamsAtOnce) {
  constexpr int streams = 4;
  const auto A = reference::make_grid_matrix<double>({100, 110, 30}, true, 5, 2.0);
  const auto b = random_vector<double>(A.size(), 10);
  const auto right = to_device<double, T::Device>(b);
  const auto expected = solves<Host>(factorize<Host>(A, true, 0.0, SweepAlgorithm::Sequential), b)[2];
  std::vector<cudaStream_t> stream(streams);
  for (auto& one : stream) cuda::check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  {
    const std::vector<Space> space(stream.begin(), stream.end());
    std::vector<StructuredFactor<double, Space>> M;
    std::vector<Vector> x;
    for (int k = 0; k < streams; ++k) {
      M.emplace_back(space[k], to_device_matrix<T>(A, true));
      x.emplace_back("x", b.size());
    }
    Kokkos::fence();
    for (int repetition = 0; repetition < 50; ++repetition)
      for (int k = 0; k < streams; ++k) M[k].solve(space[k], right, x[k]);
    Kokkos::fence();
    for (int k = 0; k < streams; ++k) EXPECT_LT(relative_difference(to_host(x[k]), expected), 1e-13);
  }
  for (auto one : stream) cuda::check(cudaStreamDestroy(one));
}

TEST(Cuda_GridEngine, FinishesOnADeviceThatIsFullOfOtherWork) {
  const auto A = reference::make_grid_matrix<double>({120, 130, 30}, true, 5, 2.0);
  const auto b = random_vector<double>(A.size(), 14);
  const auto right = to_device<double, T::Device>(b);
  const Vector x("x", b.size());
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const Space space(stream);
    const StructuredFactor<double, Space> M(space, to_device_matrix<T>(A, true));
    M.solve(space, right, x);  // loads the kernels, which waits for an idle device
    space.fence();
    const auto expected = to_host(x);
    Kokkos::deep_copy(x, 0.0);
    {
      const FullDevice full(Left::Whole);  // whose registers a tile with couriers needs
      M.solve(space, right, x);
      EXPECT_TRUE(finishes(stream));
    }
    space.fence();
    EXPECT_EQ(to_host(x), expected);
  }
  cuda::check(cudaStreamDestroy(stream));
}

TEST(Cuda_GridEngine, LeavesMostlyPaddedGridsToWavefronts) {
  EXPECT_EQ(cuda::grid::objection(Space(), {1024, 1024, 1}), "");
  EXPECT_EQ(cuda::grid::objection(Space(), {20000, 1, 1}), "");
  EXPECT_NE(cuda::grid::objection(Space(), {10000000, 1, 1}), "");
}

TEST(Cuda_GridPcg, StartsFromAnyGuess) {
  const auto A = reference::make_poisson<double>({40, 33, 50});
  const Space space;
  const StructuredPcg<double, Space> pcg(space, to_device_matrix<T>(A, true), {.relaxation = 0.95});
  EXPECT_EQ(pcg.factor_info().algorithm, SweepAlgorithm::Pipelined);
  const auto wanted = random_vector<double>(A.size(), 2);
  const auto b = to_device<double, T::Device>(reference::multiply(A.rows(), wanted));
  for (const unsigned seed : {0u, 3u, 4u}) {
    const auto x =
        to_device<double, T::Device>(seed == 0 ? Numbers(wanted.size()) : random_vector<double>(A.size(), seed));
    const auto result = pcg.solve(space, b, x, {.tolerance = 1e-11});
    EXPECT_TRUE(result.converged()) << result.true_residual;
    EXPECT_LT(relative_difference(to_host(x), wanted), 1e-9);
  }
}

TEST(Cuda_GridPcg, CarriesTheResidualThatGenericIterationsHave) {
  for (const Grid& grid : {Grid{150, 90, 1}, Grid{5, 40, 12}, Grid{33, 40, 35}}) {
    const auto A = reference::make_grid_matrix<double>(grid, true, 3);
    const Space space;
    const auto b = to_device<double, T::Device>(random_vector<double>(A.size(), 5));
    std::vector<Numbers> history;
    for (const auto algorithm : {SweepAlgorithm::Pipelined, SweepAlgorithm::Wavefronts}) {
      const StructuredPcg<double, Space> pcg(space, to_device_matrix<T>(A, true), {.algorithm = algorithm});
      const Vector x("x", b.extent(0));
      history.push_back(pcg.solve(space, b, x, {.tolerance = 1e-30, .max_iterations = 8, .check_every = 3}).history);
    }
    ASSERT_EQ(history[0].size(), history[1].size());
    for (std::size_t k = 0; k < history[0].size(); ++k)
      EXPECT_NEAR(history[0][k] / history[1][k], 1.0, 1e-8) << to_string(grid) << " iteration " << k;
  }
}

}  // namespace
}  // namespace terrace::test
