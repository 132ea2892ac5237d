// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An order of elimination that the caller gives.
#pragma once

#include <cstdint>
#include <terrace/ordering.hpp>
#include <vector>

namespace terrace::ordering {

/// \throws Error InvalidOption unless `permutation` is empty, or the ordering is Given and each of the rows 0 to
///         rows - 1 stands in it once. The message names the first place that is wrong.
void check_given_order(Ordering ordering, const std::vector<int>& permutation, std::int64_t rows);

}  // namespace terrace::ordering
