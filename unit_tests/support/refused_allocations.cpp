// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/refused_allocations.hpp"

#include <cstdlib>
#include <new>

namespace terrace::test {

RefusedAllocations& refused_allocations() {
  static constinit RefusedAllocations refused;
  return refused;
}

namespace {

bool is_refused(std::size_t bytes) {
  auto& refused = refused_allocations();
  if (!refused.are_counted || refused.first == 0 || bytes < RefusedAllocations::least_bytes) return false;
  const long number = ++refused.counted;
  if (refused.all_later_ones ? number < refused.first : number != refused.first) return false;
  refused.have_happened = true;
  return true;
}

}  // namespace
}  // namespace terrace::test

void* operator new(std::size_t bytes) {
  void* memory = terrace::test::is_refused(bytes) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
/// Sanitizers have one of their own otherwise, whose memory is not for std::free.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return terrace::test::is_refused(bytes) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
