// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>

#include <cstring>

#include "algorithms/ldlt/blas_threads.hpp"

namespace terrace::ldlt {
namespace {

/// Null where the BLAS that is loaded has no such function.
template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

enum OpenBlasThreads { NoThreads, OwnThreads, OpenMpThreads };

}  // namespace

bool blas_bears_threads() {
  static const bool bears = [] {
    auto* const parallel = find<int()>("openblas_get_parallel");
    auto* const config = find<char*()>("openblas_get_config");
    if (!parallel || !config) return true;
    return parallel() != NoThreads || std::strstr(config(), "USE_LOCKING") != nullptr;
  }();
  return bears;
}

OneThreadPerBlasCall::OneThreadPerBlasCall() {
  static auto* const parallel = find<int()>("openblas_get_parallel");
  static auto* const get = find<int()>("openblas_get_num_threads");
  static auto* const set = find<void(int)>("openblas_set_num_threads");
  if (!parallel || !get || !set || parallel() != OwnThreads) return;
  threads_ = get();
  if (threads_ == 1) return;
  restore_ = set;
  set(1);
}

OneThreadPerBlasCall::~OneThreadPerBlasCall() {
  if (restore_) restore_(threads_);
}

}  // namespace terrace::ldlt
