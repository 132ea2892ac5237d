// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other programs keep the cores busy that the demo is about to time.
#pragma once

namespace terrace::tools {

/// True when the threads that others are running now and `own_threads` of ours are more than there are cores.
/// False as well where the system does not tell.
bool cores_are_contested(int own_threads);

}  // namespace terrace::tools
