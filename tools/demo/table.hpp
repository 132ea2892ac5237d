// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table on standard output whose rows appear as they become known.
#pragma once

#include <string>
#include <vector>

#include "support/terminal.hpp"

namespace terrace::tools {

/// The first column is text, the others are numbers and stand at the right.
struct Column {
  std::string name;
  std::size_t width;
};

enum class Emphasis { None, Faint, Strong, Alarm };

class Table {
 public:
  /// Prints the title and the names of the columns.
  Table(const Terminal& terminal, const std::string& title, std::vector<Column> columns);

  void print_row(const std::vector<std::string>& cells, Emphasis emphasis = Emphasis::None) const;

  /// The line under the last row.
  void close() const;

 private:
  void print_rule(const char* left, const char* middle, const char* right) const;

  Terminal terminal_;
  std::vector<Column> columns_;
};

/// `text` in the colour of the emphasis, where the terminal has colours.
std::string coloured(const Terminal& terminal, const std::string& text, Emphasis emphasis);

}  // namespace terrace::tools
