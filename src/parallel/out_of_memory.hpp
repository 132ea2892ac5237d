// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that has run out, as an Error that says how much was wanted and how much there is.
#pragma once

#include <cstddef>
#include <exception>
#include <string>

namespace terrace::parallel {

/// `what` is the label of an array; `free` a sentence about what there is.
[[noreturn]] void throw_out_of_memory(const std::string& what, std::size_t bytes, const std::string& free);

/// Whether the language or Kokkos, whose exception has no type of its own, says so.
bool is_out_of_memory(const std::exception& failure);

}  // namespace terrace::parallel
