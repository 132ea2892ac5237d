// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of terrace::CrsOperator.
#pragma once

#include <KokkosSparse_spmv.hpp>
#include <terrace/crs_operator.hpp>

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_type& x,
                                                        const output_type& y) const {
  KokkosSparse::spmv(space, "N", Scalar(1), matrix_, x, Scalar(0), y);
}

}  // namespace terrace
