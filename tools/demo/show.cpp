// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/show.hpp"

#include <algorithm>
#include <cstdio>
#include <terrace/version.hpp>

#include "demo/conclusion.hpp"
#include "demo/contest.hpp"
#include "demo/contest_table.hpp"
#include "demo/neighbours.hpp"
#include "demo/repeat.hpp"
#include "demo/serial_loop.hpp"
#include "support/backward_error.hpp"
#include "support/format.hpp"
#include "support/kokkos_session.hpp"
#include "support/level_picture.hpp"

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
  std::printf("%s unknowns, %s entries, %s levels of %s rows on average\n\n", grouped(system.triangle.rows).c_str(),
              grouped(static_cast<std::int64_t>(system.triangle.entries.size())).c_str(),
              grouped(levels.levels).c_str(), fixed(levels.mean, 0).c_str());
}

void warn_of_neighbours() {
  int threads = 1;
  for (const Backend& backend : backends()) {
    if (backend.is_host) threads = std::max(threads, backend.concurrency);
  }
  if (!cores_are_contested(threads)) return;
  std::puts("\nOther programs are using the cores now: solves with several threads will look slower than they are.");
}

template <class Number>
ContestRow time_serial_loop(const TriangularSystem<Number>& system) {
  std::vector<Number> x(system.b.size());
  ContestRow row{.name = "plain serial loop"};
  row.solve_s = median_seconds([&] { solve_by_serial_loop(system, x); });
  row.backward_error = backward_error(system, x);
  return row;
}

}  // namespace

template <class Number>
bool show(const DemoSystem& demo, const TriangularSystem<Number>& system, const Terminal& terminal) {
  const auto contests = make_contests(system);
  const std::vector<int> widths = contests.front()->level_widths();
  show_system(demo, system, level_statistics(widths));
  std::printf("Rows that can be solved at once, level by level:\n%s", level_picture(widths, terminal.unicode).c_str());
  warn_of_neighbours();
  const ContestRow loop = time_serial_loop(system);
  std::vector<ContestResult> results;
  results.reserve(contests.size());
  for (const auto& contest : contests) {
    results.push_back(run_contest(*contest, system, loop, level_statistics(widths), terminal));
  }
  std::puts("\nvs loop, vs KK: speed against the plain serial loop and against Kokkos Kernels on the same backend");
  std::puts("levels: of Terrace's tasks, which are groups of neighbouring rows; of rows for Kokkos Kernels");
  std::printf("\n%s\n", wrap(conclude(results, loop, level_statistics(widths)), 98).c_str());
  return all_solutions_are_right(results);
}

template bool show(const DemoSystem&, const TriangularSystem<double>&, const Terminal&);
template bool show(const DemoSystem&, const TriangularSystem<std::complex<double>>&, const Terminal&);

}  // namespace terrace::tools
