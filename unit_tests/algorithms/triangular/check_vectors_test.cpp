// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/triangular/check_vectors.hpp"

#include <gtest/gtest.h>

namespace terrace::triangular {
namespace {

TEST(CheckVectors, RejectsMoreColumnsThanKernelsCount) {
  check_vectors(1, 1, 70000, 1, 70000);
  for (const std::size_t columns : {(std::size_t(1) << 31) - 1, (std::size_t(1) << 32) + 1}) {
    try {
      check_vectors(1, 1, columns, 1, columns);
      ADD_FAILURE() << columns << " columns";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::SizeMismatch);
    }
  }
}

}  // namespace
}  // namespace terrace::triangular
