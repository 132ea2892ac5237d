// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/session.hpp"

#include "harness/backward_error.hpp"

namespace terrace::perf {

void Session::use(const MatrixEntry& matrix) {
  if (system_ && matrix_name_ == matrix.name) return;
  release();
  LowerTriangle L = matrix.make();
  levels_ = count_levels(L);
  tolerated_error_ = tolerated_backward_error(L);
  system_ = space_.make_system(std::move(L));
  matrix_name_ = matrix.name;
}

TriangularMethod& Session::start(const MethodEntry& method) {
  method_.reset();
  method_is_analyzed_ = false;
  method_name_ = method.name;
  method_ = method.make(space_.threads);
  return *method_;
}

TriangularMethod& Session::analyzed(const MethodEntry& method) {
  if (method_ && method_is_analyzed_ && method_name_ == method.name) return *method_;
  start(method).analyze(system_->views(method.place, method.input).matrix);
  mark_analyzed();
  return *method_;
}

double Session::matrix_bytes() const {
  const LowerTriangle& L = system_->matrix();
  return static_cast<double>(L.nnz()) * (sizeof(double) + sizeof(int)) + (L.n + 1.0) * sizeof(int);
}

void Session::release() {
  method_.reset();
  method_is_analyzed_ = false;
  system_.reset();
}

}  // namespace terrace::perf
