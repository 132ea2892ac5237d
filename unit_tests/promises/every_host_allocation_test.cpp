// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same for what the library asks of operator new on the host: vectors of an analysis, tables of a search.
#include "support/every_operation.hpp"
#include "support/refused_allocations.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Uses it with allocation `number` refused; whether there is one of that number.
bool fails(const Operation& operation, long number) {
  auto& refused = refused_allocations();
  refused.are_counted = true;
  refused.start(number);
  std::string failure;
  try {
    operation.use();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::OutOfMemory) failure = error.what();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  refused.stop();
  EXPECT_EQ(failure, "") << "allocation " << number << " ended otherwise";
  return refused.have_happened;
}

TEST(EveryHostAllocation, ThatFailsIsAnErrorAndSparesTheNextObject) {
  if (Space().concurrency() > 2) GTEST_SKIP() << "allocations do not depend on the threads, and threads take long";
  refused_allocations().all_later_ones = false;
  const EveryOperation<Space> every;
  for (const Operation& operation : every.all()) {
    SCOPED_TRACE(operation.name);
    operation.use();
    long number = 1;
    while (number < 3000 && fails(operation, number)) ++number;
    EXPECT_LT(number, 3000) << "it never succeeds";
    operation.use();
  }
}

}  // namespace
}  // namespace terrace::test
