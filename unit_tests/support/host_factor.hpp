// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symmetric matrices of many shapes, and their factorization by the engine of a host, without the classes around it.
#pragma once

#include <map>
#include <numeric>
#include <random>

#include "algorithms/ldlt/host_engine.hpp"
#include "reference/largest_error.hpp"

namespace terrace::test {

/// The lower triangle; all diagonal entries are there.
template <class Scalar>
struct SymmetricMatrix {
  std::vector<std::map<int, Scalar>> rows;

  explicit SymmetricMatrix(int n) : rows(static_cast<std::size_t>(n)) {}

  int size() const { return static_cast<int>(rows.size()); }
  Scalar& at(int i, int j) { return rows[std::max(i, j)][std::min(i, j)]; }
  void connect(int i, int j) { at(i, j) = Scalar(0); }

  /// Random numbers; diagonals of both signs that outweigh their rows, so that no interchange is missed.
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&] { return double(random() % 2000) / 1000 - 1; };
    std::vector<double> weight(rows.size(), 1.0);
    for (int i = 0; i < size(); ++i)
      for (auto& [j, value] : rows[i]) {
        value = Scalar(number());
        if constexpr (!std::is_floating_point_v<Scalar>) value += Scalar(0, number());
        weight[i] += Kokkos::abs(value);
        weight[j] += Kokkos::abs(value);
      }
    for (int i = 0; i < size(); ++i) at(i, i) = Scalar(random() % 3 == 0 ? -weight[i] : weight[i]);
  }
};

/// n rows; below the diagonal what `is_entry(i, j)` says.
template <class Scalar, class IsEntry>
SymmetricMatrix<Scalar> matrix_of(int n, const IsEntry& is_entry, unsigned seed = 1) {
  SymmetricMatrix<Scalar> matrix(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (is_entry(i, j)) matrix.connect(i, j);
  matrix.fill(seed);
  return matrix;
}

/// Nodes of a cube that touch, with all their unknowns.
template <class Scalar>
SymmetricMatrix<Scalar> cube(int nodes, int unknowns) {
  const auto near = [=](int a, int b) {
    const auto close = [](int x, int y) { return x - y <= 1 && y - x <= 1; };
    return close(a % nodes, b % nodes) && close(a / nodes % nodes, b / nodes % nodes) &&
           close(a / nodes / nodes, b / nodes / nodes);
  };
  return matrix_of<Scalar>(nodes * nodes * nodes * unknowns,
                           [&](int i, int j) { return near(i / unknowns, j / unknowns); });
}

/// Nested dissection of a cube: the middle plane last.
inline void dissect(const std::array<int, 3>& low, const std::array<int, 3>& high, int nodes, std::vector<int>& order) {
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
  if (high[axis] - low[axis] < 3) {
    for (int z = low[2]; z < high[2]; ++z)
      for (int y = low[1]; y < high[1]; ++y)
        for (int x = low[0]; x < high[0]; ++x) order.push_back((z * nodes + y) * nodes + x);
    return;
  }
  const int middle = (low[axis] + high[axis]) / 2;
  auto below = high, above = low, plane_low = low, plane_high = high;
  below[axis] = plane_low[axis] = middle;
  above[axis] = plane_high[axis] = middle + 1;
  dissect(low, below, nodes, order);
  dissect(above, high, nodes, order);
  dissect(plane_low, plane_high, nodes, order);
}

template <class Scalar, class Space, class Clock = std::chrono::steady_clock>
class HostFactor {
 public:
  using Real = ldlt::RealOf<Scalar>;
  using Engine = ldlt::HostEngine<Scalar, Space, Clock>;

  std::shared_ptr<ldlt::SymbolicFronts<Space>> fronts = std::make_shared<ldlt::SymbolicFronts<Space>>();
  ldlt::PivotRecord<Real> record;
  std::vector<Scalar> values;               // of the lower triangle
  parallel::HostArray<std::size_t> source;  // of the entries of the fronts among them
  std::unique_ptr<Engine> engine;

  /// `node_order`: of groups of `unknowns` rows; empty: as they are.
  HostFactor(const SymmetricMatrix<Scalar>& matrix, const ldlt::HostCut& cut, std::vector<int> node_order = {},
             double amalgamation = 1) {
    std::vector<std::size_t> row_map{0};
    std::vector<int> columns;
    for (const auto& row : matrix.rows) {
      for (const auto& [column, value] : row) {
        columns.push_back(column);
        values.push_back(value);
      }
      row_map.push_back(columns.size());
    }
    sparse::CompressedGraph graph =
        sparse::compress_graph(sparse::make_host_graph(matrix.size(), row_map.data(), columns.data()));
    if (node_order.size() != graph.weights.size()) {
      node_order.resize(graph.weights.size());
      std::iota(node_order.begin(), node_order.end(), 0);
    }
    fronts->plan = ldlt::plan_fronts(ldlt::build_fronts(graph, node_order, ldlt::tuned_amalgamation(amalgamation)), 1,
                                     ldlt::PanelOrder::Fronts);
    fronts->plan.entries = ldlt::assemble_entries(
        fronts->plan, sparse::HostTriangleView<std::size_t>{matrix.size(), row_map.data(), columns.data(), true}, 1,
        source);
    plan_ = std::make_shared<ldlt::HostPlan<Space>>(fronts, cut);
    engine = std::make_unique<Engine>(Space(), plan_, max_columns);
  }

  static constexpr int max_columns = 5;

  const std::vector<int>& original() const { return fronts->plan.tree.original; }
  const ldlt::HostSchedule& schedule() const { return plan_->schedule(); }

  void factorize(bool replace = true, const Space& space = Space()) {
    std::vector<Scalar> entries;
    Real largest = 0;
    for (const std::size_t from : source) entries.push_back(values[from]);
    for (const Scalar& entry : entries)
      if (triangular::is_finite(entry)) largest = std::max(largest, incomplete::magnitude(entry));
    record.forget(fronts->plan.tree.unknowns());
    record.largest_entry = largest;
    engine->factorize(space, entries.data(), {Real(1e-8), replace, &record});
  }

  /// X has its columns one after the other, in the order of elimination.
  std::vector<Scalar> solved(std::vector<Scalar> X, int columns, LdltPart part = LdltPart::All,
                             const Space& space = Space()) const {
    const int rows = fronts->plan.tree.unknowns();
    const auto copy = [&](auto& to, const auto& from) {
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) to(r, c) = from(r, c);
    };
    const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace> given(X.data(), rows, columns);
    const Kokkos::View<Scalar**, Kokkos::LayoutRight, Kokkos::HostSpace> Y("Y", rows, columns);
    copy(Y, given);
    engine->solve(space, Y, part);
    copy(given, Y);
    return X;
  }

 private:
  std::shared_ptr<ldlt::HostPlan<Space>> plan_;
};

template <class Scalar>
std::vector<Scalar> some_numbers(std::size_t count) {
  std::vector<Scalar> numbers(count);
  for (std::size_t k = 0; k < count; ++k) numbers[k] = Scalar(double((k * 7919) % 1000) / 1000 - 0.4);
  return numbers;
}

}  // namespace terrace::test
