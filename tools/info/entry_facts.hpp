// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the entries on each side of the diagonal and the rows that would stop a solve.
#pragma once

#include "info/info_report.hpp"

namespace terrace::tools {

EntryFacts find_entry_facts(const MatrixMarketMatrix& matrix);

}  // namespace terrace::tools
