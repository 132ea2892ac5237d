// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A direct factorization has the same bits whatever number of threads it is given: those of one thread.
#include "support/ldlt_case.hpp"

namespace terrace::test {
namespace {

template <class Space>
struct OnSpace {
  using Fixture = LdltFixture<Combination<double, int, Space>>;

  /// x of both precisions, after a refactorization; and what was found of the pivots.
  static std::vector<double> numbers_of(const reference::RealMatrix& matrix) {
    const typename Fixture::Case at(reference::indefinite<double>(matrix));
    const auto b = at.right_hand_side();
    const auto symbolic = at.symbolic({.right_hand_sides = 2});
    std::vector<double> numbers;
    for (const auto precision : {FactorPrecision::Same, FactorPrecision::Single}) {
      typename Fixture::Factor factor(Space(), symbolic, at.arrays.values,
                                      {.scaling = Scaling::Diagonal, .precision = precision});
      factor.refactorize(Space(), at.arrays.values);
      const auto x = Fixture::solve(factor, b);
      numbers.insert(numbers.end(), x.begin(), x.end());
      const auto info = factor.info();
      numbers.insert(numbers.end(), {info.growth, info.smallest_pivot, info.largest_pivot, info.largest_entry});
    }
    return numbers;
  }
};

TEST(LdltThreads, HaveTheBitsOfOneThread) {
  for (const auto& matrix :
       {reference::hubs(150), reference::mesh_of_three(reference::dominant(reference::poisson<double>(9, 8))),
        reference::forest({reference::all_linked(150), reference::band(400, 120)})})  // large fronts are shared
    EXPECT_EQ(OnSpace<Kokkos::DefaultHostExecutionSpace>::numbers_of(matrix),
              OnSpace<Kokkos::Serial>::numbers_of(matrix));
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
  for (const auto& analyzes : instances) {
    const Fixture::Symbolic symbolic(analyzes, at.arrays.row_map, at.arrays.entries);
    for (const auto& uses : instances) {
      Fixture::Factor factor(analyzes, symbolic, at.arrays.values);
      factor.refactorize(uses, at.arrays.values);
      factor.solve(uses, from, x);
      uses.fence();
      EXPECT_EQ(to_host(x), expected);
      EXPECT_TRUE(factor.info().succeeded());
    }
  }
}

}  // namespace
}  // namespace terrace::test
