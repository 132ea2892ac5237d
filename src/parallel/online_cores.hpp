// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many hardware threads this machine has switched on.
//
// Not those that this process may use: the runtime of OpenMP binds the calling thread to a place of its own, and then
// the calling thread's mask says little of the others.
#pragma once

namespace terrace::parallel {

unsigned online_cores();

}  // namespace terrace::parallel
