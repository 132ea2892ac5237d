// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the terminal can show, the line on it that says what a long run is doing, and a table on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace terrace::tools {

/// Colors: standard output is a terminal, and the user has not set NO_COLOR.
/// Unicode: the user's locale is UTF-8.
struct Terminal {
  bool colors = false;
  bool unicode = false;
};

Terminal find_terminal();

/// Appears when standard error is a terminal and two seconds have passed since it was made; goes away
/// with the object. Its own thread draws it, so that a call which reports nothing is seen to be alive.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();

  /// What is being done now, such as "reading".
  void stage(const std::string& name);

  /// How much of the stage is done, 0 to 1.
  void fraction(double done);

 private:
  struct Drawing;
  std::unique_ptr<Drawing> drawing_;  ///< none when standard error is no terminal
};

enum class Emphasis { None, Faint, Strong, Alarm };

/// A table on standard output whose rows appear as they become known.
class Table {
 public:
  /// The first column is text, the others are numbers and stand at the right.
  struct Column {
    std::string name;
    std::size_t width;
  };

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

}  // namespace terrace::tools
