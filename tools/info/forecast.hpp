// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a direct factorization of a matrix would cost in each order, before anything of it is made.
#pragma once

#include <string>
#include <terrace/ldlt_info.hpp>
#include <vector>

#include "report/terminal.hpp"

namespace terrace::tools {

struct OrderForecast {
  Ordering ordering = Ordering::Natural;
  LdltSymbolicInfo info;
  std::string failure;        ///< empty, or why there is no such order: a library that this build does without
  bool is_automatic = false;  ///< what Ordering::Automatic chooses
};

/// Natural, reverse Cuthill-McKee, nested dissection, minimum degree. The pattern holds both triangles, in compressed
/// rows. Needs a Kokkos session. \throws Error
std::vector<OrderForecast> forecast_orders(const std::vector<std::size_t>& row_map, const std::vector<int>& entries,
                                           ProgressLine& progress);

}  // namespace terrace::tools
