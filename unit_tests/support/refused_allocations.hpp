// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that link refused_allocations.cpp have an operator new that refuses what it is told to.
#pragma once

#include <atomic>
#include <cstddef>

namespace terrace::test {

struct RefusedAllocations {
  static constexpr std::size_t least_bytes = 256;  // labels and messages are shorter, and granted

  std::atomic<long> first = 0;  // counted from 1; 0: none is refused
  std::atomic<long> counted = 0;
  std::atomic<bool> are_counted = false;
  std::atomic<bool> all_later_ones = false;  // are refused too
  std::atomic<bool> have_happened = false;

  void start(long number) {
    counted = 0;
    have_happened = false;
    first = number;
  }
  void stop() {
    first = 0;
    are_counted = false;
  }
};

RefusedAllocations& refused_allocations();

}  // namespace terrace::test
