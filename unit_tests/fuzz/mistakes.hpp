// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are no matrix, and the code of the Error that they must lead to.
#pragma once

#include <optional>
#include <terrace/error.hpp>

#include "fuzz/matrix.hpp"

namespace terrace::fuzz {

/// Breaks the arrays, or leaves them as they are. `checked`: mistakes that are looked for in every entry may be made.
std::optional<ErrorCode> make_mistake(Draw& draw, bool checked, Arrays& arrays);

}  // namespace terrace::fuzz
