// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>

namespace terrace::ordering {

/// METIS draws from the C library's rand: calls at the same time would neither repeat nor be safe.
inline std::mutex& one_metis_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace terrace::ordering
