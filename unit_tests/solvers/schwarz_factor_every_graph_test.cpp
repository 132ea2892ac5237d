// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every graph of up to six vertices up to renumbering, every partition of it into at most three blocks, overlaps from 0
// to 4: subdomains and applications against the definitions.
#include <terrace/schwarz.hpp>

#include <array>
#include <numeric>

#include "reference/differences.hpp"
#include "reference/schwarz.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;
using Tested = Combination<double, int, Space>;
using Matrix = reference::GeneralMatrix<double>;

/// Bit k stands for the k-th pair (i, j), i < j.
int bit_of(int n, int i, int j) {
  if (i > j) std::swap(i, j);
  return i * n - i * (i + 1) / 2 + j - i - 1;
}

unsigned renumbered(unsigned graph, int n, const std::vector<int>& order) {
  unsigned result = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (graph >> bit_of(n, i, j) & 1u) result |= 1u << bit_of(n, order[i], order[j]);
  return result;
}

/// One of each class of graphs that renumbering makes the same.
std::vector<unsigned> graphs_of(int n) {
  const unsigned count = 1u << (n * (n - 1) / 2);
  std::vector<bool> is_known(count, false);
  std::vector<unsigned> found;
  for (unsigned graph = 0; graph < count; ++graph) {
    if (is_known[graph]) continue;
    found.push_back(graph);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    do is_known[renumbered(graph, n, order)] = true;
    while (std::next_permutation(order.begin(), order.end()));
  }
  return found;
}

/// Block numbers in which a new block has the next number.
std::vector<std::vector<int>> partitions_of(int n, int max_blocks) {
  std::vector<std::vector<int>> all{{}};
  for (int vertex = 0; vertex < n; ++vertex) {
    std::vector<std::vector<int>> longer;
    for (const auto& numbers : all) {
      const int used = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
      for (int block = 0; block <= std::min(used, max_blocks - 1); ++block) {
        longer.push_back(numbers);
        longer.back().push_back(block);
      }
    }
    all = longer;
  }
  return all;
}

/// Unsymmetric numbers; every other edge stands in one direction alone.
Matrix matrix_of(unsigned graph, int n) {
  Matrix matrix(n);
  for (int i = 0; i < n; ++i) {
    matrix.rows[i][i] = 4.0 + i;
    for (int j = i + 1; j < n; ++j) {
      if (!(graph >> bit_of(n, i, j) & 1u)) continue;
      matrix.rows[i][j] = -1.0 - 0.1 * j;
      if ((i + j) % 2 == 0) matrix.rows[j][i] = -0.5 - 0.1 * i;
    }
  }
  return matrix;
}

void expect_subdomains(const Subdomains<int, int, Space>& found, const reference::Places& expected) {
  const auto block_map = to_host(found.block_map()), rows = to_host(found.rows());
  for (std::size_t block = 0; block < expected.size(); ++block)
    ASSERT_EQ(std::vector<int>(rows.begin() + block_map[block], rows.begin() + block_map[block + 1]), expected[block]);
}

void expect_applications(const Subdomains<int, int, Space>& subdomains, const DeviceArrays<Tested>& arrays,
                         const reference::SchwarzMethod<double>& oracle, const std::vector<SchwarzVariant>& variants) {
  const std::size_t n = oracle.block_of.size();
  std::vector<double> r(n);
  std::iota(r.begin(), r.end(), 1.0);
  const auto from = to_device<double, Tested::Device>(r);
  const Kokkos::View<double*, Tested::Device> z("z", n);
  for (const auto variant : variants) {
    const SchwarzFactor<double, int, int, Space> factor(Space(), subdomains, arrays.values,
                                                        {.variant = variant, .algorithm = SchwarzAlgorithm::Blocks});
    for (const auto op : {Op::None, Op::Transpose}) {
      Kokkos::deep_copy(z, std::numeric_limits<double>::quiet_NaN());
      factor.apply(Space(), from, z, op);
      ASSERT_LE(reference::relative_difference(to_host(z), oracle.apply(r, variant, op)), 1e-13)
          << to_string(variant) << ", " << to_string(op);
    }
  }
}

void expect_definition(int n, const std::vector<SchwarzVariant>& variants) {
  for (const unsigned graph : graphs_of(n)) {
    const Matrix matrix = matrix_of(graph, n);
    const DeviceArrays<Tested> arrays(reference::compress(matrix));
    for (const auto& numbers : partitions_of(n, 3)) {
      const int blocks = *std::max_element(numbers.begin(), numbers.end()) + 1;
      const Partition<int, Space> partition(Space(), to_device<int, Tested::Device>(numbers), blocks);
      reference::Places before;
      for (int overlap = 0; overlap <= 4; ++overlap) {
        SCOPED_TRACE("graph " + std::to_string(graph) + " of " + std::to_string(n) + " vertices, overlap " +
                     std::to_string(overlap));
        const Subdomains<int, int, Space> subdomains(Space(), arrays.row_map, arrays.entries, partition,
                                                     {.overlap = overlap, .max_growth = 1000});
        const auto expected = reference::subdomains(matrix, numbers, blocks, overlap);
        expect_subdomains(subdomains, expected);
        if (expected != before)  // applications are known otherwise
          expect_applications(subdomains, arrays,
                              {matrix, numbers, blocks, overlap, true,
                               [](const Matrix& block) {
                                 return reference::incomplete_lu(reference::to_dense(block),
                                                                 reference::fill_mask(block, 0), 0);
                               }},
                              variants);
        before = expected;
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(SchwarzOnEveryGraph, HasAsManyGraphsAsThereAre) {
  const std::array<std::size_t, 7> expected{1, 1, 2, 4, 11, 34, 156};
  for (int n = 1; n <= 6; ++n) EXPECT_EQ(graphs_of(n).size(), expected[static_cast<std::size_t>(n)]);
  EXPECT_EQ(partitions_of(6, 3).size(), 122u);
}

TEST(SchwarzOnEveryGraph, IsTheDefinitionUpToFiveVertices) {
  for (int n = 1; n <= 5; ++n)
    expect_definition(n, {SchwarzVariant::Restricted, SchwarzVariant::Harmonic, SchwarzVariant::Additive,
                          SchwarzVariant::Weighted, SchwarzVariant::Symmetric});
}

TEST(SchwarzOnEveryGraph, IsTheDefinitionForSixVertices) {
  expect_definition(6, {SchwarzVariant::Restricted, SchwarzVariant::Weighted});
}

}  // namespace
}  // namespace terrace::test
