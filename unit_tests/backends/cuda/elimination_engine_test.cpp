// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's elimination can get wrong: its two ways, rows of every length, values that are flags, graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <terrace/ilu.hpp>

#include "backends/cuda/check.hpp"
#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using T = Combination<double, int, Kokkos::Cuda>;
using Matrix = reference::GeneralMatrix<double>;
using Symbolic = IluSymbolic<int, int, Kokkos::Cuda>;
using Factor = IluFactor<double, int, int, Kokkos::Cuda>;

/// Diagonals that outweigh the rows, so that pivots stay away from zero.
Matrix dominant(Matrix matrix) {
  for (int row = 0; row < matrix.size(); ++row) {
    double sum = 1;
    for (const auto& [column, value] : matrix.rows[row]) sum += column == row ? 0 : std::abs(value);
    matrix.rows[row][row] = sum;
  }
  return matrix;
}

Matrix symmetric_links(int n, unsigned seed, const auto& links_of) {
  Matrix matrix(n);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int row = 0; row < n; ++row)
    for (const int column : links_of(row, generator))
      if (column >= 0 && column < row) matrix.rows[row][column] = matrix.rows[column][row] = value(generator);
  return dominant(matrix);
}

Matrix band(int n, int width) {
  return symmetric_links(n, 3, [&](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int k = 1; k <= width; ++k)
      if (k == 1 || generator() % 2 == 0) columns.push_back(row - k);
    return columns;
  });
}

/// A tree that is deep in some places and wide in others.
Matrix tree(int n) {
  return symmetric_links(n, 5, [](int row, std::mt19937& generator) {
    return std::vector<int>{row - 1 - static_cast<int>(generator() % static_cast<unsigned>(std::max(1, row)))};
  });
}

/// Rows that everybody needs, rows that need everybody, and a band between them.
Matrix hubs(int n) {
  return symmetric_links(n, 7, [n](int row, std::mt19937& generator) {
    std::vector<int> columns{row - 1, row - static_cast<int>(generator() % 20), 0, 1};
    if (row > n - 3)
      for (int column = 0; column < row; column += 2) columns.push_back(column);
    return columns;
  });
}

Matrix blocks(int n) {
  return symmetric_links(n, 9, [](int row, std::mt19937& generator) {
    std::vector<int> columns;
    for (int column = row / 70 * 70; column < row; ++column) columns.push_back(column);
    columns.push_back(row - 70 - static_cast<int>(generator() % 50));
    return columns;
  });
}

/// A point of a mesh has `unknowns(point)` rows with the same columns, those of its own and of the points it is linked
/// to.
Matrix mesh(const Matrix& points, const auto& unknowns, unsigned seed = 11) {
  std::vector<int> first{0};
  for (int point = 0; point < points.size(); ++point) first.push_back(first.back() + unknowns(point));
  Matrix matrix(first.back());
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int point = 0; point < points.size(); ++point)
    for (const auto& [other, link] : points.rows[point])
      for (int row = first[point]; row < first[point + 1]; ++row)
        for (int column = first[other]; column < first[other + 1]; ++column) {
          const auto mirror = matrix.rows[column].find(row);
          matrix.rows[row][column] = mirror != matrix.rows[column].end() ? mirror->second : value(generator);
        }
  return dominant(matrix);
}

Matrix all_linked(int n) {
  return symmetric_links(n, 13, [](int row, std::mt19937&) {
    std::vector<int> columns(static_cast<std::size_t>(row));
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
  });
}

/// A row that everybody needs, too long for the one lane that its entries left of the diagonal are worth.
Matrix hub_before_a_chain(int n) {
  return symmetric_links(n, 19, [](int row, std::mt19937&) { return std::vector<int>{row - 1, 0}; });
}

/// More rows than the device has warps at once, each needed by others although nothing stands behind its diagonal.
Matrix lower_triangle(int n, int width) {
  Matrix matrix(n);
  for (int row = 0; row < n; ++row)
    for (int k = 1; k <= std::min(width, row); ++k) matrix.rows[row][row - k] = 1.0 / (row + k);
  return dominant(matrix);
}

/// Short rows in wide levels, elimination of which changes more than the diagonal: small blocks in a row, far apart.
Matrix wide_levels(int n) {
  return symmetric_links(n, 23, [n](int row, std::mt19937& generator) {
    const int stride = n / 4;
    std::vector<int> columns;
    for (int k = 1; k <= row / stride; ++k)
      if (generator() % 4 != 0) columns.push_back(row - k * stride);
    return columns;
  });
}

/// Many short rows in chains, and long ones that wait for many and that many wait for: not claimed in level order.
Matrix circuit(int n) {
  return symmetric_links(n, 29, [](int row, std::mt19937& generator) {
    std::vector<int> columns{row - 1 - static_cast<int>(generator() % 3)};
    for (int k = 0; row % 50 == 49 && k < 120; ++k) columns.push_back(row - 1 - static_cast<int>(generator() % 2000));
    return columns;
  });
}

Matrix without_some_upper_entries(Matrix matrix) {
  for (int row = 0; row < matrix.size(); ++row)
    std::erase_if(matrix.rows[row],
                  [row](const auto& entry) { return entry.first > row && (entry.first + row) % 3 == 0; });
  return matrix;
}

/// Points that are all linked, a band, and points that everybody needs.
Matrix dense_part_with_hubs(int n, int dense) {
  return symmetric_links(n, 17, [=](int row, std::mt19937&) {
    std::vector<int> columns{row - 1, row - 2};
    if (row < dense || row > n - 3)
      for (int column = 0; column < row; ++column) columns.push_back(column);
    return columns;
  });
}

Matrix mesh_of_three(const Matrix& points) {
  return mesh(points, [](int) { return 3; });
}

/// Points with one to seven unknowns.
Matrix uneven_mesh(const Matrix& points) {
  return mesh(points, [](int point) { return 1 + point * 5 % 7; });
}

Matrix shuffled(const Matrix& matrix, unsigned seed) {
  std::vector<int> number(static_cast<std::size_t>(matrix.size()));
  for (int row = 0; row < matrix.size(); ++row) number[row] = row;
  std::shuffle(number.begin(), number.end(), std::mt19937(seed));
  Matrix result(matrix.size());
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) result.rows[number[row]][number[column]] = value;
  return result;
}

struct Shape {
  const char* name;
  Matrix matrix;
  int most_fill = 1;  // one thread shall be done with it soon
};

std::vector<Shape> shapes() {
  return {
      {"five-point grid", dominant(reference::poisson<double>(57, 43))},
      {"seven-point grid", dominant(reference::convection_diffusion<double>(15, 13, 11, 0.5))},
      {"shuffled grid", shuffled(dominant(reference::poisson<double>(40, 30)), 2)},
      {"tree", tree(3000)},
      {"chain", band(2000, 1)},
      {"narrow band", band(1500, 6)},
      {"wide band", band(400, 150), 0},
      {"hubs", hubs(700), 0},
      {"dense blocks", blocks(350), 0},
      {"shuffled blocks", shuffled(blocks(350), 4), 0},
      {"points of three", mesh_of_three(band(150, 6))},
      {"points of three, links in one direction", mesh_of_three(reference::random_matrix<double>(250, 4, 8)), 0},
      {"points of one to seven", uneven_mesh(dominant(reference::poisson<double>(12, 9)))},
      {"points of many, whose lists are long", mesh(band(4, 2), [](int) { return 90; }), 0},
      {"points of one to seven, all linked", uneven_mesh(all_linked(60)), 0},
      {"points of three, links in most directions", mesh_of_three(reference::random_matrix<double>(100, 200, 8)), 0},
      {"random, not symmetric", dominant(reference::random_matrix<double>(800, 4, 6)), 0},
      {"hub before a chain", hub_before_a_chain(200)},
      {"short rows in wide levels", wide_levels(8800), 0},
      {"lower triangle", lower_triangle(6000, 6), 0},
      {"circuit", circuit(5000), 0},
      {"circuit, not symmetric", without_some_upper_entries(circuit(5000)), 0},
      {"diagonal", dominant(Matrix(333))}};
}

std::vector<double> factor_values(const Symbolic& symbolic, const DeviceArrays<T>& arrays,
                                  const IluFactorOptions& options, int refactorizations = 0) {
  Factor factor(Kokkos::Cuda(), symbolic, arrays.values, options);
  for (int k = 0; k < refactorizations; ++k) factor.refactorize(Kokkos::Cuda(), arrays.values);
  return to_host(factor.values());
}

bool is_symmetric(const Matrix& matrix) {
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row])
      if (matrix.rows[column].count(row) == 0 || matrix.rows[column].at(row) != value) return false;
  return true;
}

/// Calls `test(symbolic of the engine, symbolic of one thread)` for the shape's factorizations.
void for_each_factorization(const Shape& shape, const DeviceArrays<T>& arrays, int most_fill, const auto& test) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky})
    for (int level = 0; level <= most_fill; ++level) {
      if (factorization == Factorization::Cholesky && !is_symmetric(shape.matrix)) continue;
      SCOPED_TRACE(std::string(shape.name) + ", " + to_string(factorization) + ", level " + std::to_string(level));
      IluSymbolicOptions options{.factorization = factorization, .fill_level = level};
      const Symbolic engine(Kokkos::Cuda(), arrays.row_map, arrays.entries, options);
      options.algorithm = Algorithm::Sequential;
      test(engine, Symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries, options));
    }
}

TEST(Cuda_EliminationEngine, GivesTheBitsOfOneThreadOnEveryShape) {
  for (const Shape& shape : shapes()) {
    const DeviceArrays<T> arrays(reference::compress(shape.matrix));
    for_each_factorization(shape, arrays, shape.most_fill, [&](const Symbolic& engine, const Symbolic& one_thread) {
      for (const double relaxation : {0.0, 0.7}) {
        const IluFactorOptions options{.relaxation = relaxation};
        ASSERT_EQ(factor_values(engine, arrays, options), factor_values(one_thread, arrays, options))
            << "relaxation " << relaxation;
      }
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Cuda_EliminationEngine, GivesTheBitsOfOneThreadInBands) {
  const Shape shape{"five-point grid of several bands", dominant(reference::poisson<double>(120, 130)), 0};
  const DeviceArrays<T> arrays(reference::compress(shape.matrix));
  for_each_factorization(shape, arrays, shape.most_fill, [&](const Symbolic& engine, const Symbolic& one_thread) {
    for (const double relaxation : {0.0, 0.7}) {
      const IluFactorOptions options{.relaxation = relaxation};
      EXPECT_EQ(factor_values(engine, arrays, options, 2), factor_values(one_thread, arrays, options))
          << "relaxation " << relaxation;
    }
  });
}

TEST(Cuda_EliminationEngine, AgreesWithTheHost) {
  using HostT = Combination<double, int, Kokkos::Serial>;
  auto all = shapes();
  all.push_back({"hubs so long that the solver cuts them", hubs(2300)});
  all.push_back({"hubs of three that no list serves", mesh_of_three(dense_part_with_hubs(400, 110))});
  for (const Shape& shape : all) {
    const auto compressed = reference::compress(shape.matrix);
    const DeviceArrays<T> arrays(compressed);
    const DeviceArrays<HostT> host_arrays(compressed);
    const Symbolic symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries);
    const IluSymbolic<int, int, Kokkos::Serial> host_symbolic(Kokkos::Serial(), host_arrays.row_map,
                                                              host_arrays.entries);
    const IluFactor<double, int, int, Kokkos::Serial> host(Kokkos::Serial(), host_symbolic, host_arrays.values);
    const auto found = factor_values(symbolic, arrays, {}), expected = to_host(host.values());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found[k], expected[k], 1e-13 * (1 + std::abs(expected[k]))) << shape.name << ", entry " << k;
  }
}

TEST(Cuda_EliminationEngine, RepeatsItsBits) {
  for (const Shape& shape : shapes()) {
    const DeviceArrays<T> arrays(reference::compress(shape.matrix));
    const Symbolic symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries);
    const auto first = factor_values(symbolic, arrays, {});
    for (const int repetitions : {1, 10, 11}) ASSERT_EQ(first, factor_values(symbolic, arrays, {}, repetitions));
  }
}

TEST(Cuda_EliminationEngine, SaysWhichWayItTook) {
  const auto reason = [](const Matrix& matrix) {
    const DeviceArrays<T> arrays(reference::compress(matrix));
    return Symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries).info().reason;
  };
  EXPECT_NE(reason(reference::poisson<double>(9, 8, 7)).find("only the diagonal"), std::string::npos);
  EXPECT_NE(reason(tree(500)).find("only the diagonal"), std::string::npos);
  EXPECT_NE(reason(band(300, 6)).find("rows pass"), std::string::npos);
  EXPECT_NE(reason(hubs(300)).find("rows pass"), std::string::npos);
  EXPECT_NE(reason(wide_levels(8800)).find("one lane's"), std::string::npos);
  EXPECT_NE(reason(uneven_mesh(all_linked(60))).find("same columns"), std::string::npos);
  EXPECT_EQ(reason(band(300, 6)).find("same columns"), std::string::npos);
}

/// The findings of both, whatever becomes of the values.
void expect_findings_of_one_thread(const Shape& shape, const Matrix& broken, const IluFactorOptions& options) {
  const DeviceArrays<T> arrays(reference::compress(broken));
  for_each_factorization(shape, arrays, 0, [&](const Symbolic& engine, const Symbolic& one_thread) {
    const IluInfo found = Factor(Kokkos::Cuda(), engine, arrays.values, options).info();
    const IluInfo expected = Factor(Kokkos::Cuda(), one_thread, arrays.values, options).info();
    EXPECT_EQ(found.succeeded(), expected.succeeded());
    EXPECT_EQ(found.first_zero_pivot, expected.first_zero_pivot);
    EXPECT_EQ(found.first_tiny_pivot, expected.first_tiny_pivot);
    EXPECT_EQ(found.first_nonpositive_pivot, expected.first_nonpositive_pivot);
    EXPECT_EQ(found.first_nonfinite_row, expected.first_nonfinite_row);
    EXPECT_EQ(found.replaced_pivots, expected.replaced_pivots);
  });
}

/// All bits are one: what the engine itself takes for "not yet".
double pending_bits() {
  double value;
  std::memset(&value, 0xff, sizeof(value));
  return value;
}

TEST(Cuda_EliminationEngine, EndsAndReportsWhateverTheValuesAre) {
  for (const Shape& shape : shapes())
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), pending_bits()}) {
      SCOPED_TRACE(bad);
      Matrix broken = shape.matrix;
      for (const int row : {0, broken.size() / 2}) broken.rows[row][row] = bad;
      expect_findings_of_one_thread(shape, broken, {});
      if (bad == 0.0) expect_findings_of_one_thread(shape, broken, {.pivots = {.policy = PivotPolicy::Replace}});
    }
}

TEST(Cuda_EliminationEngine, IsCapturedInAGraphAndReplayed) {
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreate(&stream));
  for (const Shape& shape : shapes()) {
    const Kokkos::Cuda space(stream);
    const DeviceArrays<T> arrays(reference::compress(shape.matrix));
    const Symbolic symbolic(space, arrays.row_map, arrays.entries);
    Factor factor(space, symbolic, arrays.values);
    space.fence();

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    factor.refactorize(space, arrays.values);
    cuda::check(cudaStreamEndCapture(stream, &graph));
    cuda::check(cudaGraphInstantiate(&executable, graph, 0));

    Matrix changed = shape.matrix;
    for (auto& row : changed.rows)
      for (auto& entry : row) entry.second *= 0.75;
    const DeviceArrays<T> later(reference::compress(changed));
    Kokkos::deep_copy(arrays.values, later.values);
    for (int replay = 0; replay < 3; ++replay) cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    EXPECT_EQ(to_host(factor.values()), factor_values(symbolic, later, {})) << shape.name;
    cuda::check(cudaGraphExecDestroy(executable));
    cuda::check(cudaGraphDestroy(graph));
  }
  cuda::check(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace terrace::test
