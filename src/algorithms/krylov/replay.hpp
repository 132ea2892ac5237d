// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same work enqueued again and again. The generic way enqueues it anew each time; a backend that can record what
// was enqueued overloads make_replay (backends/krylov.hpp, ADR 16).
#pragma once

#include <utility>

namespace terrace::krylov {

/// `enqueue` enqueues the same kernels on the space whenever it is called, if `repeats_itself`. Returns what does so.
template <class Space, class Enqueue>
Enqueue make_replay(const Space&, Enqueue enqueue, bool /*repeats_itself*/) {
  return enqueue;
}

}  // namespace terrace::krylov
