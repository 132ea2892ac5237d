// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same work enqueued again and again. The generic way enqueues it anew each time; a backend that can record what
// was enqueued overloads make_replay (backends/krylov.hpp, ADR 16).
#pragma once

#include <utility>

namespace terrace::krylov {

/// What a backend records with. It is kept from one solve to the next.
struct NoRecorder {};
template <class Space>
struct RecorderOf {
  using type = NoRecorder;
};

/// `enqueue(space)` enqueues the same kernels on the instance that it is handed whenever it is called, if
/// `repeats_itself`. Returns what does so.
template <class Space, class Enqueue>
auto make_replay(const Space& space, NoRecorder&, Enqueue enqueue, bool /*repeats_itself*/) {
  return [space, enqueue] { enqueue(space); };
}

}  // namespace terrace::krylov
