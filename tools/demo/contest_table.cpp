// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/contest_table.hpp"

#include <cmath>
#include <cstdio>

#include "demo/table.hpp"
#include "support/backward_error.hpp"
#include "support/format.hpp"

namespace terrace::tools {
namespace {

const std::vector<Column> columns{{"", 17},           {"analysis", 8}, {"solve", 7},   {"GB/s", 5}, {"levels", 9},
                                  {"rows/level", 10}, {"error", 7},    {"vs loop", 7}, {"vs KK", 6}};

/// The bytes that a solve cannot avoid: the triangle and b read once, x written once.
template <class Number>
double bytes_of_solve(const TriangularSystem<Number>& system) {
  const HostTriangle<Number>& T = system.triangle;
  return static_cast<double>(T.entries.size() * (sizeof(Number) + sizeof(int)) + T.row_map.size() * sizeof(int) +
                             system.b.size() * 2 * sizeof(Number));
}

template <class Number>
ContestRow make_row(const std::string& name, const Trial<Number>& trial, std::int64_t levels,
                    const TriangularSystem<Number>& system) {
  return {.name = name,
          .analysis_s = trial.analysis_s,
          .solve_s = trial.solve_s,
          .backward_error = backward_error(system, trial.x),
          .levels = levels};
}

std::string speedup(double reference_s, double solve_s) {
  const double ratio = reference_s / solve_s;
  return ratio > 0 ? fixed(ratio, ratio < 10 ? 2 : 1) + "x" : "-";
}

std::string describe_backend(const std::string& space, int concurrency) {
  return concurrency > 1 ? space + " with " + grouped(concurrency) + " threads" : space;
}

/// Prints rows of one contest against its two references.
class Printer {
 public:
  Printer(const Terminal& terminal, const std::string& title, double bytes, double rows, double loop_s)
      : table_(terminal, title, columns), bytes_(bytes), rows_(rows), loop_s_(loop_s) {}

  void set_kokkos_kernels(double solve_s) { kokkos_kernels_s_ = solve_s; }

  void print(const ContestRow& row, Emphasis emphasis = Emphasis::None) const {
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
ContestResult run_contest(const Contest<Number>& contest, const TriangularSystem<Number>& system,
                          const ContestRow& loop, const LevelStatistics& levels, const Terminal& terminal) {
  ContestResult result;
  result.backend = describe_backend(contest.space(), contest.concurrency());
  Printer printer(terminal, result.backend + ", times in milliseconds", bytes_of_solve(system), system.triangle.rows,
                  loop.solve_s);
  result.kokkos_kernels = make_row("Kokkos Kernels", contest.try_kokkos_kernels(), levels.levels, system);
  printer.set_kokkos_kernels(result.kokkos_kernels.solve_s);
  printer.print(loop, Emphasis::Faint);
  printer.print(result.kokkos_kernels, Emphasis::Faint);
  for (const Algorithm algorithm :
       {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns}) {
    const Trial<Number> trial = contest.try_terrace(algorithm);
    result.terrace.push_back(make_row(to_string(algorithm), trial, trial.info.task_levels, system));
    printer.print(result.terrace.back());
  }
  const Trial<Number> trial = contest.try_terrace(Algorithm::Automatic);
  result.automatic = make_row(to_string(Algorithm::Automatic), trial, trial.info.task_levels, system);
  result.chosen = trial.info.algorithm;
  result.reason = trial.info.reason;
  printer.print(result.automatic, Emphasis::Strong);
  printer.close();
  std::printf("automatic took %s: %s\n", to_string(result.chosen), result.reason.c_str());
  return result;
}

template ContestResult run_contest(const Contest<double>&, const TriangularSystem<double>&, const ContestRow&,
                                   const LevelStatistics&, const Terminal&);
template ContestResult run_contest(const Contest<std::complex<double>>&, const TriangularSystem<std::complex<double>>&,
                                   const ContestRow&, const LevelStatistics&, const Terminal&);

}  // namespace terrace::tools
