// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parallel/out_of_memory.hpp"

#include <new>
#include <stdexcept>
#include <string_view>
#include <terrace/error.hpp>

#include "parallel/memory_faults.hpp"

namespace terrace::parallel {

MemoryFaults::State& MemoryFaults::state() {
  static State state;
  return state;
}

void throw_out_of_memory(const std::string& what, std::size_t bytes, const std::string& free) {
  throw Error(ErrorCode::OutOfMemory,
              "there is no memory for " + what + ", which takes " + std::to_string(bytes) + " bytes; " + free);
}

bool is_out_of_memory(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) || dynamic_cast<const std::length_error*>(&failure)) return true;
  return std::string_view(failure.what()).find("memory space failed to allocate") != std::string_view::npos;
}

}  // namespace terrace::parallel
