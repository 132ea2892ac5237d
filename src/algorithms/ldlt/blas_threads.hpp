// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a BLAS does about threads, asked when the program runs: the library that answers for "BLAS" is often chosen by
// the system's administrator. Known are OpenBLAS and MKL; others are taken to start no threads and to bear several.
#pragma once

namespace terrace::ldlt {

/// False for an OpenBLAS that was built without threads and without locks (Debian's libopenblas0-serial): threads that
/// call it at the same time may get the same buffer, and wrong numbers.
bool blas_bears_threads();

/// While it lives, a BLAS with threads of its own starts none in calls of several threads. An OpenBLAS on OpenMP needs
/// to be told nothing: it starts none within a parallel region.
class OneThreadPerBlasCall {
 public:
  OneThreadPerBlasCall();
  ~OneThreadPerBlasCall();
  OneThreadPerBlasCall(const OneThreadPerBlasCall&) = delete;
  OneThreadPerBlasCall& operator=(const OneThreadPerBlasCall&) = delete;

 private:
  void (*restore_)(int) = nullptr;
  int threads_ = 0;
};

}  // namespace terrace::ldlt
