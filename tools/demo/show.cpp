// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the demo shows: the system, the picture, one table per execution space, and what it all meant.
#include <algorithm>
#include <built_names.hpp>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <terrace/version.hpp>
#include <thread>

#include "demo/show.hpp"
#include "device/kokkos_session.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

std::string list_backends() {
  std::string text;
  for (const Backend& backend : backends()) {
    text += (text.empty() ? "" : ", ") + backend.name;
    if (backend.concurrency > 1) text += " (" + grouped(backend.concurrency) + " threads)";
  }
  return text;
}

template <class Number>
void show_system(const DemoSystem& demo, const TriangularSystem<Number>& system, const LevelStatistics& levels) {
  std::printf("Terrace %s on Kokkos %s: %s\n\n", version, kokkos_version().c_str(), list_backends().c_str());
  std::printf("%s: the lower triangle, %s\n", demo.title.c_str(),
              system.diag == Diag::Unit ? "with ones on its diagonal" : "with its diagonal");
  if (!demo.remark.empty()) std::printf("%s\n", demo.remark.c_str());
  std::printf("%s unknowns, %s entries, %s levels of %s rows on average\n\n", grouped(system.triangle.n).c_str(),
              grouped(static_cast<std::int64_t>(system.triangle.entries.size())).c_str(),
              grouped(levels.levels).c_str(), fixed(levels.mean, 0).c_str());
}

/// Linux counts the threads that run at this moment in the fourth word of /proc/loadavg, ours included.
int running_elsewhere() {
  std::ifstream file("/proc/loadavg");
  double averages[3];
  int running = 1;
  file >> averages[0] >> averages[1] >> averages[2] >> running;
  return file ? running - 1 : 0;
}

/// Whether the threads that others are running now and ours are more than there are cores. False as well where the
/// system does not tell.
bool cores_are_contested(int own_threads) {
  int least = running_elsewhere();  // of a few looks, so that a passing wave of work does not count
  for (int look = 0; look < 4; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    least = std::min(least, running_elsewhere());
  }
  return least + own_threads > static_cast<int>(std::thread::hardware_concurrency());
}

void warn_of_busy_cores() {
  int threads = 1;
  for (const Backend& backend : backends()) {
    if (backend.is_host) threads = std::max(threads, backend.concurrency);
  }
  if (!cores_are_contested(threads)) return;
  std::puts("\nOther programs are using the cores now: solves with several threads will look slower than they are.");
}

struct Winner {
  const ContestResult* result = nullptr;
  const ContestRow* row = nullptr;

  void challenge(const ContestResult& challenger, const ContestRow& its_row) {
    if (row == nullptr || its_row.solve_s < row->solve_s) *this = {&challenger, &its_row};
  }
};

/// The fastest of Terrace's rows on any space.
Winner find_winner(const std::vector<ContestResult>& results) {
  Winner winner;
  for (const ContestResult& result : results) {
    for (const ContestRow& row : result.terrace) winner.challenge(result, row);
  }
  return winner;
}

std::string times_the_speed(double ratio) {
  if (ratio > 0.95 && ratio < 1.05) return "as fast as";
  return fixed(ratio, ratio < 10 ? 1 : 0) + " times the speed of";
}

std::string name_of_winner(const Winner& winner) {
  std::string name = winner.row->name;
  if (winner.row == &winner.result->terrace.back()) name = winner.row->algorithm + ", chosen automatically,";
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name + " on " + winner.result->backend;
}

bool complain_if_wrong(const ContestResult& result, const ContestRow& row) {
  if (!row.is_wrong()) return false;
  std::fprintf(stderr, "terrace_demo: the backward error of %s on %s is %s; at most %s is right\n", row.name.c_str(),
               result.backend.c_str(), scientific(row.backward_error).c_str(), scientific(max_backward_error).c_str());
  return true;
}

/// One sentence: the fastest algorithm, the levels, what Automatic chose and why.
std::string conclude(const std::vector<ContestResult>& results, const ContestRow& loop, const LevelStatistics& levels) {
  const Winner winner = find_winner(results);
  const ContestResult& standard = results.back();  // Kokkos's default space is the last
  const ContestRow& automatic = standard.terrace.back();
  std::ostringstream text;
  text << name_of_winner(winner) << " was fastest, " << times_the_speed(loop.solve_s / winner.row->solve_s)
       << " the serial loop and " << times_the_speed(winner.result->kokkos_kernels.solve_s / winner.row->solve_s)
       << " Kokkos Kernels; the triangle has " << grouped(levels.levels) << " levels, and left to itself on "
       << standard.backend << " Terrace took " << automatic.algorithm << ", because " << automatic.reason << ".";
  return text.str();
}

/// Names on standard error each solution whose backward error is too large. Returns whether there was none.
bool all_solutions_are_right(const std::vector<ContestResult>& results) {
  int wrong = 0;
  for (const ContestResult& result : results) {
    for (const ContestRow& row : result.terrace) wrong += complain_if_wrong(result, row);
  }
  return wrong == 0;
}

template <class Number>
std::vector<Contest> make_contests(const TriangularSystem<Number>& system) {
  constexpr std::string_view precision = std::is_same_v<Number, double> ? "double" : "complex-double";
  if constexpr (std::find(built_precisions.begin(), built_precisions.end(), precision) != built_precisions.end())
    return Contests<Number>::make(system);
  else throw Error(ErrorCode::InvalidOption, "this build has no solver for " + std::string(precision));
}

}  // namespace

template <class Number>
bool show(const DemoSystem& demo, const TriangularSystem<Number>& system, const Terminal& terminal) {
  const HostMatrix<Number>& T = system.triangle;
  const std::vector<int> widths = find_level_widths(T.row_map, T.entries, Uplo::Lower);
  const LevelStatistics levels = level_statistics(widths);
  const auto contests = make_contests(system);
  show_system(demo, system, levels);
  std::printf("Rows that can be solved at once, level by level:\n%s", level_picture(widths, terminal.unicode).c_str());
  warn_of_busy_cores();
  DemoProblem<Number> problem(system);
  const ContestRow loop = measure_method(serial_loop<Number>(), problem, 0);
  std::vector<ContestResult> results;
  results.reserve(contests.size());
  for (const Contest& contest : contests)
    results.push_back(run_contest(contest, problem, bytes_of_solve(system), T.n, loop, levels, terminal));
  std::puts("\nvs loop, vs KK: speed against the plain serial loop and against Kokkos Kernels on the same backend");
  std::puts("levels: of Terrace's tasks, which are groups of neighbouring rows; of rows for Kokkos Kernels");
  std::printf("\n%s\n", wrap(conclude(results, loop, levels), 98).c_str());
  return all_solutions_are_right(results);
}

template bool show(const DemoSystem&, const TriangularSystem<double>&, const Terminal&);
template bool show(const DemoSystem&, const TriangularSystem<std::complex<double>>&, const Terminal&);

}  // namespace terrace::tools
