// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's direct factorization can get wrong: fronts of every class and width, its record of pivots, its
// bits, graphs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "backends/ldlt.hpp"
#include "reference/up_looking_ldlt.hpp"
#include "support/captured_graph.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

template <class T>
class LdltEngineTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Offset = typename T::Offset;
  using Real = ldlt::RealOf<Scalar>;
  using Device = typename T::Device;
  using Numbers = std::vector<Scalar>;
  using Neighbors = std::vector<std::vector<int>>;  // ascending

  static constexpr double unit = std::numeric_limits<Real>::epsilon();

  static Scalar number(double real, double imag) {
    if constexpr (std::is_floating_point_v<Scalar>) return static_cast<Scalar>(real);
    else return Scalar(static_cast<Real>(real), static_cast<Real>(imag));
  }

  struct Shape {
    const char* name;
    Neighbors neighbors;
    std::vector<int> rank;  // when each vertex is eliminated
  };

  static Shape make_shape(const char* name, int n, const auto& are_neighbors_of) {
    Shape shape{name, Neighbors(static_cast<std::size_t>(n)), std::vector<int>(static_cast<std::size_t>(n))};
    std::iota(shape.rank.begin(), shape.rank.end(), 0);
    are_neighbors_of([&](int a, int b) {
      shape.neighbors[a].push_back(b);
      shape.neighbors[b].push_back(a);
    });
    for (auto& row : shape.neighbors) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return shape;
  }

  static Shape dense(int n) {
    return make_shape("dense", n, [&](const auto& link) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) link(i, j);
    });
  }

  /// So many that nothing links with each other: one level, and many tiles.
  static Shape dense_blocks(int count, int n) {
    return make_shape("dense blocks", count * n, [&](const auto& link) {
      for (int block = 0; block < count; ++block)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < i; ++j) link(block * n + i, block * n + j);
    });
  }

  /// Each vertex linked with the next `width`.
  static Shape band(int n, int width) {
    return make_shape("band", n, [&](const auto& link) {
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j <= std::min(n - 1, i + width); ++j) link(i, j);
    });
  }

  static Shape star(int n) {
    return make_shape("star", n, [&](const auto& link) {
      for (int i = 0; i + 1 < n; ++i) link(i, n - 1);
    });
  }

  /// So many dense blocks, each linked with all of the last `ends` vertices, whose front has as many children.
  static Shape bunch(int blocks, int n, int ends) {
    return make_shape("bunch", blocks * n + ends, [&](const auto& link) {
      for (int i = 0; i < blocks * n + ends; ++i)
        for (int j = 0; j < i; ++j)
          if (i >= blocks * n || i / n == j / n) link(i, j);
    });
  }

  /// A cube with its diagonals, in nested dissection.
  static Shape cube(int side) {
    const auto at = [&](int x, int y, int z) { return (z * side + y) * side + x; };
    Shape shape = make_shape("cube", side * side * side, [&](const auto& link) {
      for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x)
            for (int c = z; c <= std::min(side - 1, z + 1); ++c)
              for (int b = std::max(0, y - 1); b <= std::min(side - 1, y + 1); ++b)
                for (int a = std::max(0, x - 1); a <= std::min(side - 1, x + 1); ++a)
                  if (at(a, b, c) > at(x, y, z)) link(at(x, y, z), at(a, b, c));
    });
    int next = side * side * side;
    const auto dissect = [&](const auto& self, std::array<int, 3> low, std::array<int, 3> high) -> void {
      int longest = 0;
      for (int d = 0; d < 3; ++d) {
        if (low[d] >= high[d]) return;
        if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
      }
      auto separator_low = low, separator_high = high;
      const int middle = (low[longest] + high[longest]) / 2;
      separator_low[longest] = middle;
      separator_high[longest] = middle + 1;
      for (int z = separator_low[2]; z < separator_high[2]; ++z)
        for (int y = separator_low[1]; y < separator_high[1]; ++y)
          for (int x = separator_low[0]; x < separator_high[0]; ++x) shape.rank[at(x, y, z)] = --next;
      separator_low = low, separator_high = high;
      separator_high[longest] = middle;
      separator_low[longest] = middle + 1;
      self(self, low, separator_high);
      self(self, separator_low, high);
    };
    dissect(dissect, {0, 0, 0}, {side, side, side});
    return shape;
  }

  static std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (const int n : {1, 2, 7, 8, 9, 32, 33, 64, 65, 105, 112, 113, 128, 129, 160, 161, 225, 256, 257, 321, 600})
      all.push_back(dense(n));
    for (const int width : {1, 5, 40, 170}) all.push_back(band(700, width));
    all.push_back(star(300));
    all.push_back(bunch(21, 12, 30));
    all.push_back(dense_blocks(28, 350));
    all.push_back(cube(7));
    all.push_back(cube(13));
    return all;
  }

  /// A matrix, its plan and an engine.
  struct System {
    std::shared_ptr<ldlt::SymbolicFronts<Kokkos::Cuda>> fronts = std::make_shared<ldlt::SymbolicFronts<Kokkos::Cuda>>();
    std::vector<Offset> row_map{0};
    parallel::HostArray<Offset> sources;
    std::vector<int> columns;
    Numbers values;
    Kokkos::View<Scalar*, Device> entries;
    Kokkos::View<ldlt::PivotRecord<Real>*, Device> record{"record", 1};
    ldlt::LdltPlanPointer<Kokkos::Cuda> plan;
    ldlt::LdltEnginePointer<Scalar, Kokkos::Cuda> engine;
    Kokkos::Cuda space;

    System(const Kokkos::Cuda& on, const Shape& shape, int right_hand_sides) : space(on) {
      sparse::HostGraph graph;
      const int n = static_cast<int>(shape.neighbors.size());
      for (const auto& row : shape.neighbors) {
        graph.entries.insert(graph.entries.end(), row.begin(), row.end());
        graph.row_map.push_back(graph.entries.size());
      }
      const auto compressed = sparse::compress_graph(graph);
      std::vector<int> order(compressed.weights.size());
      std::iota(order.begin(), order.end(), 0);
      const auto rank = [&](int vertex) { return shape.rank[compressed.members[compressed.member_map[vertex]]]; };
      std::sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
      fronts->plan = ldlt::plan_fronts(ldlt::build_fronts(compressed, order, ldlt::tuned_amalgamation(1)), 1,
                                       ldlt::PanelOrder::Levels);
      std::mt19937 random(7);
      std::uniform_real_distribution<double> draw(-1, 1);
      for (int i = 0; i < n; ++i) {
        for (const int j : shape.neighbors[i])
          if (j < i) add(j, number(draw(random), draw(random)));
        const double sign = i % 3 == 0 ? -1 : 1;  // indefinite
        add(i, number(sign * (2.0 * static_cast<double>(shape.neighbors[i].size()) + 1), 0.5));
        row_map.push_back(static_cast<Offset>(columns.size()));
      }
      fronts->plan.entries = ldlt::assemble_entries(
          fronts->plan, sparse::HostTriangleView<Offset>{n, row_map.data(), columns.data(), true}, 1, sources);
      fronts->arrays = ldlt::FrontArrays<Kokkos::Cuda>(space, fronts->plan);
      plan = ldlt::make_ldlt_plan(space, fronts, LdltSymbolicOptions{});
      engine = ldlt::make_ldlt_engine<Scalar>(space, plan, right_hand_sides);
      take_values();
    }

    void add(int column, const Scalar& value) {
      columns.push_back(column);
      values.push_back(value);
    }
    int rows() const { return static_cast<int>(row_map.size()) - 1; }
    const std::vector<int>& original() const { return fronts->plan.tree.original; }

    /// The diagonal entry of the row that is eliminated i-th.
    Scalar& diagonal(int i) { return values[static_cast<std::size_t>(row_map[original()[i] + 1]) - 1]; }

    /// Of the row that is eliminated i-th.
    Scalar expected_pivot(int i) const {
      reference::GeneralMatrix<Scalar> matrix(rows());
      for (int row = 0; row < rows(); ++row)
        for (auto k = row_map[row]; k < row_map[row + 1]; ++k)
          matrix.rows[row][columns[k]] = matrix.rows[columns[k]][row] = values[k];
      const auto pivot = reference::UpLookingLdlt(matrix, original()).pivots()[i];
      return number(pivot.real(), pivot.imag());
    }

    void take_values() {
      Numbers in_order;
      for (const Offset source : sources) in_order.push_back(values[source]);
      entries = to_device<Scalar, Device>(in_order);
    }
    void forget() {
      ldlt::PivotRecord<Real> empty;
      empty.forget(rows());
      for (const Scalar& value : values)
        empty.largest_entry = std::max(empty.largest_entry, incomplete::magnitude(value));
      Kokkos::deep_copy(record, empty);
    }
    void factorize(bool replace = true) {
      forget();
      engine->factorize(space, entries.data(), {static_cast<Real>(std::sqrt(unit)), replace, record.data()});
    }
    ldlt::PivotRecord<Real> pivots() const { return to_host(record)[0]; }

    Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device> right_hand_sides(int count) const {
      Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device> B("B", rows(), count);
      const auto host = Kokkos::create_mirror_view(B);
      for (int q = 0; q < count; ++q)
        for (int i = 0; i < rows(); ++i) host(i, q) = number(1.0 + (i * 7 + q) % 11, (i + q) % 3);
      Kokkos::deep_copy(B, host);
      return B;
    }

    /// max_i |b - A x|_i / (|A| |x| + |b|)_i over all columns.
    double backward_error(const auto& B, const auto& X) const {
      const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), B);
      const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X);
      std::vector<int> place(original().size());
      for (int i = 0; i < rows(); ++i) place[original()[i]] = i;
      double worst = 0;
      for (int q = 0; q < static_cast<int>(b.extent(1)); ++q) {
        Numbers residual(place.size());
        std::vector<double> size(place.size());
        const auto subtract = [&](int i, int j, const Scalar& value) {
          residual[i] -= value * x(place[j], q);
          size[i] += incomplete::magnitude(value) * incomplete::magnitude(x(place[j], q));
        };
        for (int i = 0; i < rows(); ++i) {
          residual[i] += b(place[i], q);
          size[i] += incomplete::magnitude(b(place[i], q));
          for (auto k = row_map[i]; k < row_map[i + 1]; ++k) {
            subtract(i, columns[k], values[k]);
            if (columns[k] != i) subtract(columns[k], i, values[k]);
          }
        }
        for (std::size_t i = 0; i < place.size(); ++i) {
          const double error = incomplete::magnitude(residual[i]) / size[i];
          if (!(error <= worst)) worst = error;
        }
      }
      return worst;
    }
  };
};

TYPED_TEST_SUITE_P(LdltEngineTest);

TYPED_TEST_P(LdltEngineTest, SolvesEveryShapeWithAnyNumberOfRightHandSides) {
  for (const auto& shape : this->shapes()) {
    typename TestFixture::System system(Kokkos::Cuda(), shape, 70);
    system.factorize();
    for (const int count : {1, 2, 5, 64, 70}) {
      SCOPED_TRACE(std::string(shape.name) + " of " + std::to_string(system.rows()) + ", " + std::to_string(count));
      const auto B = system.right_hand_sides(count), X = system.right_hand_sides(count);
      system.engine->solve(system.space, X, LdltPart::All);
      system.space.fence();
      EXPECT_LE(system.backward_error(B, X), 100 * TestFixture::unit);
    }
    const auto record = system.pivots();
    EXPECT_EQ(record.first_nonfinite, system.rows());
    EXPECT_EQ(record.replaced, 0);
    EXPECT_GT(record.smallest_pivot, 0);
    EXPECT_LT(record.growth, 2);
  }
}

/// Blocks that come late find the kernel ahead ended: what they do before they wait for it is not slowed down by that.
TYPED_TEST_P(LdltEngineTest, SolvesWhereTilesAreMoreThanTheDeviceHoldsAtOnce) {
  typename TestFixture::System system(Kokkos::Cuda(), this->dense_blocks(400, 200), 1);
  for (int repetition = 0; repetition < 4; ++repetition) {
    system.factorize();
    const auto B = system.right_hand_sides(1), X = system.right_hand_sides(1);
    system.engine->solve(system.space, X, LdltPart::All);
    system.space.fence();
    EXPECT_LE(system.backward_error(B, X), 100 * TestFixture::unit) << repetition;
  }
}

/// The same arguments come back as a graph, others go as they are or take the place of older ones.
TYPED_TEST_P(LdltEngineTest, WhatRepeatsItselfHasTheBitsOfWhatDoesNot) {
  for (const auto& shape : {this->cube(7), this->dense(321)}) {
    typename TestFixture::System system(Kokkos::Cuda(), shape, 64);
    system.factorize();
    std::map<std::pair<int, LdltPart>, typename TestFixture::Numbers> expected;
    for (int round = 0; round < 5; ++round) {
      for (const int count : {1, 5, 64})
        for (const auto part : {LdltPart::All, LdltPart::Forward}) {
          const auto B = system.right_hand_sides(count), X = system.right_hand_sides(count);
          for (int again = 0; again < 4; ++again) {
            Kokkos::deep_copy(X, B);
            Kokkos::fence();
            system.engine->solve(system.space, X, part);
            system.space.fence();
            const auto last = to_host(Kokkos::subview(X, Kokkos::ALL, count - 1));
            const auto [found, is_new] = expected.try_emplace({count, part}, last);
            ASSERT_EQ(found->second, last) << shape.name << ", " << count << " columns, round " << round;
          }
        }
      system.factorize(round % 2 == 0);  // which replaces nothing here
    }
  }
}

TYPED_TEST_P(LdltEngineTest, PartsMakeTheWholeAndBitsRepeat) {
  for (const auto& shape : this->shapes()) {
    typename TestFixture::System system(Kokkos::Cuda(), shape, 8);
    for (const int count : {1, 8}) {
      const auto whole = system.right_hand_sides(count), parts = system.right_hand_sides(count);
      system.factorize();
      system.engine->solve(system.space, whole, LdltPart::All);
      system.factorize();
      for (const auto part : {LdltPart::Forward, LdltPart::Diagonal, LdltPart::Backward})
        system.engine->solve(system.space, parts, part);
      system.space.fence();
      for (int q = 0; q < count; ++q)
        ASSERT_EQ(to_host(Kokkos::subview(whole, Kokkos::ALL, q)), to_host(Kokkos::subview(parts, Kokkos::ALL, q)))
            << shape.name << " of " << system.rows();
    }
  }
}

TYPED_TEST_P(LdltEngineTest, RecordsWhatPivotsAre) {
  using Scalar = typename TypeParam::Scalar;
  for (const int n : {5, 100, 400})
    for (const int row : {0, n / 2, n - 1}) {
      SCOPED_TRACE(std::to_string(row) + " of " + std::to_string(n));
      auto shape = this->band(n, 1);
      for (auto& neighbors : shape.neighbors) neighbors.clear();  // pivots are the diagonal
      typename TestFixture::System system(Kokkos::Cuda(), shape, 1);
      system.diagonal(row) = Scalar(0);
      system.take_values();
      system.factorize();
      EXPECT_EQ(system.pivots().first_zero, row);
      EXPECT_EQ(system.pivots().replaced, 1);
      system.factorize(false);
      EXPECT_EQ(system.pivots().first_zero, row);
      EXPECT_EQ(system.pivots().replaced, 0);
      system.diagonal(row) = Scalar(std::numeric_limits<typename TestFixture::Real>::quiet_NaN());
      system.take_values();
      system.factorize();
      EXPECT_EQ(system.pivots().first_nonfinite, row);
    }
}

/// What is factorized then is a matrix with another entry on the diagonal. L is as large as the threshold is small.
TYPED_TEST_P(LdltEngineTest, ReplacesASmallPivotAmongGoodOnes) {
  using Real = typename TestFixture::Real;
  const Real threshold = static_cast<Real>(std::sqrt(TestFixture::unit));
  for (const int n : {7, 8, 20, 100, 200})
    for (const int row : {0, n / 2, n - 1}) {
      SCOPED_TRACE(std::to_string(row) + " of " + std::to_string(n));
      typename TestFixture::System system(Kokkos::Cuda(), this->dense(n), 1);
      system.forget();
      const Real small = threshold * system.pivots().largest_entry / 4;
      system.diagonal(row) += small - system.expected_pivot(row);
      system.take_values();
      system.factorize();
      const auto record = system.pivots();
      EXPECT_EQ(record.first_tiny, row);
      EXPECT_EQ(record.first_zero, n);
      EXPECT_EQ(record.replaced, 1);
      const Real used = threshold * record.largest_entry;
      EXPECT_NEAR(record.smallest_pivot, used, 1e-3 * used);
      const auto B = system.right_hand_sides(1), X = system.right_hand_sides(1);
      system.engine->solve(system.space, X, LdltPart::All);
      system.space.fence();
      system.diagonal(row) += used - small;
      EXPECT_LE(system.backward_error(B, X), 10 * threshold);
    }
}

TYPED_TEST_P(LdltEngineTest, ANaNAnywhereIsReported) {
  for (const auto& shape : this->shapes()) {
    typename TestFixture::System system(Kokkos::Cuda(), shape, 1);
    system.values[system.values.size() / 2] =
        typename TypeParam::Scalar(std::numeric_limits<typename TestFixture::Real>::quiet_NaN());
    system.take_values();
    system.factorize();
    EXPECT_LT(system.pivots().first_nonfinite, system.rows()) << shape.name << " of " << system.rows();
  }
}

TYPED_TEST_P(LdltEngineTest, IsCapturedInAGraphAndReplayed) {
  const auto space = cuda_instance();
  for (const auto& shape : {this->cube(13), this->dense(321), this->band(700, 5)}) {
    typename TestFixture::System system(space, shape, 8);
    for (const int count : {1, 8}) {
      const auto B = system.right_hand_sides(count), X = system.right_hand_sides(count);
      system.forget();
      const ldlt::PivotRule<typename TypeParam::Scalar> rule{
          static_cast<typename TestFixture::Real>(std::sqrt(TestFixture::unit)), true, system.record.data()};
      const CapturedGraph graph(space, [&] {
        system.engine->factorize(space, system.entries.data(), rule);
        system.engine->solve(space, X, LdltPart::All);
      });
      ASSERT_EQ(graph.failure(), "");
      for (int replay = 0; replay < 3; ++replay) {
        Kokkos::deep_copy(X, B);
        Kokkos::fence();
        graph.replay();
        space.fence();
        EXPECT_LE(system.backward_error(B, X), 100 * TestFixture::unit) << shape.name;
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(LdltEngineTest, SolvesEveryShapeWithAnyNumberOfRightHandSides,
                            SolvesWhereTilesAreMoreThanTheDeviceHoldsAtOnce, WhatRepeatsItselfHasTheBitsOfWhatDoesNot,
                            PartsMakeTheWholeAndBitsRepeat, RecordsWhatPivotsAre, ReplacesASmallPivotAmongGoodOnes,
                            ANaNAnywhereIsReported, IsCapturedInAGraphAndReplayed);

}  // namespace terrace::test
