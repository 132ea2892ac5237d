// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in place and packed rows, both in groups, on hosts: against textbook substitution, whatever the groups.
#include "algorithms/triangular/packed_rows.hpp"

#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;

/// Nodes of so many unknowns each, which all have the unknowns of the same other nodes, about `neighbours` of the last.
reference::SparseTriangle<double> triangle_of_nodes(int nodes, int unknowns, Uplo uplo, unsigned neighbours = 4) {
  std::mt19937 generator(7);
  reference::SparseTriangle<double> triangle{uplo, {}};
  triangle.rows.resize(static_cast<std::size_t>(nodes * unknowns));
  for (int node = 0; node < nodes; ++node)
    for (int other = 0; other <= node; ++other) {
      if (other != node && generator() % static_cast<unsigned>(nodes) >= neighbours) continue;
      for (int i = node * unknowns; i < (node + 1) * unknowns; ++i)
        for (int j = other * unknowns; j < (other + 1) * unknowns && j <= i; ++j) {
          const double value = i == j ? 2.5 + 0.1 * double(i % 7) : 0.125 * double(generator() % 9) - 0.5;
          if (uplo == Uplo::Lower) triangle.rows[i][j] = value;
          else triangle.rows[triangle.rows.size() - 1 - i][static_cast<int>(triangle.rows.size()) - 1 - j] = value;
        }
    }
  return triangle;
}

std::vector<double> numbers(std::size_t count, int seed) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = 1.0 + 0.01 * double((k + static_cast<std::size_t>(seed)) % 41);
  return values;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], 1e-12 * scale) << "row " << k;
}

TEST(PackedRows, SolveGroupsOfEverySize) {
  for (const int unknowns : {1, 2, 3, 4, 5, 7})
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
      for (const Diag diag : {Diag::NonUnit, Diag::Unit})
        for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled}) {
          SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + to_string(uplo) + ", " + to_string(diag) + ", " +
                       to_string(algorithm));
          const auto triangle = triangle_of_nodes(23, unknowns, uplo);
          const DeviceArrays<Types> arrays(reference::compress(triangle, {{}, true, true}, 1));
          const auto solver = arrays.analyze({.uplo = uplo, .diag = diag, .algorithm = algorithm});
          for (const Op op : {Op::None, Op::Transpose}) {
            const auto system = reference::apply_op(triangle, op, diag);
            std::vector<std::vector<double>> b, expected;
            for (int column = 0; column < 6; ++column) {
              b.push_back(numbers(triangle.rows.size(), column));
              expected.push_back(reference::substitute(system, b.back()));
            }
            const auto one = to_device<double, Types::Device>(b[0]);
            const Kokkos::View<double*, Types::Device> x("x", b[0].size());
            solver.solve(Space(), one, x, op);
            expect_near(to_host(x), expected[0]);
            solver.solve(Space(), one, one, op);
            EXPECT_EQ(to_host(one), to_host(x));
            const auto many = to_device_columns<Types, Kokkos::LayoutRight>(b, b[0].size());
            solver.solve(Space(), many, many, op);
            for (std::size_t column = 0; column < b.size(); ++column)
              expect_near(column_to_host(many, column), expected[column]);
          }
        }
}

/// The solves with new values: first in place, then packed, with the same bits.
TEST(PackedRows, HaveTheBitsOfRowsInPlace) {
  for (const auto& [unknowns, neighbours] : {std::pair{1, 4u}, std::pair{1, 30u}, std::pair{3, 4u}, std::pair{4, 4u}})
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
      for (const bool full : {false, true})
        for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled})
          for (const Op op : {Op::None, Op::Transpose}) {
            const auto triangle = triangle_of_nodes(60, unknowns, uplo, neighbours);
            const TriangularOptions options{
                .uplo = uplo, .stored = full ? Stored::Full : Stored::Triangle, .algorithm = algorithm};
            const DeviceArrays<Types> arrays(reference::compress(triangle, {options, true, true}, 1));
            auto solver = arrays.analyze(options);
            const auto b = numbers(triangle.rows.size(), 5);
            std::vector<double> first;
            for (int round = 0; round < 2; ++round) {
              for (int solve = 0; solve < 20; ++solve) {
                const auto x = to_device<double, Types::Device>(b);
                solver.solve(Space(), x, x, op);
                if (first.empty()) first = to_host(x);
                ASSERT_EQ(to_host(x), first) << "solve " << solve << " of round " << round;
              }
              solver.update_values(Space(), arrays.values);
            }
          }
}

TEST(PackedRows, SolveLongRows) {
  for (const unsigned neighbours : {8u, 9u, 16u, 61u})
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      const auto triangle = triangle_of_nodes(61, 1, uplo, neighbours);
      const auto b = numbers(triangle.rows.size(), 3);
      const DeviceArrays<Types> arrays(reference::compress(triangle, {{}, true, true}, 1));
      const auto solver = arrays.analyze({.uplo = uplo});
      for (const Op op : {Op::None, Op::Transpose}) {
        const auto x = to_device<double, Types::Device>(b);
        solver.solve(Space(), x, x, op);
        expect_near(to_host(x), reference::substitute(reference::apply_op(triangle, op, Diag::NonUnit), b));
      }
    }
}

/// Products that are lost one by one beside a large sum, and not together.
TEST(PackedRows, AddUpProductsInPairsButForTheLast) {
  const auto sum_of = [](auto in_pairs, std::vector<double> products) {
    double sum[1] = {-1};
    triangular::subtract_products<in_pairs>(
        sum, std::ssize(products), [&](std::ptrdiff_t j) { return products[static_cast<std::size_t>(j)]; },
        [](std::ptrdiff_t, int) { return 1.0; });
    return sum[0];
  };
  constexpr double lost = 0x1p-53, both = 0x1p-52;
  EXPECT_EQ(sum_of(std::true_type(), {lost, lost, 0, 0}), -1 - both);
  EXPECT_EQ(sum_of(std::true_type(), {0, 0, lost, lost}), -1);
  EXPECT_EQ(sum_of(std::true_type(), {lost, lost, lost, lost, 0}), -1 - 2 * both);
  EXPECT_EQ(sum_of(std::true_type(), {lost, lost}), -1);
  EXPECT_EQ(sum_of(std::true_type(), {}), -1);
  EXPECT_EQ(sum_of(std::false_type(), {lost, lost, lost, lost}), -1);
}

TEST(PackedRows, HoldTheColumnsOfAGroupOnce) {
  const auto alike = triangle_of_nodes(23, 4, Uplo::Lower);
  const TriangularOptions options{.stored = Stored::Full};
  const DeviceArrays<Types> arrays(reference::compress(alike, {options, true, true}, 1));
  const auto info = arrays.analyze(options).info();
  EXPECT_EQ(info.algorithm, Algorithm::Sequential) << info.reason;
  EXPECT_TRUE(info.copies_matrix);
  EXPECT_LT(info.bytes_held, static_cast<std::size_t>(info.entries) * (sizeof(double) + sizeof(int) / 2) + 4096);
}

TEST(PackedRows, AreNotHeldWhereOneThreadReadsATriangleThatStandsAlone) {
  const DeviceArrays<Types> arrays(reference::compress(triangle_of_nodes(23, 4, Uplo::Lower), {{}, true, true}, 1));
  const auto info = arrays.analyze({}).info();
  EXPECT_FALSE(info.copies_matrix);
  EXPECT_LT(info.bytes_held, 1024u);
}

/// The inverse of the smallest normal number is not exact, and that of a smaller one is infinite.
TEST(PackedRows, DivideWhereAPivotHasNoInverse) {
  for (const double pivot : {1e-310, 4e307, 1e308}) {
    auto triangle = triangle_of_nodes(9, 2, Uplo::Lower);
    auto& last = triangle.rows.back();
    last = {{static_cast<int>(triangle.rows.size()) - 1, pivot}};
    auto b = numbers(triangle.rows.size(), 0);
    b.back() = 3 * pivot;
    if (pivot > 1) b.back() = pivot;
    const DeviceArrays<Types> arrays(reference::compress(triangle, {{}, true, true}, 1));
    const auto x = to_device<double, Types::Device>(b);
    arrays.analyze({}).solve(Space(), x, x);
    EXPECT_EQ(to_host(x).back(), b.back() / pivot);
    EXPECT_EQ(to_host(x).front(), b.front() * (1 / triangle.rows[0][0]));
  }
}

TEST(PackedRows, TakeNewValues) {
  const auto triangle = triangle_of_nodes(11, 3, Uplo::Upper);
  const DeviceArrays<Types> arrays(reference::compress(triangle, {{}, true, true}, 1));
  auto solver = arrays.analyze({.uplo = Uplo::Upper});
  auto twice = triangle;
  for (auto& row : twice.rows)
    for (auto& [column, value] : row) value *= 2;
  const DeviceArrays<Types> changed(reference::compress(twice, {{}, true, true}, 1));
  solver.update_values(Space(), changed.values);
  const auto b = numbers(triangle.rows.size(), 3);
  const auto x = to_device<double, Types::Device>(b);
  solver.solve(Space(), x, x);
  expect_near(to_host(x), reference::substitute(twice, b));
}

/// Only what depends on it.
TEST(PackedRows, KeepANaNToTheRowsThatDependOnIt) {
  const auto triangle = triangle_of_nodes(5, 4, Uplo::Lower);
  const DeviceArrays<Types> arrays(reference::compress(triangle, {{}, true, true}, 1));
  const auto solver = arrays.analyze({});
  for (std::size_t bad = 0; bad < triangle.rows.size(); ++bad) {
    auto b = numbers(triangle.rows.size(), 0);
    b[bad] = NAN;
    std::vector<char> depends(b.size(), 0);
    for (std::size_t row = 0; row < b.size(); ++row) {
      depends[row] = row == bad;
      for (const auto& [column, value] : triangle.rows[row])
        if (static_cast<std::size_t>(column) != row && depends[static_cast<std::size_t>(column)]) depends[row] = 1;
    }
    const auto x = to_device<double, Types::Device>(b);
    solver.solve(Space(), x, x);
    const auto found = to_host(x);
    for (std::size_t row = 0; row < b.size(); ++row) EXPECT_EQ(std::isnan(found[row]), depends[row] != 0) << row;
  }
}

}  // namespace
}  // namespace terrace::test
