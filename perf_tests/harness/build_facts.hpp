// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code was built, and how.
#pragma once

namespace terrace::perf {

/// As `git describe` said when the benchmarks were last built; "unknown" outside a repository.
extern const char* const commit;
extern const char* const build_type;
extern const char* const compiler;

}  // namespace terrace::perf
