// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/show.hpp"

#include <cmath>
#include <cstdio>
#include <tuple>

#include "common/median.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

const std::vector<Table::Column> columns{{"", 17},     {"analysis", 8}, {"solve", 7},
                                         {"GB/s", 5},  {"levels", 9},   {"rows/level", 10},
                                         {"error", 7}, {"vs loop", 7},  {"vs KK", 6}};

constexpr double largest_ratio = 9999;  // on a loaded machine one may be anything, and is to fit in its column

std::string speedup(double reference_s, double solve_s) {
  const double ratio = reference_s / solve_s;
  if (ratio > largest_ratio) return ">9999x";
  return ratio > 0 ? fixed(ratio, ratio < 10 ? 2 : ratio < 1000 ? 1 : 0) + "x" : "-";
}

/// Prints rows of one contest against its two references.
class Printer {
 public:
  Printer(const Terminal& terminal, const std::string& title, double bytes, double rows, double loop_s)
      : table_(terminal, title, columns), bytes_(bytes), rows_(rows), loop_s_(loop_s) {}

  void set_kokkos_kernels(double solve_s) { kokkos_kernels_s_ = solve_s; }

  void print(const ContestRow& row, Emphasis emphasis) const {
    const bool has_levels = row.levels > 0;
    table_.print_row(
        {row.name, milliseconds(row.analysis_s), milliseconds(row.solve_s), fixed(bytes_ / row.solve_s * 1e-9, 1),
         has_levels ? grouped(row.levels) : "-",
         has_levels ? grouped(std::llround(rows_ / static_cast<double>(row.levels))) : "-",
         scientific(row.backward_error), speedup(loop_s_, row.solve_s), speedup(kokkos_kernels_s_, row.solve_s)},
        row.is_wrong() ? Emphasis::Alarm : emphasis);
  }

  void close() const { table_.close(); }

 private:
  Table table_;
  double bytes_;
  double rows_;
  double loop_s_;
  double kokkos_kernels_s_ = 0;
};

/// Of the label "algorithm: reason".
std::pair<std::string, std::string> algorithm_and_reason(const std::string& label) {
  const std::size_t colon = label.find(": ");
  return colon == std::string::npos ? std::pair<std::string, std::string>{label, ""}
                                    : std::pair{label.substr(0, colon), label.substr(colon + 2)};
}

}  // namespace

ContestRow measure_method(const perf::Entry& entry, perf::Problem& problem, std::int64_t levels) {
  perf::Measurement measured = measure_alone(entry, problem);
  ContestRow row{.name = entry.name,
                 .solve_s = common::median(measured.seconds[perf::Phase::Solve]),
                 .backward_error = measured.errors[perf::Phase::Solve],
                 .levels = levels};
  if (entry.has(perf::Phase::Analysis)) row.analysis_s = common::median(measured.seconds[perf::Phase::Analysis]);
  if (const auto known = measured.facts.counters.find("levels"); known != measured.facts.counters.end())
    row.levels = std::llround(known->second);
  std::tie(row.algorithm, row.reason) = algorithm_and_reason(measured.facts.label);
  return row;
}

template <class Number>
double bytes_of_solve(const TriangularSystem<Number>& system) {
  const HostMatrix<Number>& T = system.triangle;
  return static_cast<double>(T.entries.size() * (sizeof(Number) + sizeof(int)) + T.row_map.size() * sizeof(int) +
                             system.b.size() * 2 * sizeof(Number));
}
template double bytes_of_solve(const TriangularSystem<double>&);
template double bytes_of_solve(const TriangularSystem<std::complex<double>>&);

ContestResult run_contest(const Contest& contest, perf::Problem& problem, double bytes, int rows,
                          const ContestRow& loop, const LevelStatistics& levels, const Terminal& terminal) {
  ContestResult result;
  result.backend = contest.space;
  if (contest.concurrency > 1) result.backend += " with " + grouped(contest.concurrency) + " threads";
  Printer printer(terminal, result.backend + ", times in milliseconds", bytes, rows, loop.solve_s);
  for (const perf::Entry& entry : contest.entries) {
    const bool is_peer = &entry == &contest.entries.front(), is_last = &entry == &contest.entries.back();
    ContestRow row = measure_method(entry, problem, is_peer ? levels.levels : 0);
    if (is_peer) {
      printer.set_kokkos_kernels(row.solve_s);
      printer.print(loop, Emphasis::Faint);
    }
    printer.print(row, is_peer ? Emphasis::Faint : is_last ? Emphasis::Strong : Emphasis::None);
    if (is_peer) result.kokkos_kernels = std::move(row);
    else result.terrace.push_back(std::move(row));
  }
  printer.close();
  const ContestRow& automatic = result.terrace.back();
  std::printf("automatic took %s: %s\n", automatic.algorithm.c_str(), automatic.reason.c_str());
  return result;
}

}  // namespace terrace::tools
