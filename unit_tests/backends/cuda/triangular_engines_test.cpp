// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's engines can get wrong: their kinds of kernels, long rows, values that are flags, graphs, streams,
// a device that is busy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <terrace/triangular_solver.hpp>
#include <thread>
#include <vector>

#include "backends/cuda/check.hpp"
#include "support/device_triangle.hpp"
#include "support/full_device.hpp"

namespace terrace::test {
namespace {

using T = Combination<double, int, Kokkos::Cuda>;
using Solver = T::Solver;
using Vector = Kokkos::View<double*, T::Device>;

/// A triangle in compressed rows with its diagonal, on both sides; lower unless it was turned around.
struct Triangle {
  std::vector<int> row_map{0}, entries;
  std::vector<double> values;

  int rows() const { return static_cast<int>(row_map.size()) - 1; }
  void add(int column, double value) {
    entries.push_back(column);
    values.push_back(value);
  }
  void end_row(double diagonal = 2.0) {
    add(rows(), diagonal);
    row_map.push_back(static_cast<int>(entries.size()));
  }
  Solver analyze(const TriangularOptions& options = {}, const Kokkos::Cuda& space = {}) const {
    return Solver(space, to_device<int, T::Device>(row_map), to_device<int, T::Device>(entries),
                  to_device<double, T::Device>(values), options);
  }
  /// max over the rows of |b - A x| / (|A| |x| + |b|)
  double backward_error(const std::vector<double>& b, const std::vector<double>& x) const {
    double worst = 0;
    for (int row = 0; row < rows(); ++row) {
      long double residual = b[row], scale = std::abs(b[row]);
      for (int k = row_map[row]; k < row_map[row + 1]; ++k) {
        residual -= static_cast<long double>(values[k]) * x[entries[k]];
        scale += std::abs(values[k] * x[entries[k]]);
      }
      const double error = static_cast<double>(std::abs(residual) / scale);
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }
};

/// Levels of 20,000, 1, 5,000 and 1 rows, then a narrow band: wide levels, chains, and what lies between.
Triangle mixed_widths() {
  Triangle matrix;
  for (int row = 0; row < 20000; ++row) matrix.end_row();
  matrix.add(19999, 0.5);
  matrix.end_row();
  for (int row = 0; row < 5000; ++row) {
    matrix.add(row * 3, 0.25);
    matrix.add(20000, -0.5);
    matrix.end_row();
  }
  std::mt19937 generator(7);
  while (matrix.rows() < 40000) {
    const int row = matrix.rows(), before = 1 + static_cast<int>(generator() % 40);
    for (int column = row - before; column < row; column += 1 + static_cast<int>(generator() % 9))
      matrix.add(column, 0.125);
    matrix.end_row();
  }
  return matrix;
}

/// Every row but the last is diagonal or bidiagonal; the last needs all of them.
Triangle with_hub(int rows) {
  Triangle matrix;
  for (int row = 0; row + 1 < rows; ++row) {
    if (row % 3 == 1) matrix.add(row - 1, 0.5);
    matrix.end_row();
  }
  for (int column = 0; column + 1 < rows; ++column) matrix.add(column, 1.0 / rows);
  matrix.end_row();
  return matrix;
}

/// Short rows, and among them hubs of some thousand entries: one behind the other, and rows that need them.
Triangle with_hubs() {
  Triangle matrix;
  while (matrix.rows() < 30000) {
    const int row = matrix.rows();
    const bool is_hub = row == 3000 || row == 3001 || row % 10000 == 9999;
    if (is_hub) {
      for (int column = row % 3; column < row; column += column % 3 == 0 ? 2 : 1)
        matrix.add(column, (1.0 + column % 5) / row);
    } else {
      if (row > 3001 && row % 7 == 0) matrix.add(3001, -0.25);
      if (row % 3 == 1) matrix.add(row - 1, 0.5);
    }
    matrix.end_row();
  }
  return matrix;
}

/// The same system with its unknowns in the opposite order: an upper triangle.
Triangle turned_around(const Triangle& matrix) {
  Triangle upper;
  for (int row = matrix.rows() - 1; row >= 0; --row) {
    for (int k = matrix.row_map[row + 1] - 1; k >= matrix.row_map[row]; --k)
      upper.add(matrix.rows() - 1 - matrix.entries[k], matrix.values[k]);
    upper.row_map.push_back(static_cast<int>(upper.entries.size()));
  }
  return upper;
}

/// Levels of a lower triangle.
int levels_of(const Triangle& matrix) {
  std::vector<int> level(matrix.rows(), 0);
  for (int row = 0; row < matrix.rows(); ++row)
    for (int k = matrix.row_map[row]; k + 1 < matrix.row_map[row + 1]; ++k)
      level[row] = std::max(level[row], level[matrix.entries[k]] + 1);
  return *std::max_element(level.begin(), level.end()) + 1;
}

std::vector<double> solve(const Solver& solver, const std::vector<double>& b, const Kokkos::Cuda& space = {}) {
  const auto b_view = to_device<double, T::Device>(b);
  const Vector x("x", b.size());
  solver.solve(space, b_view, x);
  space.fence();
  return to_host(x);
}

class RowEngine : public ::testing::TestWithParam<TriangularOptions> {};

TEST_P(RowEngine, SolvesLevelsOfEveryWidth) {
  const Triangle matrix = mixed_widths();
  const auto b = random_vector<double>(matrix.rows(), 3);
  EXPECT_LT(matrix.backward_error(b, solve(matrix.analyze(GetParam()), b)), 1e-14);
}

TEST_P(RowEngine, CutsARowWithAMillionEntries) {
  const Triangle matrix = with_hub(1000001);
  const auto b = random_vector<double>(matrix.rows(), 4);
  EXPECT_LT(matrix.backward_error(b, solve(matrix.analyze(GetParam()), b)), 1e-13);
}

TEST_P(RowEngine, SolvesHubsAtSeveralPlacesInBothDirections) {
  const Triangle lower = with_hubs(), upper = turned_around(lower);
  TriangularOptions options = GetParam();
  for (const Triangle* matrix : {&lower, &upper}) {
    options.uplo = matrix == &lower ? Uplo::Lower : Uplo::Upper;
    const Solver solver = matrix->analyze(options);
    if (options.reuse == Reuse::Many) EXPECT_EQ(solver.info().levels, levels_of(lower));
    const auto b = random_vector<double>(matrix->rows(), 15);
    const auto x = solve(solver, b);
    EXPECT_LT(matrix->backward_error(b, x), 1e-13);

    const auto in_place = to_device<double, T::Device>(b);
    const Kokkos::Cuda space;
    solver.solve(space, in_place, in_place);
    space.fence();
    EXPECT_EQ(to_host(in_place), x);
  }
}

TEST_P(RowEngine, ANaNGoesThroughAHub) {
  Triangle matrix = with_hubs();
  matrix.values[matrix.row_map[3000]] = std::nan("");  // in the first hub
  auto b = random_vector<double>(matrix.rows(), 16);
  b[9998] = std::numeric_limits<double>::infinity();
  const auto x = solve(matrix.analyze(GetParam()), b);
  for (const int row : {3000, 3001, 7007, 9999, 19999, 29999}) EXPECT_FALSE(std::isfinite(x[row])) << row;
  for (const int row : {2999, 3005, 9995, 29997}) EXPECT_TRUE(std::isfinite(x[row])) << row;
}

TEST_P(RowEngine, GivesTheSameBitsTenThousandTimes) {
  const Triangle matrix = with_hub(3000);
  const Solver solver = matrix.analyze(GetParam());
  EXPECT_TRUE(solver.info().deterministic);
  const auto b = to_device<double, T::Device>(random_vector<double>(matrix.rows(), 5));
  const Vector x("x", b.extent(0)), first("first", b.extent(0));
  const Kokkos::Cuda space;
  solver.solve(space, b, first);
  const auto expected = to_host(first);
  for (int batch = 0; batch < 10; ++batch) {
    for (int repetition = 0; repetition < 1000; ++repetition) solver.solve(space, b, x);
    space.fence();
    ASSERT_EQ(to_host(x), expected);
  }
}

TEST_P(RowEngine, PassesOnTheNaNThatMeansPending) {
  const Triangle matrix = mixed_widths();
  auto b = random_vector<double>(matrix.rows(), 6);
  const std::uint64_t ones = ~std::uint64_t(0);
  std::memcpy(&b[0], &ones, sizeof(ones));
  const auto x = solve(matrix.analyze(GetParam()), b);
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_TRUE(std::isnan(x[20001]));   // needs unknown 0
  EXPECT_FALSE(std::isnan(x[20002]));  // does not
}

TEST_P(RowEngine, IsCapturedInAGraphAndReplayed) {
  const Triangle matrix = mixed_widths();
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreate(&stream));
  {
    const Kokkos::Cuda space(stream);
    const auto values = to_device<double, T::Device>(matrix.values);  // outlives the capture: freeing is not captured
    Solver solver(space, to_device<int, T::Device>(matrix.row_map), to_device<int, T::Device>(matrix.entries), values,
                  GetParam());
    const auto first_b = random_vector<double>(matrix.rows(), 8), second_b = random_vector<double>(matrix.rows(), 9);
    const auto b = to_device<double, T::Device>(first_b), later = to_device<double, T::Device>(second_b);
    const Vector x("x", b.extent(0));
    space.fence();

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    solver.update_values(space, values);
    solver.solve(space, b, x);
    cuda::check(cudaStreamEndCapture(stream, &graph));
    cuda::check(cudaGraphInstantiate(&executable, graph, 0));
    cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    EXPECT_LT(matrix.backward_error(first_b, to_host(x)), 1e-14);

    Kokkos::deep_copy(b, later);
    for (int replay = 0; replay < 3; ++replay) cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    EXPECT_LT(matrix.backward_error(second_b, to_host(x)), 1e-14);
    cuda::check(cudaGraphExecDestroy(executable));
    cuda::check(cudaGraphDestroy(graph));
  }
  cuda::check(cudaStreamDestroy(stream));
}

TEST_P(RowEngine, SolvesOnSeveralStreamsAtOnce) {
  constexpr int streams = 4;
  const Triangle matrix = mixed_widths();
  const auto b = random_vector<double>(matrix.rows(), 10);
  const auto b_view = to_device<double, T::Device>(b);
  std::vector<cudaStream_t> stream(streams);
  for (auto& one : stream) cuda::check(cudaStreamCreate(&one));
  {
    std::vector<Kokkos::Cuda> space(stream.begin(), stream.end());
    std::vector<Solver> solver;
    std::vector<Vector> x;
    for (int k = 0; k < streams; ++k) {
      solver.push_back(matrix.analyze(GetParam(), space[k]));
      x.emplace_back("x", b.size());
    }
    Kokkos::fence();
    std::vector<std::thread> threads;
    for (int k = 0; k < streams; ++k)
      threads.emplace_back([&, k] {
        for (int repetition = 0; repetition < 50; ++repetition) solver[k].solve(space[k], b_view, x[k]);
      });
    for (auto& thread : threads) thread.join();
    Kokkos::fence();
    for (int k = 0; k < streams; ++k) EXPECT_LT(matrix.backward_error(b, to_host(x[k])), 1e-14);
  }
  for (auto one : stream) cuda::check(cudaStreamDestroy(one));
}

/// A five-point grid: bands of its rows wait for the band before them.
Triangle grid(int width, int height) {
  Triangle matrix;
  for (int row = 0; row < width * height; ++row) {
    if (row >= width) matrix.add(row - width, -0.5 - row % 7 * 0.05);
    if (row % width != 0) matrix.add(row - 1, -0.6 + row % 5 * 0.05);
    matrix.end_row();
  }
  return matrix;
}

TEST(Cuda_Bands, GiveTheBitsOfRowsThatPassThroughL2) {
  std::mt19937 generator(3);
  Triangle wide;  // rows that several lanes share, and hubs, in a band around the diagonal
  while (wide.rows() < 20000) {
    const int row = wide.rows(), before = std::min(row, row % 4000 == 3999 ? 3000 : 60);
    for (int column = row - before; column < row; column += 1 + static_cast<int>(generator() % 4))
      wide.add(column, 0.4 / before);
    wide.end_row();
  }
  for (const Triangle& lower : {grid(300, 250), grid(40, 3000), wide}) {
    const Triangle upper = turned_around(lower);
    for (const Triangle* matrix : {&lower, &upper}) {
      const Uplo uplo = matrix == &lower ? Uplo::Lower : Uplo::Upper;
      const Solver bands = matrix->analyze({.uplo = uplo});
      const Solver rows = matrix->analyze({.uplo = uplo, .algorithm = Algorithm::SyncFreeRows});
      EXPECT_NE(bands.info().reason.find("bands of rows"), std::string::npos) << bands.info().reason;
      EXPECT_EQ(bands.info().levels, levels_of(lower));
      EXPECT_EQ(bands.info().widest_level, rows.info().widest_level);
      const auto b = random_vector<double>(matrix->rows(), 31);
      const auto x = solve(bands, b);
      EXPECT_LT(matrix->backward_error(b, x), 1e-13);
      for (int repetition = 0; repetition < 20; ++repetition) ASSERT_EQ(solve(bands, b), x);
      EXPECT_EQ(solve(rows, b), x);
    }
  }
}

TEST(Cuda_Bands, PassOnWhatIsNotANumber) {
  const Triangle matrix = grid(300, 250);
  const Solver solver = matrix.analyze();
  auto b = random_vector<double>(matrix.rows(), 32);
  const std::uint64_t ones = ~std::uint64_t(0), upper_half = ones << 32;
  std::memcpy(&b[40 * 300 + 17], &ones, sizeof(ones));
  std::memcpy(&b[90 * 300 + 100], &upper_half, sizeof(upper_half));
  const auto x = solve(solver, b);
  for (int row = 0; row < matrix.rows(); ++row) {
    const int line = row / 300, column = row % 300;
    ASSERT_EQ(std::isnan(x[row]), (line >= 40 && column >= 17) || (line >= 90 && column >= 100)) << row;
  }
}

void expect_to_finish_on_a_full_device(const Triangle& matrix, const TriangularOptions& options) {
  // A block that walks chains or bands takes all registers of a multiprocessor.
  const bool walks_by_block = options.reuse == Reuse::Many && options.algorithm != Algorithm::SyncFreeRows;
  const auto b = random_vector<double>(matrix.rows(), 14);
  const auto b_view = to_device<double, T::Device>(b);
  const Vector x("x", b.size());
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const Kokkos::Cuda space(stream);
    const Solver solver = matrix.analyze(options, space);
    solver.solve(space, b_view, x);  // loads the kernels, which waits for an idle device
    space.fence();
    Kokkos::deep_copy(x, 0.0);
    {
      const FullDevice full(walks_by_block ? Left::Whole : Left::Half);
      solver.solve(space, b_view, x);
      EXPECT_TRUE(finishes(stream));
    }
    space.fence();
    EXPECT_LT(matrix.backward_error(b, to_host(x)), 1e-13);
  }
  cuda::check(cudaStreamDestroy(stream));
}

TEST_P(RowEngine, FinishesOnADeviceThatIsFullOfOtherWork) {
  expect_to_finish_on_a_full_device(mixed_widths(), GetParam());
  expect_to_finish_on_a_full_device(with_hubs(), GetParam());
  expect_to_finish_on_a_full_device(grid(300, 250), GetParam());
}

TEST(Cuda_SolvePack, SolvesManyRightHandSidesInOneWalk) {
  for (const Triangle& matrix : {mixed_widths(), with_hub(5000)}) {
    for (const int columns : {3, 4, 7, 8, 17, 32, 37}) {
      const Solver solver = matrix.analyze({.right_hand_sides = columns});
      const auto rows = static_cast<std::size_t>(matrix.rows());
      const Kokkos::View<double**, Kokkos::LayoutLeft, T::Device> b("b", rows, columns), x("x", rows, columns);
      std::vector<std::vector<double>> numbers;
      for (int column = 0; column < columns; ++column) {
        numbers.push_back(random_vector<double>(matrix.rows(), 20u + static_cast<unsigned>(column)));
        Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL(), column), to_device<double, T::Device>(numbers.back()));
      }
      solver.solve(Kokkos::Cuda(), b, x);
      for (int column = 0; column < columns; ++column)
        EXPECT_LT(matrix.backward_error(numbers[column], column_to_host(x, column)), 1e-13)
            << column << " of " << columns;
    }
  }
}

Triangle dense(int rows, int every = 1) {
  Triangle matrix;
  std::mt19937 generator(11);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < row; ++column)
      if (every == 1 || generator() % 8 != 0) matrix.add(column, (generator() % 1000 - 500.0) / (500.0 * rows));
    matrix.end_row();
  }
  return matrix;
}

TEST(Cuda_DenseEngine, IsChosenForDenseTrianglesAndSolvesThem) {
  for (const int rows : {64, 65, 127, 128, 1000}) {
    for (const int every : {1, 8}) {
      const Triangle matrix = dense(rows, every);
      const auto b = random_vector<double>(rows, 12);
      const Solver solver = matrix.analyze();
      EXPECT_EQ(solver.info().algorithm, Algorithm::Blocked);
      EXPECT_LT(matrix.backward_error(b, solve(solver, b)), 1e-14) << rows;
    }
  }
}

TEST(Cuda_DenseEngine, ANaNReachesOnlyWhatDependsOnIt) {
  Triangle matrix;
  for (int row = 0; row < 200; ++row) {
    for (int column = 0; column < row; ++column)
      if (column != 70 || row == 150) matrix.add(column, 1e-3);
    matrix.end_row();
  }
  auto b = random_vector<double>(matrix.rows(), 13);
  b[70] = std::nan("");
  const auto x = solve(matrix.analyze({.algorithm = Algorithm::Blocked}), b);
  for (int row = 0; row < 200; ++row) EXPECT_EQ(std::isnan(x[row]), row == 70 || row >= 150) << row;
}

INSTANTIATE_TEST_SUITE_P(Cuda_, RowEngine,
                         ::testing::Values(TriangularOptions{},
                                           TriangularOptions{.algorithm = Algorithm::LevelScheduled},
                                           TriangularOptions{.algorithm = Algorithm::SyncFreeRows},
                                           TriangularOptions{.reuse = Reuse::Once}));

}  // namespace
}  // namespace terrace::test
