// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/session.hpp"

namespace terrace::perf {

void Session::use(const MatrixEntry& matrix) {
  if (matrix_name_ == matrix.name) return;
  matrix_name_.clear();
  LowerTriangle L = matrix.make();
  facts_ = {L.n, L.nnz(), is_upper_ ? count_levels_of_transpose(L) : count_levels(L),
            static_cast<double>(L.nnz()) * (sizeof(Real) + sizeof(int)) + (L.n + 1.0) * sizeof(int), columns_};
  const auto system = space_.make_system(std::move(L), is_upper_, columns_);
  measurements_ = measure_in_turns(*system, methods_, space_.threads, repetitions_);
  matrix_name_ = matrix.name;
}

}  // namespace terrace::perf
