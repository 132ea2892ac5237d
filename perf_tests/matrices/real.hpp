// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that a benchmark program solves in: CMake builds the triangular ones for double and for float.
#pragma once

namespace terrace::perf {

#if defined(TERRACE_PERF_REAL)
using Real = TERRACE_PERF_REAL;
#else
using Real = double;
#endif

}  // namespace terrace::perf
