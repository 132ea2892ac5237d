// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of the spaces, and what follows for algorithms that wait in loops.
#include "backends/waiting.hpp"

#include <gtest/gtest.h>

#include "algorithms/triangular/work_counter.hpp"
#include "backends/tuned.hpp"

namespace terrace::test {

/// Like a device of which nothing is known.
struct UnknownDevice {
  int concurrency() const { return 1000; }
};

/// Like one whose running threads get on.
struct KnownDevice : UnknownDevice {};

}  // namespace terrace::test

namespace terrace::parallel {

template <>
inline constexpr bool is_host_space<test::UnknownDevice> = false;
template <>
inline constexpr bool is_host_space<test::KnownDevice> = false;
template <>
inline constexpr bool running_threads_get_on<test::KnownDevice> = true;

}  // namespace terrace::parallel

namespace terrace::test {
namespace {

static_assert(parallel::running_threads_get_on<Kokkos::DefaultHostExecutionSpace>);
static_assert(!parallel::has_tuned_engines<Kokkos::DefaultHostExecutionSpace>);
static_assert(!parallel::has_tuned_engines<UnknownDevice>);

TEST(Waiting, OneWorkerDoesWhatNeedsWaitingWhereNothingIsKnown) {
  EXPECT_EQ(triangular::number_of_workers(UnknownDevice(), 500), 1U);
  EXPECT_EQ(triangular::number_of_workers(UnknownDevice(), 0), 0U);
}

TEST(Waiting, AsManyWorkersAsCanRunDoItWhereRunningThreadsGetOn) {
  EXPECT_EQ(triangular::number_of_workers(KnownDevice(), 500), 500U);
  EXPECT_EQ(triangular::number_of_workers(KnownDevice(), 5000), 1000U);
}

}  // namespace
}  // namespace terrace::test
