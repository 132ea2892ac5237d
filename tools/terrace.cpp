// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command-line program: says what was asked for in three words, does it, and answers with an exit status.
#include <cstdio>
#include <exception>
#include <terrace/version.hpp>

#include "command_line/failure.hpp"
#include "command_line/request.hpp"
#include "device/kokkos_session.hpp"
#include "info/inspect.hpp"
#include "solve/solve.hpp"
#include "study/study.hpp"
#include "trisolve/trisolve.hpp"
#include "write/write.hpp"

namespace terrace::tools {
namespace {

int print_help(const Request& request) {
  std::fputs(request.help.c_str(), stdout);
  return success;
}

int print_version() {
  const KokkosSession session(0);
  std::printf("terrace %s\nKokkos %s\n", version, kokkos_version().c_str());
  for (const Backend& backend : backends()) {
    std::printf("backend %s, concurrency %d%s\n", backend.name.c_str(), backend.concurrency,
                backend.is_default ? ", default" : "");
  }
  return success;
}

/// Prints the report in the format that was asked for. What failed is repeated on standard error.
template <class Report>
int conclude(const Report& report, bool json, void (*print_json)(const Report&), void (*print_text)(const Report&)) {
  (json ? print_json : print_text)(report);
  if (report.failure.empty()) return success;
  complain(report.failure);
  return numerical_failure;
}

/// What `work` makes of the request; its progress line is gone when the report is printed.
template <class Work, class Input>
auto report_of(const Work& work, const Input& input) {
  ProgressLine progress;
  return work(input, progress);
}

int run_info(const Request& request) {
  const KokkosSession session(0);
  const InfoReport report = report_of(inspect, request.source.file);
  request.json ? print_info_json(report) : print_info_text(report);
  if (report.is_square) return success;
  complain(not_square_message(report.header, "a triangular solve"));
  return wrong_input;
}

int run_trisolve(const Request& request) {
  const KokkosSession session(request.threads);
  return conclude(report_of(trisolve, request), request.json, print_trisolve_json, print_trisolve_text);
}

int run_solve(const Request& request) {
  const KokkosSession session(request.threads);
  return conclude(report_of(solve, request), request.json, print_solve_json, print_solve_text);
}

int run_study(const Request& request) {
  const KokkosSession session(request.threads);
  return conclude(report_of(study, request), request.json, print_study_json, print_study_text);
}

int run_write(const Request& request) {
  const WriteReport report = report_of(write, request);
  request.json ? print_write_json(report) : print_write_text(report);
  return success;
}

int run(const Request& request) {
  switch (request.command) {
    case Command::Help: return print_help(request);
    case Command::Version: return print_version();
    case Command::Info: return run_info(request);
    case Command::Trisolve: return run_trisolve(request);
    case Command::Solve: return run_solve(request);
    case Command::Schwarz: return run_study(request);
    case Command::Write: return run_write(request);
  }
  return wrong_input;
}

}  // namespace
}  // namespace terrace::tools

int main(int argc, char** argv) {
  using namespace terrace::tools;
  try {
    return run(parse_arguments(argc, argv));
  } catch (const std::exception& error) {
    return report_failure(error, argc, argv);
  }
}
