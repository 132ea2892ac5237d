// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each allocation of each public class fails in turn: an Error, nothing leaked, and the next object is right.
#include "support/every_operation.hpp"
#include "support/failing_memory.hpp"
#include "support/live_allocations.hpp"

namespace terrace::test {
namespace {

template <class Space>
class EveryAllocation : public ::testing::Test {};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(EveryAllocation, TestedSpaces);

TYPED_TEST(EveryAllocation, ThatFailsIsAnErrorLeaksNothingAndSparesTheNextObject) {
  const EveryOperation<TypeParam> every;
  for (const Operation& operation : every.all()) {
    SCOPED_TRACE(operation.name);
    operation.use();  // what is made once in a program is there
    const LiveAllocations allocations;
    const auto nothing_is_left = [&] { ASSERT_EQ(allocations.live(), 0) << "leaked"; };
    const auto failing = operation.may_do_with_less ? Failing::MayBeHelped : Failing::Ends;
    EXPECT_GT(fail_in_turn(operation.name, operation.use, nothing_is_left, failing), 0);
    nothing_is_left();
    operation.use();
    nothing_is_left();
  }
}

}  // namespace
}  // namespace terrace::test
