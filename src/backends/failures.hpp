// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The border of the public functions: what runs out of memory below them, or fails in the backend's runtime, leaves as
// an Error. A public function that allocates or waits is a function-try-block whose handler calls rethrow_as_error.
//
// What the caller's own code throws, an operator of his or a monitor, passes as it is.
#pragma once

#include <terrace/error.hpp>

#include "backends/runtime.hpp"
#include "parallel/out_of_memory.hpp"

namespace terrace::parallel {

/// To be called in a handler. `function` is the public one.
template <class Space>
[[noreturn]] void rethrow_as_error(const Space& space, const char* function) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    const std::string what = std::string(function) + ": " + failure.what();
    if (is_out_of_memory(failure)) {
      Runtime<Space>::give_back_memory(space);
      throw Error(ErrorCode::OutOfMemory, what + "; " + Runtime<Space>::free_memory(space));
    }
    if (Runtime<Space>::has_failed(space, failure)) throw Error(ErrorCode::LibraryFailure, what);
    throw;
  }
}

}  // namespace terrace::parallel
