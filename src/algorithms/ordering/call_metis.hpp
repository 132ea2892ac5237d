// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system's METIS as its callers share it: one call at a time, a fixed seed, and errors as Error.
#pragma once

#include <metis.h>

#include <limits>
#include <mutex>
#include <string>
#include <terrace/error.hpp>

namespace terrace::ordering {

/// A function of METIS, and what a user can do without it.
struct MetisFunction {
  const char* name;
  const char* otherwise;
};

/// METIS's indices have 32 or 64 bits, as it was built.
inline void check_countable(const MetisFunction& function, std::size_t entries) {
  if (entries > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
    throw Error(ErrorCode::OutOfMemory, "the graph has " + std::to_string(entries) +
                                            " edges, more than the indices of this METIS can count (it needs "
                                            "IDXTYPEWIDTH 64); " +
                                            function.otherwise);
}

/// METIS draws from the C library's rand: calls at the same time would neither repeat nor be safe.
inline std::mutex& one_metis_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// call(options) returns METIS's status.
template <class Call>
void call_metis(const MetisFunction& function, const Call& call) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  const std::lock_guard<std::mutex> lock(one_metis_at_a_time());
  const int status = call(options);
  if (status == METIS_OK) return;
  if (status == METIS_ERROR_MEMORY)
    throw Error(ErrorCode::OutOfMemory, std::string("METIS ran out of memory; ") + function.otherwise);
  throw Error(ErrorCode::LibraryFailure,
              std::string(function.name) + " failed with status " + std::to_string(status) + "; " + function.otherwise);
}

}  // namespace terrace::ordering
