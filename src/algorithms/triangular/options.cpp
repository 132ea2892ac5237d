// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options, as messages, the command line and the benchmarks print them.
#include <terrace/triangular_info.hpp>

#include <algorithm>

namespace terrace {

const char* to_string(Uplo uplo) { return uplo == Uplo::Lower ? "lower" : "upper"; }

const char* to_string(Diag diag) { return diag == Diag::NonUnit ? "nonunit" : "unit"; }

const char* to_string(Stored stored) { return stored == Stored::Triangle ? "triangle" : "full"; }

const char* to_string(Format format) { return format == Format::Csr ? "csr" : "csc"; }

const char* to_string(Op op) {
  switch (op) {
    case Op::None: return "none";
    case Op::Transpose: return "transpose";
    case Op::ConjugateTranspose: return "conjugate";
  }
  return "unknown";
}

const char* to_string(Reuse reuse) { return reuse == Reuse::Many ? "many" : "once"; }

const char* to_string(Storage storage) {
  switch (storage) {
    case Storage::Automatic: return "automatic";
    case Storage::Crs: return "crs";
    case Storage::Hec: return "hec";
  }
  return "unknown";
}

const char* to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Automatic: return "automatic";
    case Algorithm::Sequential: return "sequential";
    case Algorithm::LevelScheduled: return "level-scheduled";
    case Algorithm::SyncFreeRows: return "sync-free-rows";
    case Algorithm::SyncFreeColumns: return "sync-free-columns";
    case Algorithm::Blocked: return "blocked";
  }
  return "unknown";
}

std::optional<std::int64_t> TriangularInfo::first_singular_row() const {
  if (first_missing_diagonal && first_zero_diagonal) return std::min(*first_missing_diagonal, *first_zero_diagonal);
  return first_missing_diagonal ? first_missing_diagonal : first_zero_diagonal;
}

}  // namespace terrace
