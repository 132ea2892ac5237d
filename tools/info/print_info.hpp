// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace info` on standard output.
#pragma once

#include "info/info_report.hpp"

namespace terrace::tools {

void print_info_text(const InfoReport& report);
void print_info_json(const InfoReport& report);

const char* to_string(MatrixMarketHeader::Field field);
const char* to_string(MatrixMarketHeader::Symmetry symmetry);

}  // namespace terrace::tools
