// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `terrace write`.
#include "command_line/arguments.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {

void add_write_command(Arguments& program, Request& request) {
  Arguments command =
      program.add_command("write", "Write a problem on a grid as Matrix Market files, for other programs", [&request] {
        request.command = Command::Write;
        check_grid_source(request.source, "write");
      });
  command.set_footer(
      "Examples: terrace write poisson.mtx --grid 64,64,64\n"
      "          terrace write reservoir.mtx.gz --rhs b.mtx.gz --problem reservoir");
  command.add_file(request.write.matrix, "MATRIX", true, "file to write; gzipped when its name ends in .gz");
  add_grid_options(command, request.source);
  command.add_word(
      "--rhs", "FILE", [&request](const std::string& file) { request.write.right_hand_side = file; },
      "write the right-hand side too");
  command.add_flag("--json", request.json, "print one JSON object");
}

}  // namespace terrace::tools
