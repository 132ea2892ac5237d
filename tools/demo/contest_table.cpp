// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/show.hpp"

#include <cmath>
#include <cstdio>

#include "report/format.hpp"

namespace terrace::tools {
namespace {

const std::vector<Table::Column> columns{{"", 17},     {"analysis", 8}, {"solve", 7},
                                         {"GB/s", 5},  {"levels", 9},   {"rows/level", 10},
                                         {"error", 7}, {"vs loop", 7},  {"vs KK", 6}};

/// The bytes that a solve cannot avoid: the triangle and b read once, x written once.
template <class Number>
double bytes_of_solve(const TriangularSystem<Number>& system) {
  const HostMatrix<Number>& T = system.triangle;
  return static_cast<double>(T.entries.size() * (sizeof(Number) + sizeof(int)) + T.row_map.size() * sizeof(int) +
                             system.b.size() * 2 * sizeof(Number));
}

/// levels: of what the method itself does not know them of.
template <class Number>
ContestRow measure_method(Method<Number>& method, const TriangularSystem<Number>& system, std::int64_t levels) {
  const Times times = time_method(method);
  const TriangularInfo facts = method.facts();
  return {.name = method.name(),
          .analysis_s = times.prepare_s,
          .solve_s = times.run_s,
          .backward_error = backward_error(system, method.result()),
          .levels = facts.rows > 0 ? facts.task_levels : levels,
          .facts = facts};
}

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

}  // namespace

template <class Number>
ContestRow measure_serial_loop(const TriangularSystem<Number>& system) {
  SerialLoop<Number> loop(system);
  ContestRow row = measure_method(loop, system, 0);
  row.analysis_s = std::nan("");
  return row;
}

template <class Number>
ContestResult run_contest(Contest<Number>& contest, const TriangularSystem<Number>& system, const ContestRow& loop,
                          const LevelStatistics& levels, const Terminal& terminal) {
  ContestResult result;
  result.backend = contest.space;
  if (contest.concurrency > 1) result.backend += " with " + grouped(contest.concurrency) + " threads";
  Printer printer(terminal, result.backend + ", times in milliseconds", bytes_of_solve(system), system.triangle.n,
                  loop.solve_s);
  for (auto& method : contest.methods) {
    const bool is_peer = &method == &contest.methods.front(), is_last = &method == &contest.methods.back();
    ContestRow row = measure_method(*method, system, is_peer ? levels.levels : 0);
    method.reset();  // its memory
    if (is_peer) {
      printer.set_kokkos_kernels(row.solve_s);
      printer.print(loop, Emphasis::Faint);
    }
    printer.print(row, is_peer ? Emphasis::Faint : is_last ? Emphasis::Strong : Emphasis::None);
    if (is_peer) result.kokkos_kernels = std::move(row);
    else result.terrace.push_back(std::move(row));
  }
  printer.close();
  const TriangularInfo& automatic = result.terrace.back().facts;
  std::printf("automatic took %s: %s\n", to_string(automatic.algorithm), automatic.reason.c_str());
  return result;
}

using Complex = std::complex<double>;
template ContestRow measure_serial_loop(const TriangularSystem<double>&);
template ContestRow measure_serial_loop(const TriangularSystem<Complex>&);
template ContestResult run_contest(Contest<double>&, const TriangularSystem<double>&, const ContestRow&,
                                   const LevelStatistics&, const Terminal&);
template ContestResult run_contest(Contest<Complex>&, const TriangularSystem<Complex>&, const ContestRow&,
                                   const LevelStatistics&, const Terminal&);

}  // namespace terrace::tools
