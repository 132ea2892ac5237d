// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "report/format.hpp"
#include "report/json.hpp"
#include "write/write.hpp"

namespace terrace::tools {
namespace {

std::string describe(const WrittenFile& file) { return file.path + ", " + bytes(static_cast<std::size_t>(file.bytes)); }

Json file_json(const WrittenFile& file) { return {{"path", file.path}, {"bytes", file.bytes}}; }

}  // namespace

void print_write_text(const WriteReport& report) {
  print_line("problem", report.name + (report.wind ? ", wind " + fixed(*report.wind, 3) : ""));
  print_line("size", to_string(report.grid) + ", " + grouped(report.rows) + " unknowns, " + grouped(report.entries) +
                         " entries" + (report.is_symmetric ? ", the lower half of them in the file" : ""));
  print_line("matrix", describe(report.matrix));
  if (report.right_hand_side) print_line("right-hand side", describe(*report.right_hand_side));
}

void print_write_json(const WriteReport& report) {
  Json object = {{"problem", report.name},
                 {"grid", std::vector{report.grid.nx, report.grid.ny, report.grid.nz}},
                 {"wind", report.wind},
                 {"n", report.rows},
                 {"nnz", report.entries},
                 {"symmetric", report.is_symmetric},
                 {"matrix", file_json(report.matrix)},
                 {"rhs", report.right_hand_side ? file_json(*report.right_hand_side) : Json()},
                 {"version", version},
                 {"status", "ok"}};
  print_json(object);
}

}  // namespace terrace::tools
