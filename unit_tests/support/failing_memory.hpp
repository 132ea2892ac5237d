// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every allocation of an operation fails in turn: the first of all, then the second, until it succeeds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <terrace/error.hpp>

#include "parallel/memory_faults.hpp"

namespace terrace::test {

/// What an allocation that fails must do: end the operation, or nothing but that, where it may also do with less
/// memory.
enum class Failing { Ends, MayBeHelped };

/// Calls operate() with one more allocation succeeding each time; `recovers()` is called after each failure. Returns
/// how many allocations there are.
template <class Operate, class Recover>
int fail_in_turn(const std::string& what, const Operate& operate, const Recover& recovers,
                 Failing failing = Failing::Ends) {
  using parallel::MemoryFaults;
  for (int before = 0; before < 10000; ++before) {
    MemoryFaults::arm(before);
    bool has_failed = false;
    try {
      operate();
    } catch (const Error& error) {
      has_failed = true;
      EXPECT_EQ(error.code(), ErrorCode::OutOfMemory) << what << ", allocation " << before << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(" bytes"), std::string::npos) << what << ": " << error.what();
    } catch (const std::exception& failure) {
      has_failed = true;
      ADD_FAILURE() << what << ", allocation " << before << " failed with another exception: " << failure.what();
    }
    const bool was_reached = !MemoryFaults::is_armed();
    MemoryFaults::disarm();
    EXPECT_EQ(has_failed, was_reached && (failing == Failing::Ends || has_failed)) << what << ", allocation " << before;
    if (!was_reached) return before;
    recovers();
  }
  ADD_FAILURE() << what << " never succeeds";
  return 0;
}

template <class Operate>
int fail_in_turn(const std::string& what, const Operate& operate, Failing failing = Failing::Ends) {
  return fail_in_turn(
      what, operate, [] {}, failing);
}

}  // namespace terrace::test
