// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are their own flags: a NaN with the bits of "not yet" in b, off the diagonal or on it, in one part of a
// complex number or in both, ends no wait too early and none too late, and reaches exactly what depends on it.
#pragma once

#include "support/engine_solves.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {

template <class T>
class TriangularNanTest : public EngineSolves<T> {
 public:
  using Base = EngineSolves<T>;
  using typename Base::Scalar;
  using typename Base::Triangle;

  /// A place for the NaN, by what the solve does with it.
  struct Place {
    std::string name;
    int row;
    int entry = -1;  // negative: in b
  };

  /// In the first rows, which others wait for, in the middle, and in the last row.
  static std::vector<Place> places(const Triangle& matrix) {
    std::vector<Place> all;
    for (const int from : {0, matrix.rows() / 2, matrix.rows() - 1}) {
      all.push_back({"b", from});
      for (int row = from; row < matrix.rows(); ++row) {
        const int begin = static_cast<int>(matrix.row_map[row]), end = static_cast<int>(matrix.row_map[row + 1]);
        if (end - begin < 2) continue;
        const bool is_lower = matrix.uplo == Uplo::Lower;
        all.push_back({"off the diagonal", row, is_lower ? begin + (end - begin) / 2 - 1 : begin + 1});
        all.push_back({"on the diagonal", row, is_lower ? end - 1 : begin});
        break;
      }
    }
    return all;
  }

  void expect_exact_reach(const Triangle& matrix, const TriangularOptions& options, int columns = 1) const {
    SCOPED_TRACE(describe({options, true, true}));
    auto solver = Base::analyze(matrix, options);
    const auto good_values = Base::on_device(matrix.values);
    for (const Place& place : places(matrix))
      for (const auto& [name, value] : every_nan<Scalar>()) {
        SCOPED_TRACE(name + " in " + place.name + ", row " + std::to_string(place.row));
        auto b = random_vector<Scalar>(matrix.rows(), 6);
        auto values = matrix.values;
        (place.entry < 0 ? b[static_cast<std::size_t>(place.row)] : values[static_cast<std::size_t>(place.entry)]) =
            value;
        const auto bad_values = place.entry < 0 ? good_values : Base::on_device(values);
        solver.update_values(Kokkos::Cuda(), bad_values);
        for (const Op op : operations(options)) {
          const auto expected = reached(matrix, place, op);
          for (const auto& x : solutions(solver, b, columns, op))
            ASSERT_TRUE(is_reach(reference::is_not_finite(x), expected, options.algorithm)) << to_string(op);
        }
      }
    // And nothing is left of them.
    solver.update_values(Kokkos::Cuda(), good_values);
    const auto b = random_vector<Scalar>(matrix.rows(), 7);
    for (const auto& x : solutions(solver, b, columns, Op::None))
      EXPECT_LT(matrix.backward_error(b, x), Base::of_long_rows);
  }

 private:
  /// Tiles of a dense triangle are inverted: what is not a number spreads to the columns of its tile of 64 rows, also
  /// to those that store nothing there.
  static bool is_reach(const std::vector<bool>& found, const std::vector<bool>& expected, Algorithm algorithm) {
    if (algorithm != Algorithm::Blocked) return found == expected;
    constexpr std::size_t tile = 64;
    for (std::size_t row = 0; row < found.size(); ++row) {
      if (expected[row] && !found[row]) return false;
      const std::size_t begin = row / tile * tile, end = std::min(begin + tile, found.size());
      const auto first = expected.begin() + static_cast<std::ptrdiff_t>(begin),
                 last = expected.begin() + static_cast<std::ptrdiff_t>(end);
      if (found[row] && std::find(first, last, true) == last) return false;
    }
    return true;
  }

  /// One thread would be long at the transpose that nothing was prepared for.
  static std::vector<Op> operations(const TriangularOptions& options) {
    if (options.reuse == Reuse::Once && !options.deterministic) return {Op::None};
    return {Op::None, Op::Transpose};
  }

  static std::vector<bool> reached(const Triangle& matrix, const Place& place, Op op) {
    std::vector<bool> marked(static_cast<std::size_t>(matrix.rows()), false);
    const bool is_column = op != Op::None && place.entry >= 0;
    marked[static_cast<std::size_t>(is_column ? matrix.entries[static_cast<std::size_t>(place.entry)] : place.row)] =
        true;
    return matrix.reached_from(marked, op);
  }

  /// All columns of b are the same. Ends the program where a wait does not end.
  static std::vector<std::vector<Scalar>> solutions(const typename Base::Solver& solver, const std::vector<Scalar>& b,
                                                    int columns, Op op) {
    const Kokkos::Cuda space;
    const auto x = to_device_columns<T, Kokkos::LayoutLeft>(std::vector<std::vector<Scalar>>(columns, b), b.size());
    solver.solve(space, x, x, op);
    if (!finishes(space.cuda_stream())) {
      ADD_FAILURE() << "the solve does not end, with op " << to_string(op);
      std::abort();
    }
    std::vector<std::vector<Scalar>> found;
    for (int k = 0; k < columns; ++k) found.push_back(column_to_host(x, static_cast<std::size_t>(k)));
    return found;
  }
};

TYPED_TEST_SUITE_P(TriangularNanTest);

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItInLevelsOfEveryWidth) {
  const auto matrix = reference::mixed_widths<typename TypeParam::Scalar>();
  for (const auto& options : row_engines()) this->expect_exact_reach(matrix, options);
}

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItThroughHubs) {
  const auto matrix = reference::with_hubs<typename TypeParam::Scalar>();
  for (const auto& options : row_engines()) {
    this->expect_exact_reach(matrix, options);
    this->expect_exact_reach(matrix.turned_around(), options);
  }
}

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItFromBandToBand) {
  const auto matrix = reference::grid_triangle<typename TypeParam::Scalar>(300, 250);
  const auto info = this->analyze(matrix).info();
  EXPECT_NE(info.reason.find("row blocks"), std::string::npos) << info.reason;
  this->expect_exact_reach(matrix, {});
  this->expect_exact_reach(matrix.turned_around(), {});
}

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItFromTileToTile) {
  using Number = typename TypeParam::Scalar;
  reference::CompressedTriangle<Number> matrix;  // a column that one row alone needs
  for (int row = 0; row < 200; ++row) {
    for (int column = 0; column < row; ++column)
      if (column != 70 || row == 150) matrix.add(column, 1e-3);
    matrix.end_row();
  }
  this->expect_exact_reach(matrix, {.algorithm = Algorithm::Blocked});
  const auto solver = this->analyze(matrix, {.algorithm = Algorithm::Blocked});
  for (const auto& [name, value] : every_nan<Number>()) {
    auto b = random_vector<Number>(matrix.rows(), 13);
    b[70] = value;
    const auto found = reference::is_not_finite(this->solve(solver, b));
    for (std::size_t row = 0; row < 200; ++row) EXPECT_EQ(found[row], row == 70 || row >= 150) << name << ", " << row;
  }
}

/// In the tile of the diagonal, beside it, and through other zeros.
TYPED_TEST_P(TriangularNanTest, PassesThroughStoredZeros) {
  using Number = typename TypeParam::Scalar;
  reference::CompressedTriangle<Number> matrix;
  for (int row = 0; row < 300; ++row) {
    for (const int distance : {150, 70, 2, 1})
      if (row >= distance) matrix.add(row - distance, distance == 2 ? 0.5 : 0.0);
    matrix.end_row();
  }
  for (const auto& options : row_engines()) this->expect_exact_reach(matrix, options);
  for (const auto& stored : {matrix, matrix.turned_around()})
    this->expect_exact_reach(stored, {.algorithm = Algorithm::Blocked});
}

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItInPacksOfRightHandSides) {
  for (const auto& matrix :
       {reference::mixed_widths<typename TypeParam::Scalar>(), reference::with_hub<typename TypeParam::Scalar>(5000)})
    this->expect_exact_reach(matrix, {.right_hand_sides = 17}, 17);
}

TYPED_TEST_P(TriangularNanTest, ReachesWhatDependsOnItInTasksAndColumns) {
  const auto matrix = reference::grid_triangle<typename TypeParam::Scalar>(60, 50);
  this->expect_exact_reach(matrix, {.algorithm = Algorithm::SyncFreeColumns});
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
    this->expect_exact_reach(matrix, {.algorithm = algorithm, .rows_per_task = 4});
  this->expect_exact_reach(matrix, {.prepare_transpose = true});
  this->expect_exact_reach(matrix, {.reuse = Reuse::Once, .deterministic = true});
}

/// In one column of a pack: the others do not hear of it.
TYPED_TEST_P(TriangularNanTest, StaysInItsColumnOfAPack) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::mixed_widths<Number>();
  const auto solver = this->analyze(matrix, {.right_hand_sides = 17});
  for (const auto& [name, value] : every_nan<Number>()) {
    const auto good = random_vector<Number>(matrix.rows(), 8);
    std::vector<std::vector<Number>> columns(17, good);
    columns[5][0] = value;
    const auto x = to_device_columns<TypeParam, Kokkos::LayoutLeft>(columns, good.size());
    solver.solve(Kokkos::Cuda(), x, x);
    Kokkos::fence();
    std::vector<bool> marked(good.size(), false);
    marked[0] = true;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto found = column_to_host(x, k);
      if (k == 5) {
        EXPECT_TRUE(reference::is_not_finite(found) == matrix.reached_from(marked)) << name;
      } else {
        EXPECT_LT(matrix.backward_error(good, found), this->of_long_rows) << name << ", column " << k;
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(TriangularNanTest, ReachesWhatDependsOnItInLevelsOfEveryWidth,
                            ReachesWhatDependsOnItThroughHubs, ReachesWhatDependsOnItFromBandToBand,
                            ReachesWhatDependsOnItFromTileToTile, PassesThroughStoredZeros,
                            ReachesWhatDependsOnItInPacksOfRightHandSides, ReachesWhatDependsOnItInTasksAndColumns,
                            StaysInItsColumnOfAPack);

}  // namespace terrace::test
