// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several right-hand sides in one walk through a grid are the bits of one after the other, in every shape of tile; and
// a backward sweep that is set up early stays in its place among other kernels.
#pragma once

#include <terrace/structured_factor.hpp>

#include "backends/cuda/structured/make_engine.hpp"
#include "support/captured_graph.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {

// A strip, small tiles, and large ones, all of them partly filled.
inline const Grid grids_of_every_tile[] = {{200, 150, 1}, {20, 7, 33}, {40, 39, 53}};

/// x = from, before a solve; and behind it to = x, and both spoilt.
template <class Scalar>
struct CopyIn {
  Kokkos::View<Scalar*, Kokkos::Cuda> from, b;
  KOKKOS_FUNCTION void operator()(int i) const { b(i) = from(i); }
};
template <class Scalar>
struct TakeOut {
  Kokkos::View<Scalar*, Kokkos::Cuda> b, x, to;
  KOKKOS_FUNCTION void operator()(int i) const {
    to(i) = x(i);
    b(i) = x(i) = -1;
  }
};

template <class T>
class GridColumnsTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = Kokkos::Cuda;
  using Numbers = std::vector<Scalar>;
  using Factor = StructuredFactor<Scalar, Space>;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;
  using Columns = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::Device>;
  using Solve = void (Factor::*)(const Space&, typename Factor::const_vectors, typename Factor::vectors, Op) const;
  static constexpr Solve solves[3] = {&Factor::solve, &Factor::solve_forward, &Factor::solve_backward};

  static Factor factorize(const Grid& grid, bool symmetric, int at_once) {
    const auto A = reference::make_grid_matrix<Scalar>(grid, symmetric, 5, 2.0);
    return {Space(), to_device_matrix<T>(A, symmetric),
            StructuredFactorOptions{.relaxation = 0.5, .right_hand_sides = at_once}};
  }

  static std::vector<Numbers> right_hand_sides(const Grid& grid, int count) {
    std::vector<Numbers> columns;
    for (int k = 0; k < count; ++k)
      columns.push_back(random_vector<Scalar>(static_cast<int>(grid.cells()), 20u + static_cast<unsigned>(k)));
    return columns;
  }

  static Numbers solve_alone(const Factor& M, Solve solve, const Numbers& b, Op op) {
    const auto x = to_device<Scalar, typename T::Device>(b);
    (M.*solve)(Space(), x, x, op);
    return to_host(x);
  }

  template <class Layout>
  static void expect_bits_of_single_solves(const Grid& grid, bool symmetric, int at_once, int count) {
    const auto M = factorize(grid, symmetric, at_once), alone = factorize(grid, symmetric, 1);
    const auto columns = right_hand_sides(grid, count);
    const auto op = symmetric ? Op::None : Op::Transpose;
    for (const Solve solve : solves) {
      const auto x = to_device_columns<T, Layout>(columns, columns[0].size());
      (M.*solve)(Space(), x, x, op);
      for (std::size_t k = 0; k < columns.size(); ++k)
        ASSERT_EQ(column_to_host(x, k), solve_alone(alone, solve, columns[k], op))
            << to_string(grid) << (symmetric ? " symmetric " : " general ") << at_once << " at once, column " << k
            << " of " << count;
    }
  }

  /// x = M^-1 b over and over, each time between two kernels: one writes b, the other takes x away and spoils both.
  static std::vector<Numbers> solve_among_other_kernels(const Factor& M, const std::vector<Vector>& right) {
    const Space space;
    const Vector b("b", right[0].extent(0)), x("x", b.extent(0));
    std::vector<Vector> found;
    for (std::size_t k = 0; k < right.size(); ++k) found.emplace_back("found", b.extent(0));
    const Kokkos::RangePolicy<Space> all(space, 0, static_cast<int>(b.extent(0)));
    for (int repetition = 0; repetition < 25; ++repetition)
      for (std::size_t k = 0; k < right.size(); ++k) {
        Kokkos::parallel_for("terrace::test::before", all, CopyIn<Scalar>{right[k], b});
        M.solve(space, b, x);
        Kokkos::parallel_for("terrace::test::behind", all, TakeOut<Scalar>{b, x, found[k]});
      }
    space.fence();
    std::vector<Numbers> numbers;
    for (const Vector& one : found) numbers.push_back(to_host(one));
    return numbers;
  }
};

TYPED_TEST_SUITE_P(GridColumnsTest);

TYPED_TEST_P(GridColumnsTest, HaveTheBitsOfSolvesOneAfterTheOther) {
  for (const Grid& grid : grids_of_every_tile)
    for (const bool symmetric : {true, false})
      for (const int at_once : {1, 3, 8})
        for (const int count : {1, 2, 5, 9}) {
          this->template expect_bits_of_single_solves<Kokkos::LayoutLeft>(grid, symmetric, at_once, count);
          if (count == 5)
            this->template expect_bits_of_single_solves<Kokkos::LayoutRight>(grid, symmetric, at_once, count);
        }
}

TYPED_TEST_P(GridColumnsTest, AreNotTouchedByWhatIsNotANumberInAnother) {
  using Number = typename TypeParam::Scalar;
  for (const Grid& grid : grids_of_every_tile)
    for (const auto& [name, value] : every_nan<Number>()) {
      const auto M = this->factorize(grid, true, 4);
      auto columns = this->right_hand_sides(grid, 4);
      const auto expected = columns;
      columns[1].assign(columns[1].size(), value);
      const auto x = to_device_columns<TypeParam, Kokkos::LayoutLeft>(columns, columns[0].size());
      M.solve(Kokkos::Cuda(), x, x);
      for (const std::size_t k : {0u, 2u, 3u})
        EXPECT_EQ(column_to_host(x, k), this->solve_alone(M, this->solves[0], expected[k], Op::None))
            << to_string(grid) << " " << name;
      EXPECT_EQ(reference::is_not_finite(column_to_host(x, 1)), std::vector<bool>(columns[1].size(), true))
          << to_string(grid) << " " << name;
    }
}

/// Every operation, one vector and several, with right-hand sides that change between the replays.
TYPED_TEST_P(GridColumnsTest, AreCapturedInAGraphAndReplayed) {
  using Number = typename TypeParam::Scalar;
  const auto space = cuda_instance();
  for (const Grid& grid : grids_of_every_tile)
    for (const bool symmetric : {true, false})
      for (const int count : {1, 3}) {
        const auto M = this->factorize(grid, symmetric, count);
        const auto first = this->right_hand_sides(grid, count), later = this->right_hand_sides(grid, 2 * count);
        const auto rows = first[0].size();
        const auto b = to_device_columns<TypeParam, Kokkos::LayoutLeft>(first, rows);
        const typename TestFixture::Columns x("x", b.extent(0), b.extent(1));
        for (const auto solve : TestFixture::solves)
          for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
            Kokkos::deep_copy(b, to_device_columns<TypeParam, Kokkos::LayoutLeft>(first, rows));
            Kokkos::fence();
            const CapturedGraph graph(space, [&] {
              (M.*solve)(space, b, x, op);
              (M.*solve)(space, x, x, op);
            });
            ASSERT_EQ(graph.failure(), "") << to_string(grid) << " " << to_string(op);
            const std::vector<std::vector<Number>> other(later.begin() + count, later.end());
            Kokkos::deep_copy(b, to_device_columns<TypeParam, Kokkos::LayoutLeft>(other, rows));
            Kokkos::fence();
            for (int replay = 0; replay < 3; ++replay) graph.replay();
            space.fence();
            for (std::size_t k = 0; k < other.size(); ++k) {
              const auto once = this->solve_alone(M, solve, other[k], op);
              EXPECT_EQ(column_to_host(x, k), this->solve_alone(M, solve, once, op)) << to_string(grid);
            }
          }
      }
}

/// Tiles that share a multiprocessor are for grids that no test has the time for.
TYPED_TEST_P(GridColumnsTest, AreTheSameInTilesThatShareAMultiprocessor) {
  using Number = typename TypeParam::Scalar;
  const Grid grid{70, 61, 53};
  const auto A = reference::make_grid_matrix<Number>(grid, true, 5, 2.0);
  const Kokkos::Cuda space;
  const auto matrix = to_device_matrix<TypeParam>(A, true);
  const auto columns = this->right_hand_sides(grid, 5);
  std::vector<std::vector<Number>> found[2];
  const auto solve_with = [&](cuda::grid::GridEngine<Number>& engine, std::vector<std::vector<Number>>& to) {
    const Kokkos::View<std::int64_t, Kokkos::Cuda> breakdown("breakdown");
    Kokkos::deep_copy(breakdown, grid.cells());
    engine.factorize(space, 0.5, 0.0, breakdown.data());
    const auto x = to_device_columns<TypeParam, Kokkos::LayoutLeft>(columns, columns[0].size());
    engine.solve(space, x, x, structured::Part::Both, Op::None);
    for (std::size_t k = 0; k < columns.size(); ++k) to.push_back(column_to_host(x, k));
  };
  solve_with(*cuda::grid::make_tile_engine<Number, cuda::grid::LargeTile>(space, matrix, 4, ""), found[0]);
  solve_with(*cuda::grid::make_tile_engine<Number, cuda::grid::LargeTileFew>(space, matrix, 1, ""), found[1]);
  EXPECT_EQ(found[0], found[1]);
}

TYPED_TEST_P(GridColumnsTest, ComeBetweenWhatIsEnqueuedBeforeAndBehindThem) {
  for (const Grid& grid : grids_of_every_tile) {
    const auto M = this->factorize(grid, true, 1);
    std::vector<typename TestFixture::Vector> right;
    std::vector<typename TestFixture::Numbers> expected;
    for (const auto& column : this->right_hand_sides(grid, 4)) {
      right.push_back(to_device<typename TypeParam::Scalar, typename TypeParam::Device>(column));
      expected.push_back(this->solve_alone(M, TestFixture::solves[0], column, Op::None));
    }
    EXPECT_EQ(this->solve_among_other_kernels(M, right), expected) << to_string(grid);
  }
}

/// More than a grid of thread blocks has along y, also where the factor was made for so many at once.
TYPED_TEST_P(GridColumnsTest, TakesSeventyThousandRightHandSides) {
  using Number = typename TypeParam::Scalar;
  constexpr int count = 70000;
  const Grid grid{9, 7, 1};
  const auto M = this->factorize(grid, true, count), alone = this->factorize(grid, true, 1);
  const auto numbers = random_vector<Number>(static_cast<int>(grid.cells()), 7);
  const Kokkos::View<Number**, Kokkos::LayoutLeft, typename TypeParam::Device> x("x", numbers.size(), count);
  const auto b = to_device<Number, typename TypeParam::Device>(numbers);
  for (const int column : {0, 65535, count - 1}) Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, column), b);
  M.solve_forward(Kokkos::Cuda(), x, x);
  const auto expected = this->solve_alone(alone, &TestFixture::Factor::solve_forward, numbers, Op::None);
  for (const int column : {0, 65535, count - 1})
    EXPECT_EQ(to_host(Kokkos::subview(x, Kokkos::ALL, column)), expected) << "column " << column;
}

REGISTER_TYPED_TEST_SUITE_P(GridColumnsTest, TakesSeventyThousandRightHandSides, HaveTheBitsOfSolvesOneAfterTheOther,
                            AreNotTouchedByWhatIsNotANumberInAnother, AreCapturedInAGraphAndReplayed,
                            AreTheSameInTilesThatShareAMultiprocessor, ComeBetweenWhatIsEnqueuedBeforeAndBehindThem);

}  // namespace terrace::test
