// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/table.hpp"

#include <cstdio>

#include "support/format.hpp"

namespace terrace::tools {
namespace {

const char* escape_sequence(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::None: return "";
    case Emphasis::Faint: return "\033[2m";
    case Emphasis::Strong: return "\033[1;32m";
    case Emphasis::Alarm: return "\033[1;31m";
  }
  return "";
}

}  // namespace

std::string coloured(const Terminal& terminal, const std::string& text, Emphasis emphasis) {
  if (!terminal.colours || emphasis == Emphasis::None) return text;
  return escape_sequence(emphasis) + text + "\033[0m";
}

Table::Table(const Terminal& terminal, const std::string& title, std::vector<Column> columns)
    : terminal_(terminal), columns_(std::move(columns)) {
  std::printf("\n%s\n", title.c_str());
  print_rule("┌", "┬", "┐");
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  print_row(names);
  print_rule("├", "┼", "┤");
}

void Table::print_row(const std::vector<std::string>& cells, Emphasis emphasis) const {
  const std::string border = terminal_.unicode ? "│" : "|";
  std::string numbers;
  for (std::size_t k = 1; k < columns_.size(); ++k) {
    numbers += (k > 1 ? "  " : "") + pad_left(cells[k], columns_[k].width);
  }
  const std::string name = coloured(terminal_, pad_right(cells[0], columns_[0].width), emphasis);
  std::puts((border + " " + name + " " + border + " " + coloured(terminal_, numbers, emphasis) + " " + border).c_str());
  std::fflush(stdout);
}

void Table::close() const { print_rule("└", "┴", "┘"); }

void Table::print_rule(const char* left, const char* middle, const char* right) const {
  std::size_t numbers = 0;
  for (std::size_t k = 1; k < columns_.size(); ++k) numbers += columns_[k].width + 2;
  const auto line = [this](std::size_t length) {
    std::string text;
    for (std::size_t place = 0; place < length; ++place) text += terminal_.unicode ? "─" : "-";
    return text;
  };
  const auto corner = [this](const char* sign) { return terminal_.unicode ? sign : "+"; };
  std::puts((corner(left) + line(columns_[0].width + 2) + corner(middle) + line(numbers) + corner(right)).c_str());
}

}  // namespace terrace::tools
