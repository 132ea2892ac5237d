// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LdltFactor solves: every way to store a matrix and vectors, every part of a solve, new values.
#pragma once

#include <optional>

#include "support/ldlt_case.hpp"

namespace terrace::test {

template <class T>
class LdltTest : public LdltFixture<T> {
 public:
  using Fixture = LdltFixture<T>;
  using typename Fixture::Matrix;
  using typename Fixture::Numbers;
  using typename Fixture::Scalar;

  static Matrix mesh() { return reference::indefinite<Scalar>(reference::mesh_of_three(reference::band(25, 4))); }

  /// Columns from host to host, in one layout; in place on request.
  template <class Layout>
  static std::vector<Numbers> solve_columns(const typename Fixture::Factor& factor, const std::vector<Numbers>& B,
                                            std::size_t rows, bool in_place) {
    const auto from = to_device_columns<T, Layout>(B, rows);
    const auto X = in_place ? from : to_device_columns<T, Layout>(B, rows);
    if (!in_place) Kokkos::deep_copy(X, Fixture::nan());
    factor.solve(typename T::Space(), from, X);
    typename T::Space().fence();
    std::vector<Numbers> found;
    for (std::size_t k = 0; k < B.size(); ++k) found.push_back(column_to_host(X, k));
    return found;
  }

  static typename Fixture::Case with_other_values(const Matrix& pattern, unsigned seed) {
    auto matrix = pattern;
    std::mt19937 generator(seed);
    for (int row = 0; row < matrix.size(); ++row)
      for (auto& [column, value] : matrix.rows[row]) {
        if (column > row) continue;
        const double factor = column == row ? 1.5 : 0.1 * static_cast<double>(generator() % 10);
        value = value * Scalar(static_cast<typename Fixture::Real>(factor));
        matrix.rows[column][row] = value;
      }
    return typename Fixture::Case(matrix);
  }
};

TYPED_TEST_SUITE_P(LdltTest);

TYPED_TEST_P(LdltTest, ReadsOneTriangleHoweverItIsStored) {
  using F = TestFixture;
  for (const auto uplo : {Uplo::Lower, Uplo::Upper})
    for (const bool full : {false, true})
      for (const bool sorted : {true, false})
        for (const bool check : {true, false}) {
          SCOPED_TRACE(std::string(to_string(uplo)) + (full ? ", full" : ", half") + (sorted ? "" : ", unsorted"));
          const typename F::Case at(F::mesh(), {uplo, full, sorted});
          const auto factor = at.factor({.uplo = uplo, .check_structure = check});
          EXPECT_TRUE(factor.info().succeeded());
          EXPECT_LE(F::error_of(at, factor), F::allowed);
        }
}

TYPED_TEST_P(LdltTest, SolvesAnyNumberOfColumnsInAnyLayoutAndInPlace) {
  using F = TestFixture;
  const typename F::Case at(F::mesh());
  const auto rows = static_cast<std::size_t>(at.matrix.size());
  for (const int prepared : {1, 3, 8}) {
    const auto factor = at.factor({.right_hand_sides = prepared});
    for (const unsigned columns : {0u, 1u, 3u, 8u, 20u})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(std::to_string(columns) + " columns, " + std::to_string(prepared) + " prepared");
        std::vector<typename F::Numbers> B;
        for (unsigned k = 0; k < columns; ++k) B.push_back(at.right_hand_side(k));
        const auto left = F::template solve_columns<Kokkos::LayoutLeft>(factor, B, rows, in_place);
        const auto right = F::template solve_columns<Kokkos::LayoutRight>(factor, B, rows, in_place);
        for (unsigned k = 0; k < columns; ++k) {
          EXPECT_LE(reference::backward_error(at.matrix, B[k], left[k]), F::allowed) << "column " << k;
          EXPECT_EQ(left[k], right[k]) << "column " << k;
        }
      }
  }
}

TYPED_TEST_P(LdltTest, TakesVectorsWithGapsAndLeavesTheGapsAlone) {
  using F = TestFixture;
  using Wide = Kokkos::View<typename F::Scalar**, Kokkos::LayoutRight, typename F::Device>;
  const typename F::Case at(F::mesh());
  const auto factor = at.factor();
  const auto b = at.right_hand_side();
  const std::vector<typename F::Numbers> columns{b, at.right_hand_side(6), b};
  const Wide storage = to_device_columns<TypeParam, Kokkos::LayoutRight>(columns, b.size());
  const auto middle = Kokkos::subview(storage, Kokkos::ALL, 1);
  factor.solve(typename F::Space(), middle, middle);
  Kokkos::fence();
  EXPECT_EQ(column_to_host(storage, 1), F::solve(factor, columns[1]));
  EXPECT_EQ(column_to_host(storage, 0), b);
  EXPECT_EQ(column_to_host(storage, 2), b);
}

TYPED_TEST_P(LdltTest, PartsOneAfterTheOtherAreTheWhole) {
  using F = TestFixture;
  const typename F::Case at(F::mesh());
  const auto b = at.right_hand_side();
  for (const auto scaling : {Scaling::None, Scaling::Diagonal, Scaling::Equilibrate}) {
    const auto factor = at.factor({}, {.scaling = scaling});
    const auto y = F::solve(factor, F::solve(factor, b, LdltPart::Forward), LdltPart::Diagonal);
    EXPECT_LE(reference::relative_difference(F::solve(factor, y, LdltPart::Backward), F::solve(factor, b)),
              100 * F::unit)
        << to_string(scaling);
  }
}

TYPED_TEST_P(LdltTest, PartsAreThoseOfAnUpLookingFactorizationInTheSameOrder) {
  using F = TestFixture;
  for (const auto& shape : reference::symmetric_shapes()) {
    SCOPED_TRACE(shape.name);
    const typename F::Case at(reference::indefinite<typename F::Scalar>(shape.matrix));
    const auto factor = at.factor({}, {.scaling = Scaling::None});
    const reference::UpLookingLdlt oracle(at.matrix, to_host(factor.symbolic().permutation()));
    const auto b = at.right_hand_side();
    const auto wide = reference::widen_all(b);
    const double tolerance = 1000 * F::unit;
    using reference::relative_difference;
    EXPECT_LE(relative_difference(F::solve(factor, b, LdltPart::Forward), oracle.forward(wide)), tolerance);
    EXPECT_LE(relative_difference(F::solve(factor, b, LdltPart::Diagonal), oracle.diagonal(wide)), tolerance);
    EXPECT_LE(relative_difference(F::solve(factor, b, LdltPart::Backward), oracle.backward(wide)), tolerance);
    EXPECT_LE(relative_difference(F::solve(factor, b), oracle.solve(wide)), tolerance);
  }
}

TYPED_TEST_P(LdltTest, AppliesEveryOperation) {
  using F = TestFixture;
  const typename F::Case at(F::mesh());
  auto conjugate = at.matrix;
  for (auto& row : conjugate.rows)
    for (auto& entry : row) entry.second = reference::conjugate_of(entry.second);
  const auto b = at.right_hand_side();
  for (const auto scaling : {Scaling::None, Scaling::Equilibrate})
    for (const int steps : {0, 1}) {
      const auto factor = at.factor({}, {.scaling = scaling, .refinement_steps = steps});
      const auto x = F::apply(factor, b, Op::None);
      EXPECT_LE(reference::backward_error(at.matrix, b, x), F::allowed);
      EXPECT_EQ(F::apply(factor, b, Op::Transpose), x);
      EXPECT_EQ(F::solve(factor, b), x);
      const auto turned = F::apply(factor, b, Op::ConjugateTranspose);
      EXPECT_LE(reference::backward_error(conjugate, b, turned), F::allowed);
      EXPECT_EQ(turned == x, !F::is_complex);
    }
}

TYPED_TEST_P(LdltTest, RefactorizesToTheBitsOfANewFactor) {
  using F = TestFixture;
  const auto pattern = F::mesh();
  const typename F::Case at(pattern);
  const auto b = at.right_hand_side();
  for (const auto scaling : {Scaling::None, Scaling::Diagonal, Scaling::Equilibrate}) {
    const auto symbolic = at.symbolic();
    const LdltFactorOptions options{.scaling = scaling};
    typename F::Factor factor(typename F::Space(), symbolic, at.arrays.values, options);
    for (unsigned step = 0; step < 20; ++step) {
      const auto other = F::with_other_values(pattern, step);
      factor.refactorize(typename F::Space(), other.arrays.values);
      const typename F::Factor fresh(typename F::Space(), symbolic, other.arrays.values, options);
      ASSERT_EQ(F::solve(factor, b), F::solve(fresh, b)) << "step " << step;
      ASSERT_LE(F::error_of(other, factor), F::allowed) << "step " << step;
      ASSERT_EQ(factor.info().growth, fresh.info().growth);
      ASSERT_EQ(factor.info().largest_entry, fresh.info().largest_entry);
    }
  }
}

/// What repeats may be recorded, and then has to see what is in the arrays by now, or that others are given.
TYPED_TEST_P(LdltTest, SeesOtherNumbersAndOtherArraysHoweverOftenItHasSeenThese) {
  using F = TestFixture;
  const typename F::Space space;
  for (const int size : {25, 400}) {
    const auto pattern = reference::indefinite<typename F::Scalar>(reference::mesh_of_three(reference::band(size, 6)));
    const typename F::Case at(pattern);
    const auto symbolic = at.symbolic();
    auto factor = at.factor();
    const typename F::Vector values("values", at.arrays.values.extent(0));
    std::vector<typename F::Vector> from, to;
    for (int k = 0; k < 6; ++k) {
      from.push_back(to_device<typename F::Scalar, typename F::Device>(at.right_hand_side()));
      to.emplace_back("to", from[0].extent(0));
    }
    for (unsigned step = 0; step < 30; ++step) {
      const auto other = F::with_other_values(pattern, step);
      const std::size_t place = step < 8 ? 0 : step % (step < 20 ? 2 : 6);
      const auto b = other.right_hand_side(step);
      Kokkos::deep_copy(values, other.arrays.values);
      Kokkos::deep_copy(from[place], to_device<typename F::Scalar, typename F::Device>(b));
      Kokkos::View<const typename F::Scalar*, typename F::Device> given = values;
      if (step % 5 == 4) given = other.arrays.values;
      factor.refactorize(space, given);
      factor.solve(space, from[place], to[place]);
      const typename F::Factor fresh(space, symbolic, other.arrays.values);
      ASSERT_EQ(to_host(to[place]), F::solve(fresh, b)) << "size " << size << ", step " << step;
    }
  }
}

TYPED_TEST_P(LdltTest, RepeatsItsBitsAThousandTimes) {
  using F = TestFixture;
  const typename F::Case at(reference::indefinite<typename F::Scalar>(reference::hubs(90)));
  const auto other = F::with_other_values(at.matrix, 3);
  auto factor = at.factor();
  const auto b = at.right_hand_side();
  const auto expected = F::solve(factor, b);
  for (int repetition = 0; repetition < 1000; ++repetition) {
    if (repetition % 10 == 9) factor.refactorize(typename F::Space(), other.arrays.values);
    factor.refactorize(typename F::Space(), at.arrays.values);
    ASSERT_EQ(F::solve(factor, b), expected) << "repetition " << repetition;
  }
}

TYPED_TEST_P(LdltTest, MovesAndOutlivesItsSymbolicPhase) {
  using F = TestFixture;
  const typename F::Case at(F::mesh());
  const auto other = F::with_other_values(at.matrix, 1);
  const auto b = at.right_hand_side();
  std::optional<typename F::Symbolic> symbolic = at.symbolic();
  typename F::Factor first(typename F::Space(), *symbolic, at.arrays.values);
  typename F::Factor second(typename F::Space(), *symbolic, other.arrays.values);
  const auto copy = *symbolic;
  symbolic.reset();
  const auto a = F::solve(first, b), c = F::solve(second, b);
  EXPECT_NE(a, c);
  typename F::Factor moved(std::move(first));
  EXPECT_EQ(F::solve(moved, b), a);
  moved = std::move(second);
  EXPECT_EQ(F::solve(moved, b), c);
  moved.refactorize(typename F::Space(), at.arrays.values);
  EXPECT_EQ(F::solve(moved, b), a);
  EXPECT_EQ(copy.info().factor_entries, moved.symbolic().info().factor_entries);
  EXPECT_EQ(to_host(copy.permutation()), to_host(moved.symbolic().permutation()));
}

/// So many that sums stand between the front of the dense rows and its children, in two levels; and sums of more rows
/// than a thread block of a GPU has in its memory.
TYPED_TEST_P(LdltTest, SumsWhatThousandsOfChildrenLeave) {
  using F = TestFixture;
  for (const auto& [dense, size] : {std::pair{1, 5000}, std::pair{3, 5000}, std::pair{250, 2000}}) {
    SCOPED_TRACE(std::to_string(dense) + " dense rows");
    const typename F::Case at(reference::indefinite<typename F::Scalar>(reference::dense_rows(size, dense)));
    const auto natural = [&] {
      std::vector<int> order(static_cast<std::size_t>(at.matrix.size()));
      std::iota(order.begin(), order.end(), 0);
      return order;
    }();
    const auto factor =
        at.factor({.ordering = Ordering::Given, .permutation = natural, .amalgamation = 0, .right_hand_sides = 5});
    const auto fronts = factor.symbolic().fronts();
    EXPECT_GT(std::count_if(fronts.begin(), fronts.end(), [](const LdltFront& front) { return front.columns == 0; }),
              0);
    EXPECT_LE(F::error_of(at, factor), F::allowed);
    const auto b = at.right_hand_side();
    const auto x = F::template solve_columns<Kokkos::LayoutLeft>(factor, {b, b, b, b, b}, b.size(), false);
    for (const auto& column : x) EXPECT_LE(reference::backward_error(at.matrix, b, column), F::allowed);
    const auto once = F::solve(factor, b);
    EXPECT_EQ(F::solve(factor, b), once);
  }
}

REGISTER_TYPED_TEST_SUITE_P(LdltTest, ReadsOneTriangleHoweverItIsStored, SolvesAnyNumberOfColumnsInAnyLayoutAndInPlace,
                            TakesVectorsWithGapsAndLeavesTheGapsAlone, PartsOneAfterTheOtherAreTheWhole,
                            PartsAreThoseOfAnUpLookingFactorizationInTheSameOrder, AppliesEveryOperation,
                            RefactorizesToTheBitsOfANewFactor, SeesOtherNumbersAndOtherArraysHoweverOftenItHasSeenThese,
                            RepeatsItsBitsAThousandTimes, MovesAndOutlivesItsSymbolicPhase,
                            SumsWhatThousandsOfChildrenLeave);

}  // namespace terrace::test
