// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is promised of direct factorizations about instances, fences, allocations and memory.
#include <terrace/terrace.hpp>

#include "support/failing_memory.hpp"
#include "support/ldlt_interface.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
using LdltResources = LdltInterface<Space>;

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(LdltResources, TestedSpaces);

TYPED_TEST(LdltResources, EnqueuesLabelledKernelsOnTheCallersInstanceWithoutFenceOrAllocation) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> arrays(write_symmetric(reference::mesh_of_three(reference::band(60, 5))));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const Kokkos::View<double**, typename F::Device> B("b", 180, 5), X("x", 180, 5);
  for (const auto algorithm : {LdltAlgorithm::Automatic, LdltAlgorithm::Columns})
    for (const auto scaling : enumerators<Scaling>())
      for (const auto precision : enumerators<FactorPrecision>()) {
        const int steps = scaling == Scaling::None ? 2 : 0;
        SCOPED_TRACE(std::string(to_string(algorithm)) + ", " + to_string(scaling) + ", " + to_string(precision) +
                     ", steps " + std::to_string(steps));
        const typename F::Symbolic symbolic(instance, arrays.row_map, arrays.entries,
                                            {.algorithm = algorithm, .right_hand_sides = 2});
        typename F::Factor factor(instance, symbolic, arrays.values,
                                  {.scaling = scaling, .precision = precision, .refinement_steps = steps});
        const auto use = [&] {
          factor.refactorize(instance, arrays.values);
          factor.solve(instance, B, X);
          for (const auto part : {LdltPart::Forward, LdltPart::Diagonal, LdltPart::Backward})
            factor.solve(instance, B, X, part);
          factor.apply(instance, X, X, Op::ConjugateTranspose);
        };
        use();
        instance.fence();
        const RecordedEvents events;
        use();
        EXPECT_GE(events.kernels(), 7);
        EXPECT_EQ(events.fences(), std::vector<std::string>());
        EXPECT_EQ(events.allocations(), 0);
        EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
        EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
      }
}

TYPED_TEST(LdltResources, RefinesOnTheCallersInstance) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> arrays(write_symmetric(reference::mesh_of_three(reference::band(60, 5))));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const typename F::Symbolic symbolic(instance, arrays.row_map, arrays.entries);
  const typename F::Factor factor(instance, symbolic, arrays.values, {.precision = FactorPrecision::Single});
  const typename F::Vector b("b", 180), x("x", 180);
  Kokkos::deep_copy(b, 1.0);
  factor.refine(instance, b, x);
  instance.fence();
  const RecordedEvents events;
  EXPECT_TRUE(factor.refine(instance, b, x).converged());
  EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
  EXPECT_GE(events.kernels_named("terrace::ldlt::"), 6);
}

TYPED_TEST(LdltResources, AnalyzesNothingAgainForASecondFactor) {
  using F = TestFixture;
  const typename F::Case at(reference::mesh_of_three(reference::band(60, 5)));
  const auto symbolic = at.symbolic();
  const typename F::Factor first(TypeParam(), symbolic, at.arrays.values);
  const RecordedEvents events;
  const typename F::Factor second(TypeParam(), symbolic, at.arrays.values);
  for (const char* words : {"check_", "sort_", "levels", "count_lines"}) EXPECT_EQ(events.kernels_named(words), 0);
}

TYPED_TEST(LdltResources, EveryAllocationThatFailsIsAnErrorAndTheAnalysisStaysUsable) {
  using F = TestFixture;
  const typename F::Case at(reference::mesh_of_three(reference::band(12, 3)));
  EXPECT_GT(fail_in_turn("LdltSymbolic", [&] { at.symbolic({.check_symmetry = true}); }), 5);
  const auto b = at.right_hand_side();
  const auto from = to_device<double, typename F::Device>(b);
  const typename F::Vector x("x", b.size());
  for (const auto scaling : enumerators<Scaling>())
    for (const auto precision : enumerators<FactorPrecision>()) {
      const LdltFactorOptions options{.scaling = scaling, .precision = precision, .refinement_steps = 2};
      const auto symbolic = at.symbolic();
      const auto factorize = [&] { typename F::Factor(TypeParam(), symbolic, at.arrays.values, options); };
      const auto usable = [&] {
        const typename F::Factor factor(TypeParam(), symbolic, at.arrays.values);
        ASSERT_LE(reference::backward_error(at.matrix, b, F::solve(factor, b)), 1e-14);
      };
      EXPECT_GT(fail_in_turn("LdltFactor", factorize, usable), 3);
      const typename F::Factor factor(TypeParam(), symbolic, at.arrays.values, options);
      const auto refine = [&] { factor.refine(TypeParam(), from, x, {.tolerance = 1e-30}); };
      const auto solves = [&] { ASSERT_LE(reference::backward_error(at.matrix, b, F::solve(factor, b)), 1e-14); };
      EXPECT_GT(fail_in_turn("LdltFactor::refine", refine, solves), 1);
    }
}

TYPED_TEST(LdltResources, SaysHowManyBytesAFactorNeedsAndWhatWouldNeedLess) {
  using F = TestFixture;
  const typename F::Case at(reference::mesh_of_three(reference::band(40, 5)));
  const auto symbolic = at.symbolic();
  parallel::MemoryFaults::arm(0);
  F::expect_error(
      ErrorCode::OutOfMemory, {},
      {"bytes", std::to_string(symbolic.info().stored_entries), "FactorPrecision::Single", "ordering", "amalgamation"},
      [&] { typename F::Factor(TypeParam(), symbolic, at.arrays.values); });
  parallel::MemoryFaults::disarm();
}

TYPED_TEST(LdltResources, HoldsWhatItSaysAndHalfOfItInSingle) {
  using F = TestFixture;
  const typename F::Case at(reference::mesh_of_three(reference::dominant(reference::poisson<double>(20, 20))));
  const auto info = at.symbolic().info();
  const auto same = at.factor(), single = at.factor({}, {.precision = FactorPrecision::Single});
  EXPECT_EQ(same.info().bytes_held, same.bytes_held());
  EXPECT_GE(same.bytes_held(), static_cast<std::size_t>(info.factor_entries) * sizeof(double));
  EXPECT_GE(info.factor_bytes, static_cast<std::size_t>(info.stored_entries) * sizeof(double));
  EXPECT_LE(same.bytes_held() + info.bytes_held, info.peak_bytes + 64 * 1200);
  EXPECT_LE(static_cast<double>(single.bytes_held()), 0.55 * static_cast<double>(same.bytes_held()));
  EXPECT_GT(info.bytes_held, 0u);
}

}  // namespace
}  // namespace terrace::test
