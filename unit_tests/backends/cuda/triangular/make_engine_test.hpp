// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's engines can get wrong: their kinds of kernels, long rows, graphs, streams, a device that is busy.
#pragma once

#include <numeric>
#include <thread>

#include "backends/cuda/triangular/slice_rows.hpp"
#include "sparse/make_triangle.hpp"
#include "support/engine_solves.hpp"

namespace terrace::test {

template <class T>
class TriangularEnginesTest : public EngineSolves<T> {
 public:
  using Base = EngineSolves<T>;

  static void expect_to_finish_on_a_full_device(const typename Base::Triangle& matrix,
                                                const TriangularOptions& options) {
    // A block that walks chains or row blocks takes all registers of a multiprocessor.
    const bool walks_by_block = options.reuse == Reuse::Many && options.algorithm != Algorithm::SyncFreeRows;
    const auto b = random_vector<typename T::Scalar>(matrix.rows(), 14);
    const auto right = Base::on_device(b);
    const typename Base::Vector x("x", b.size());
    cudaStream_t stream = nullptr;
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
      const Kokkos::Cuda space(stream);
      const auto solver = Base::analyze(matrix, options, space);
      solver.solve(space, right, x);  // loads the kernels, which waits for an idle device
      space.fence();
      Kokkos::deep_copy(x, typename T::Scalar(0));
      {
        const FullDevice full(walks_by_block ? Left::Whole : Left::Half);
        solver.solve(space, right, x);
        EXPECT_TRUE(finishes(stream));
      }
      space.fence();
      EXPECT_LT(matrix.backward_error(b, to_host(x)), Base::of_long_rows);
    }
    cuda::check(cudaStreamDestroy(stream));
  }

  /// Rows by row block, then by level, then by lanes, those of most lanes first; the rest as they are solved.
  static void expect_to_order(const typename Base::Triangle& matrix, cuda::triangular::Order order) {
    using Offset = typename T::Offset;
    const DeviceArrays<T> arrays(matrix);
    const Kokkos::Cuda space;
    TriangularOptions options;
    options.uplo = matrix.uplo;
    const auto input =
        sparse::check_input<int, Offset, Kokkos::Cuda>(space, arrays.row_map, arrays.entries, matrix.rows(), options);
    const auto triangle = sparse::make_triangle(space, input, sparse::Orientation::Gather);
    const bool backward = sparse::runs_backward(options.uplo, options.op);
    cuda::triangular::SliceRows<Offset> made(space, triangle, backward,
                                             cuda::triangular::SliceTuning::entries_per_piece,
                                             cuda::triangular::tuned_lanes, nullptr, order);
    const auto& rows = made.rows();
    ASSERT_EQ(rows.positions, matrix.rows()) << "rows in pieces are not looked at here";
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    const auto count = static_cast<std::size_t>(matrix.rows());
    const auto found = to_host(Kokkos::View<int*, typename T::Device, Unmanaged>(rows.items, count));
    const auto position = to_host(Kokkos::View<const int*, typename T::Device, Unmanaged>(made.position(), count));

    std::vector<int> solved(count), level(count, 0), lanes(count);  // by row
    std::iota(solved.begin(), solved.end(), 0);
    if (backward) std::reverse(solved.begin(), solved.end());
    for (const int row : solved) {
      const auto begin = matrix.row_map[row], end = matrix.row_map[row + 1];
      for (auto k = begin; k < end; ++k)
        if (matrix.entries[k] != row) level[row] = std::max(level[row], level[matrix.entries[k]] + 1);
      lanes[row] = cuda::triangular::SliceTuning::log2_lanes(static_cast<int>(end - begin) - 1);
    }
    const auto sort = [&](std::size_t first, std::size_t end) {
      std::stable_sort(solved.begin() + static_cast<std::ptrdiff_t>(first),
                       solved.begin() + static_cast<std::ptrdiff_t>(end), [&](int one, int other) {
                         return std::pair(level[one], -lanes[one]) < std::pair(level[other], -lanes[other]);
                       });
    };
    if (rows.row_blocks.empty()) sort(0, count);
    for (const auto& row_block : rows.row_blocks)
      sort(static_cast<std::size_t>(row_block.first_position), static_cast<std::size_t>(row_block.end_position));
    EXPECT_EQ(found, solved);
    EXPECT_EQ(rows.levels, 1 + *std::max_element(level.begin(), level.end()));
    for (std::size_t place = 0; place < count; ++place) ASSERT_EQ(position[found[place]], static_cast<int>(place));
  }

  template <class Layout>
  static void expect_to_solve(const typename Base::Triangle& matrix, const typename Base::Solver& solver,
                              const std::vector<typename Base::Numbers>& numbers) {
    using Scalar = typename T::Scalar;
    const auto rows = static_cast<std::size_t>(matrix.rows());
    const auto b = to_device_columns<T, Layout>(numbers, rows);
    const Kokkos::View<Scalar**, Layout, typename T::Device> x("x", rows, numbers.size());
    const Kokkos::Cuda space;
    solver.solve(space, b, x);
    solver.solve(space, b, b);
    space.fence();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto solution = column_to_host(x, k);
      EXPECT_LT(matrix.backward_error(numbers[k], solution), Base::of_long_rows) << "column " << k;
      EXPECT_EQ(column_to_host(b, k), solution) << "column " << k;
    }
  }

  /// update_values and a solve of every operation, captured and replayed with other values and right-hand sides.
  static void expect_to_be_replayed(const typename Base::Triangle& matrix, const TriangularOptions& options,
                                    int columns) {
    using Scalar = typename T::Scalar;
    const auto space = cuda_instance();
    const DeviceArrays<T> arrays(matrix);  // outlives the capture: freeing is not captured
    TriangularOptions of_matrix = options;
    of_matrix.uplo = matrix.uplo;
    typename Base::Solver solver(space, arrays.row_map, arrays.entries, arrays.values, of_matrix);
    const auto numbers = [&](unsigned seed) {
      std::vector<typename Base::Numbers> b;
      for (int k = 0; k < columns; ++k) b.push_back(random_vector<Scalar>(matrix.rows(), seed + unsigned(k)));
      return b;
    };
    const auto rows = static_cast<std::size_t>(matrix.rows());
    const auto first = to_device_columns<T, Kokkos::LayoutLeft>(numbers(8), rows);
    const typename Base::Columns b("b", rows, columns), x("x", rows, columns);
    typename Base::Triangle changed = matrix;
    for (Scalar& value : changed.values) value = value * reference::Real<Scalar>(0.75);
    const DeviceArrays<T> later(changed);
    for (const Op op : all_ops()) {
      SCOPED_TRACE(to_string(op));
      const auto original = Base::on_device(matrix.values);
      Kokkos::deep_copy(arrays.values, original);
      Kokkos::deep_copy(b, first);
      const CapturedGraph graph(space, [&] {
        solver.update_values(space, arrays.values);
        solver.solve(space, b, x, op);
      });
      ASSERT_EQ(graph.failure(), "");
      Kokkos::deep_copy(arrays.values, later.values);
      const auto other = numbers(90);
      Kokkos::deep_copy(b, to_device_columns<T, Kokkos::LayoutLeft>(other, rows));
      Kokkos::deep_copy(x, Scalar(0));
      Kokkos::fence();
      for (int replay = 0; replay < 3; ++replay) graph.replay();
      space.fence();
      for (int k = 0; k < columns; ++k)
        EXPECT_LT(changed.backward_error(other[k], column_to_host(x, k), op), Base::of_long_rows) << "column " << k;
    }
  }
};

TYPED_TEST_SUITE_P(TriangularEnginesTest);

TYPED_TEST_P(TriangularEnginesTest, SolveLevelsOfEveryWidth) {
  const auto matrix = reference::mixed_widths<typename TypeParam::Scalar>();
  const auto b = random_vector<typename TypeParam::Scalar>(matrix.rows(), 3);
  this->for_each_row_engine([&](const TriangularOptions& options) {
    EXPECT_LT(matrix.backward_error(b, this->solve(this->analyze(matrix, options), b)), this->of_short_rows);
  });
}

/// By counting where keys are few, by sorting where they are many; in row blocks or without.
TYPED_TEST_P(TriangularEnginesTest, OrderRowsByLevelsAndLanes) {
  using Number = typename TypeParam::Scalar;
  for (const auto& lower :
       {reference::mixed_widths<Number>(), reference::two_levels<Number>(1), reference::two_levels<Number>(30000),
        reference::grid_triangle<Number>(30, 20), reference::grid_triangle<Number>(100, 100),
        reference::grid_triangle<Number>(3, 40000), reference::band_triangle<Number>(300, 40, 3),
        reference::block_triangle<Number>(1000, 20, 0)})
    for (const auto& matrix : {lower, lower.turned_around()})
      for (const auto order : {cuda::triangular::Order::Levels, cuda::triangular::Order::Best}) {
        SCOPED_TRACE(std::to_string(matrix.rows()) + (matrix.uplo == Uplo::Lower ? " rows" : " rows from behind") +
                     (order == cuda::triangular::Order::Best ? ", in row blocks" : ""));
        this->expect_to_order(matrix, order);
      }
}

TYPED_TEST_P(TriangularEnginesTest, CutARowWithAMillionEntries) {
  const auto matrix = reference::with_hub<typename TypeParam::Scalar>(1000001);
  const auto b = random_vector<typename TypeParam::Scalar>(matrix.rows(), 4);
  this->for_each_row_engine([&](const TriangularOptions& options) {
    EXPECT_LT(matrix.backward_error(b, this->solve(this->analyze(matrix, options), b)), this->of_long_rows);
  });
}

TYPED_TEST_P(TriangularEnginesTest, SolveHubsAtSeveralPlacesInBothDirections) {
  const auto lower = reference::with_hubs<typename TypeParam::Scalar>();
  for (const auto& matrix : {lower, lower.turned_around()})
    this->for_each_row_engine([&](const TriangularOptions& options) {
      const auto solver = this->analyze(matrix, options);
      if (options.reuse == Reuse::Many) {
        EXPECT_EQ(solver.info().levels, matrix.levels());
      }
      const auto b = random_vector<typename TypeParam::Scalar>(matrix.rows(), 15);
      const auto x = this->solve(solver, b);
      EXPECT_LT(matrix.backward_error(b, x), this->of_long_rows);

      const auto in_place = this->on_device(b);
      const Kokkos::Cuda space;
      solver.solve(space, in_place, in_place);
      space.fence();
      EXPECT_EQ(to_host(in_place), x);
    });
}

TYPED_TEST_P(TriangularEnginesTest, GiveTheSameBitsTenThousandTimes) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::with_hub<Number>(3000);
  this->for_each_row_engine([&](const TriangularOptions& options) {
    const auto solver = this->analyze(matrix, options);
    EXPECT_TRUE(solver.info().deterministic);
    const auto b = this->on_device(random_vector<Number>(matrix.rows(), 5));
    const typename TestFixture::Vector x("x", b.extent(0)), first("first", b.extent(0));
    const Kokkos::Cuda space;
    solver.solve(space, b, first);
    const auto expected = to_host(first);
    for (int batch = 0; batch < 10; ++batch) {
      for (int repetition = 0; repetition < 1000; ++repetition) solver.solve(space, b, x);
      space.fence();
      ASSERT_EQ(to_host(x), expected);
    }
  });
}

TYPED_TEST_P(TriangularEnginesTest, AreCapturedInAGraphAndReplayed) {
  using Number = typename TypeParam::Scalar;
  const auto grid = reference::grid_triangle<Number>(300, 250);
  this->for_each_row_engine([&](const TriangularOptions& options) {
    this->expect_to_be_replayed(reference::mixed_widths<Number>(), options, 1);
    this->expect_to_be_replayed(reference::with_hubs<Number>().turned_around(), options, 1);
    this->expect_to_be_replayed(grid, options, 2);
  });
  this->expect_to_be_replayed(reference::dense_triangle<Number>(500), {}, 2);
  this->expect_to_be_replayed(reference::mixed_widths<Number>(), {.right_hand_sides = 17}, 17);
  this->expect_to_be_replayed(reference::with_hubs<Number>(), {.right_hand_sides = 17}, 17);
}

TYPED_TEST_P(TriangularEnginesTest, SolveOnSeveralStreamsAtOnce) {
  constexpr int streams = 4;
  const auto matrix = reference::mixed_widths<typename TypeParam::Scalar>();
  const auto b = random_vector<typename TypeParam::Scalar>(matrix.rows(), 10);
  const auto right = this->on_device(b);
  this->for_each_row_engine([&](const TriangularOptions& options) {
    std::vector<Kokkos::Cuda> space;
    std::vector<typename TestFixture::Solver> solver;
    std::vector<typename TestFixture::Vector> x;
    for (int k = 0; k < streams; ++k) {
      space.push_back(cuda_instance());
      solver.push_back(this->analyze(matrix, options, space.back()));
      x.emplace_back("x", b.size());
    }
    Kokkos::fence();
    std::vector<std::thread> threads;
    for (int k = 0; k < streams; ++k)
      threads.emplace_back([&, k] {
        for (int repetition = 0; repetition < 50; ++repetition) solver[k].solve(space[k], right, x[k]);
      });
    for (auto& thread : threads) thread.join();
    Kokkos::fence();
    for (int k = 0; k < streams; ++k) EXPECT_LT(matrix.backward_error(b, to_host(x[k])), this->of_short_rows);
  });
}

TYPED_TEST_P(TriangularEnginesTest, BandsGiveTheBitsOfRowsThatPassThroughL2) {
  using Number = typename TypeParam::Scalar;
  for (const auto& lower : {reference::grid_triangle<Number>(300, 250), reference::grid_triangle<Number>(40, 3000),
                            reference::wide_band<Number>()})
    for (const auto& matrix : {lower, lower.turned_around()}) {
      const auto row_blocks = this->analyze(matrix),
                 rows = this->analyze(matrix, {.algorithm = Algorithm::SyncFreeRows});
      EXPECT_NE(row_blocks.info().reason.find("row blocks"), std::string::npos) << row_blocks.info().reason;
      EXPECT_EQ(row_blocks.info().levels, matrix.levels());
      EXPECT_EQ(row_blocks.info().widest_level, rows.info().widest_level);
      const auto b = random_vector<Number>(matrix.rows(), 31);
      const auto x = this->solve(row_blocks, b), through_l2 = this->solve(rows, b);
      EXPECT_LT(matrix.backward_error(b, x), this->of_long_rows);
      EXPECT_LT(matrix.backward_error(b, through_l2), this->of_long_rows);
      for (int repetition = 0; repetition < 20; ++repetition) ASSERT_EQ(this->solve(row_blocks, b), x);
      // The compiler contracts products of complex numbers in each kernel as it likes.
      if (!TestFixture::is_complex) {
        EXPECT_EQ(through_l2, x);
      }
    }
}

TYPED_TEST_P(TriangularEnginesTest, FinishOnADeviceThatIsFullOfOtherWork) {
  using Number = typename TypeParam::Scalar;
  this->for_each_row_engine([&](const TriangularOptions& options) {
    this->expect_to_finish_on_a_full_device(reference::mixed_widths<Number>(), options);
    this->expect_to_finish_on_a_full_device(reference::with_hubs<Number>(), options);
    this->expect_to_finish_on_a_full_device(reference::grid_triangle<Number>(300, 250), options);
  });
}

/// Rows of one entry and of thousands, pieces among them, and so few levels that vectors are read where they are;
/// walks of every width, full and not; vectors that lie as the walk wants them, and that do not; apart, and X in the
/// place of B.
TYPED_TEST_P(TriangularEnginesTest, SolveManyRightHandSidesInOneWalk) {
  using Number = typename TypeParam::Scalar;
  for (const auto& matrix :
       {reference::mixed_widths<Number>(), reference::with_hub<Number>(5000), reference::two_levels<Number>(5000)})
    for (const int columns : {3, 4, 7, 8, 9, 16, 17, 32, 37}) {
      SCOPED_TRACE(std::to_string(columns) + " columns");
      const auto solver = this->analyze(matrix, {.right_hand_sides = columns});
      std::vector<std::vector<Number>> numbers;
      for (int column = 0; column < columns; ++column)
        numbers.push_back(random_vector<Number>(matrix.rows(), 20u + static_cast<unsigned>(column)));
      this->template expect_to_solve<Kokkos::LayoutLeft>(matrix, solver, numbers);
      this->template expect_to_solve<Kokkos::LayoutRight>(matrix, solver, numbers);
    }
}

/// By walks that were prepared for more.
TYPED_TEST_P(TriangularEnginesTest, SolveFewerRightHandSidesThanWereExpected) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::mixed_widths<Number>();
  for (const int expected : {2, 3, 4, 8, 16, 32}) {
    const auto solver = this->analyze(matrix, {.right_hand_sides = expected});
    std::vector<std::vector<Number>> numbers;
    for (const unsigned seed : {31u, 32u, 33u, 34u, 35u, 36u, 37u, 38u, 39u}) {
      numbers.push_back(random_vector<Number>(matrix.rows(), seed));
      SCOPED_TRACE(std::to_string(numbers.size()) + " of " + std::to_string(expected));
      this->template expect_to_solve<Kokkos::LayoutLeft>(matrix, solver, numbers);
    }
  }
}

/// And what is not a number in one does not reach the other.
TYPED_TEST_P(TriangularEnginesTest, TwoRightHandSidesHaveTheBitsOfEachAlone) {
  using Number = typename TypeParam::Scalar;
  using Columns = typename TestFixture::Columns;
  for (const auto& lower : {reference::mixed_widths<Number>(), reference::grid_triangle<Number>(100, 100),
                            reference::with_hubs<Number>(), reference::wide_band<Number>(),
                            reference::two_levels<Number>(30000), reference::block_triangle<Number>(1000, 20, 0)})
    for (const auto& matrix : {lower, lower.turned_around()}) {
      const auto rows = static_cast<std::size_t>(matrix.rows());
      const auto alone = this->analyze(matrix), together = this->analyze(matrix, {.right_hand_sides = 2});
      std::vector<std::vector<Number>> numbers{random_vector<Number>(matrix.rows(), 5),
                                               random_vector<Number>(matrix.rows(), 6)};
      const Kokkos::Cuda space;
      for (const bool is_bad : {false, true}) {
        if (is_bad) numbers[1][rows / 2] = Number(std::numeric_limits<double>::quiet_NaN());
        const Columns x("x", rows, 2);
        together.solve(space, to_device_columns<TypeParam, Kokkos::LayoutLeft>(numbers, rows), x);
        space.fence();
        EXPECT_EQ(column_to_host(x, 0), this->solve(alone, numbers[0]));
        if (!is_bad) EXPECT_EQ(column_to_host(x, 1), this->solve(alone, numbers[1]));
        else EXPECT_TRUE(std::ranges::any_of(column_to_host(x, 1), [](const Number& one) { return one != one; }));
      }
    }
}

/// Rows of thirty entries: several parts of a warp share one.
TYPED_TEST_P(TriangularEnginesTest, SolveAFewRightHandSidesInOneWalk) {
  const auto lower = reference::band_triangle<typename TypeParam::Scalar>(900, 30, 8);
  for (const auto& matrix : {lower, lower.turned_around()})
    for (const int columns : {3, 4, 5, 8, 11, 14})
      this->expect_to_be_replayed(matrix, {.algorithm = Algorithm::SyncFreeRows, .right_hand_sides = columns}, columns);
}

TYPED_TEST_P(TriangularEnginesTest, TilesAreChosenForDenseTrianglesAndSolveThem) {
  using Number = typename TypeParam::Scalar;
  for (const int rows : {64, 65, 127, 128, 1000})
    for (const int every : {1, 8}) {
      const auto matrix = reference::dense_triangle<Number>(rows, every);
      const auto b = random_vector<Number>(rows, 12);
      EXPECT_EQ(this->analyze(matrix, {.right_hand_sides = 32}).info().algorithm, Algorithm::Blocked);
      const auto solver = this->analyze(matrix);
      EXPECT_EQ(solver.info().algorithm, Algorithm::Blocked);
      EXPECT_LT(matrix.backward_error(b, this->solve(solver, b)), this->of_short_rows) << rows;
    }
}

TYPED_TEST_P(TriangularEnginesTest, TilesAreChosenForBandsAndSolveThemInEveryDirection) {
  using Number = typename TypeParam::Scalar;
  for (const auto& lower : {reference::band_triangle<Number>(1500, 100), reference::band_triangle<Number>(3001, 45),
                            reference::block_triangle<Number>(1, 100, 200)})
    for (const auto& matrix : {lower, lower.turned_around()}) {
      const auto b = random_vector<Number>(matrix.rows(), 12);
      const auto solver = this->analyze(matrix);
      EXPECT_EQ(solver.info().algorithm, Algorithm::Blocked) << solver.info().reason;
      EXPECT_LT(matrix.backward_error(b, this->solve(solver, b)), this->of_short_rows);
      this->expect_to_be_replayed(matrix, {}, 2);
      this->expect_to_finish_on_a_full_device(matrix, {});
    }
}

TYPED_TEST_P(TriangularEnginesTest, TilesSolveWhateverTheyAreAskedTo) {
  using Number = typename TypeParam::Scalar;
  for (const auto& lower : {reference::band_triangle<Number>(700, 30, 8), reference::block_triangle<Number>(11, 60, 0),
                            reference::block_triangle<Number>(9, 40, 30), reference::block_triangle<Number>(90, 60, 80),
                            reference::mixed_widths<Number>()})
    for (const auto& matrix : {lower, lower.turned_around()})
      this->expect_to_be_replayed(matrix, {.algorithm = Algorithm::Blocked}, 2);
}

REGISTER_TYPED_TEST_SUITE_P(TriangularEnginesTest, SolveLevelsOfEveryWidth, OrderRowsByLevelsAndLanes,
                            CutARowWithAMillionEntries, SolveHubsAtSeveralPlacesInBothDirections,
                            GiveTheSameBitsTenThousandTimes, AreCapturedInAGraphAndReplayed,
                            SolveOnSeveralStreamsAtOnce, BandsGiveTheBitsOfRowsThatPassThroughL2,
                            FinishOnADeviceThatIsFullOfOtherWork, SolveManyRightHandSidesInOneWalk,
                            SolveFewerRightHandSidesThanWereExpected, TwoRightHandSidesHaveTheBitsOfEachAlone,
                            SolveAFewRightHandSidesInOneWalk, TilesAreChosenForDenseTrianglesAndSolveThem,
                            TilesAreChosenForBandsAndSolveThemInEveryDirection, TilesSolveWhateverTheyAreAskedTo);

}  // namespace terrace::test
