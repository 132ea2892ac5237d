// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code was built.
#pragma once

namespace terrace::perf {

/// As `git describe` said when the benchmarks were last built; "unknown" outside a repository.
const char* commit();

}  // namespace terrace::perf
