// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cctype>
#include <cstdio>
#include <sstream>

#include "demo/show.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

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
  if (winner.row == &winner.result->terrace.back())
    name = std::string(to_string(winner.row->facts.algorithm)) + ", chosen automatically,";
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name + " on " + winner.result->backend;
}

bool complain_if_wrong(const ContestResult& result, const ContestRow& row) {
  if (!row.is_wrong()) return false;
  std::fprintf(stderr, "terrace_demo: the backward error of %s on %s is %s; at most %s is right\n", row.name.c_str(),
               result.backend.c_str(), scientific(row.backward_error).c_str(), scientific(max_backward_error).c_str());
  return true;
}

}  // namespace

std::string conclude(const std::vector<ContestResult>& results, const ContestRow& loop, const LevelStatistics& levels) {
  const Winner winner = find_winner(results);
  const ContestResult& standard = results.back();  // Kokkos's default space is the last
  const TriangularInfo& automatic = standard.terrace.back().facts;
  std::ostringstream text;
  text << name_of_winner(winner) << " was fastest, " << times_the_speed(loop.solve_s / winner.row->solve_s)
       << " the serial loop and " << times_the_speed(winner.result->kokkos_kernels.solve_s / winner.row->solve_s)
       << " Kokkos Kernels; the triangle has " << grouped(levels.levels) << " levels, and left to itself on "
       << standard.backend << " Terrace took " << to_string(automatic.algorithm) << ", because " << automatic.reason
       << ".";
  return text.str();
}

bool all_solutions_are_right(const std::vector<ContestResult>& results) {
  int wrong = 0;
  for (const ContestResult& result : results) {
    for (const ContestRow& row : result.terrace) wrong += complain_if_wrong(result, row);
  }
  return wrong == 0;
}

}  // namespace terrace::tools
