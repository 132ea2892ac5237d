// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A direct factorization has the same bits whatever number of threads it is given: those of one thread.
#include "ldlt/ldlt_case.hpp"

namespace terrace::test {
namespace {

template <class Space>
struct OnSpace {
  using Fixture = LdltFixture<Combination<double, int, Space>>;

  /// x of both precisions, after a refactorization; and what was found of the pivots.
  static std::vector<double> numbers_of(const reference::RealMatrix& matrix, int repetitions) {
    const typename Fixture::Case at(reference::indefinite<double>(matrix));
    const auto b = at.right_hand_side();
    std::vector<double> numbers;
    for (const auto precision : {FactorPrecision::Same, FactorPrecision::Single}) {
      auto factor = at.factor({.right_hand_sides = 2}, {.scaling = Scaling::Equilibrate, .precision = precision});
      for (int repetition = 0; repetition < repetitions; ++repetition) factor.refactorize(Space(), at.arrays.values);
      const auto x = Fixture::solve(factor, b);
      numbers.insert(numbers.end(), x.begin(), x.end());
      const auto info = factor.info();
      numbers.insert(numbers.end(), {info.growth, info.smallest_pivot, info.largest_pivot, info.largest_entry});
    }
    return numbers;
  }
};

TEST(LdltThreads, HaveTheBitsOfOneThread) {
  for (const auto& shape : reference::symmetric_shapes()) {
    SCOPED_TRACE(shape.name);
    const auto expected = OnSpace<Kokkos::Serial>::numbers_of(shape.matrix, 0);
    for (const int repetitions : {0, 5})
      EXPECT_EQ(OnSpace<Kokkos::DefaultHostExecutionSpace>::numbers_of(shape.matrix, repetitions), expected);
  }
}

/// Fronts large enough that several threads share one.
TEST(LdltThreads, HaveTheBitsOfOneThreadInLargeFronts) {
  for (const int n : {300, 700}) {
    const auto matrix = reference::forest({reference::all_linked(n / 2), reference::band(n, n / 4)});
    EXPECT_EQ(OnSpace<Kokkos::DefaultHostExecutionSpace>::numbers_of(matrix, 1),
              OnSpace<Kokkos::Serial>::numbers_of(matrix, 0));
  }
}

/// Each phase on an instance with all threads, one, and the rest.
TEST(LdltThreads, MayDifferFromPhaseToPhase) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Fixture = OnSpace<Space>::Fixture;
  std::vector<Space> instances{Space()};
  if (const int threads = Space().concurrency(); threads > 1)
    for (const auto& part : Kokkos::Experimental::partition_space(Space(), 1, threads - 1)) instances.push_back(part);
  const Fixture::Case at(
      reference::indefinite<double>(reference::forest({reference::all_linked(150), reference::hubs(200)})));
  const auto b = at.right_hand_side();
  const auto from = to_device<double, Fixture::Device>(b);
  const Fixture::Vector x("x", b.size());
  const auto expected = Fixture::solve(at.factor(), b);
  for (const auto& analyzes : instances)
    for (const auto& makes : instances)
      for (const auto& uses : instances) {
        const Fixture::Symbolic symbolic(analyzes, at.arrays.row_map, at.arrays.entries);
        Fixture::Factor factor(makes, symbolic, at.arrays.values);
        makes.fence();
        factor.solve(uses, from, x);
        uses.fence();
        EXPECT_EQ(to_host(x), expected);
        factor.refactorize(uses, at.arrays.values);
        factor.solve(uses, from, x);
        uses.fence();
        EXPECT_EQ(to_host(x), expected);
        EXPECT_TRUE(factor.info().succeeded());
      }
}

}  // namespace
}  // namespace terrace::test
