// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/terminal.hpp"

#include <langinfo.h>
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "report/format.hpp"

namespace terrace::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds patience{2000};
constexpr std::chrono::milliseconds refresh{200};
constexpr const char* clear_line = "\r\033[K";

const char* escape_sequence(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::None: return "";
    case Emphasis::Faint: return "\033[2m";
    case Emphasis::Strong: return "\033[1;32m";
    case Emphasis::Alarm: return "\033[1;31m";
  }
  return "";
}

/// `text` in the color of the emphasis, where the terminal has colors.
std::string colored(const Terminal& terminal, const std::string& text, Emphasis emphasis) {
  if (!terminal.colors || emphasis == Emphasis::None) return text;
  return escape_sequence(emphasis) + text + "\033[0m";
}

}  // namespace

Terminal find_terminal() {
  std::setlocale(LC_CTYPE, "");
  return {.colors = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr,
          .unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8"};
}

struct ProgressLine::Drawing {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::string stage;
  double fraction = -1;
  Clock::time_point begin = Clock::now();
  std::jthread thread{[this](const std::stop_token& stop) { draw_until(stop); }};  // last: it uses the others

  void draw_until(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    bool drawn = false;
    auto next = begin + patience;
    while (!wake.wait_until(lock, stop, next, [&stop] { return stop.stop_requested(); })) {
      draw();
      drawn = true;
      next = Clock::now() + refresh;
    }
    if (drawn) std::fputs(clear_line, stderr);
  }

  void draw() const {
    char done[16] = "";
    if (fraction >= 0) std::snprintf(done, sizeof(done), " %.0f %%", fraction * 100);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
    const std::string line = clear_line + ("terrace: " + stage) + done + ", " + std::to_string(seconds) + " s";
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }
};

ProgressLine::ProgressLine() {
  if (isatty(STDERR_FILENO) != 0) drawing_ = std::make_unique<Drawing>();
}

ProgressLine::~ProgressLine() = default;

void ProgressLine::stage(const std::string& name) {
  if (!drawing_) return;
  const std::lock_guard lock(drawing_->mutex);
  drawing_->stage = name;
  drawing_->fraction = -1;
}

void ProgressLine::fraction(double done) {
  if (!drawing_) return;
  const std::lock_guard lock(drawing_->mutex);
  drawing_->fraction = done;
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
  const std::string name = colored(terminal_, pad_right(cells[0], columns_[0].width), emphasis);
  std::puts((border + " " + name + " " + border + " " + colored(terminal_, numbers, emphasis) + " " + border).c_str());
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
