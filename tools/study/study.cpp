// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "study/study.hpp"

#include <cmath>

#include "command_line/failure.hpp"
#include "report/block_picture.hpp"

namespace terrace::tools {
namespace {

constexpr int usual_blocks[] = {1, 8, 64, 512, 2048};
constexpr int least_rows_of_a_block = 100;

std::vector<int> numbers_of_blocks(const Request& request, std::int64_t rows) {
  if (request.solve.schwarz.partition->method != PartitionMethod::Metis) return {0};
  if (!request.study.blocks.empty()) return request.study.blocks;
  std::vector<int> numbers;
  for (const int blocks : usual_blocks)
    if (blocks == 1 || rows / blocks >= least_rows_of_a_block) numbers.push_back(blocks);
  return numbers;
}

/// Those of the same number of blocks follow each other, and share a partition.
std::vector<SchwarzShape> combinations(const Request& request, std::int64_t rows) {
  std::vector<SchwarzShape> shapes;
  for (const int blocks : numbers_of_blocks(request, rows))
    for (const int overlap : request.study.overlaps) shapes.push_back({blocks, overlap});
  return shapes;
}

/// The places of the rows with the best combination are kept for the picture.
template <class Number>
class Study {
 public:
  Study(StudyReport& report, const LinearSystem<Number>& system) : report_(report), system_(system) {}

  void take(const SchwarzShape& shape, const std::function<Run<Number>()>& make_run) {
    SolveReport row = report_.system;
    row.request.solve.preconditioner->word = word_of(shape);
    row.request.solve.preconditioner->schwarz = shape;
    Run<Number> run;
    try {
      run = make_run();
      judge(row, system_, run);
    } catch (const Error& error) {  // another overlap may grow less
      if (error.code() != ErrorCode::OutOfMemory) throw;
      row.failure = with_flag_names(error.what());
    }
    report_.rows.push_back(std::move(row));
    compare_last(run.map);
  }

 private:
  void compare_last(SchwarzMap& map) {
    const std::size_t last = report_.rows.size() - 1;
    if (!report_.rows[last].failure.empty()) return;
    const auto solve_seconds = [](const RunFacts& facts) { return facts.seconds("solve"); };
    if (is_less(last, report_.fastest, solve_seconds)) report_.fastest = last;
    if (!is_less(last, report_.best, total_seconds)) return;
    report_.best = last;
    report_.map = std::move(map);
  }

  template <class Seconds>
  bool is_less(std::size_t place, const std::optional<std::size_t>& other, const Seconds& seconds) const {
    return !other || seconds(report_.rows[place].run) < seconds(report_.rows[*other].run);
  }

  StudyReport& report_;
  const LinearSystem<Number>& system_;
};

template <class Number>
void run_all(StudyReport& report, SourceMatrix&& matrix, ProgressLine& progress) {
  progress.stage("making the system");
  const auto system = settle_system<Number>(report.system, std::move(matrix));
  Study<Number> study(report, system);
  run_schwarz<Number>(report.system.request, system, combinations(report.system.request, report.system.rows), progress,
                      [&study](const SchwarzShape& shape, const auto& make_run) { study.take(shape, make_run); });
}

void draw(const StudyReport& report) {
  const Request& request = report.system.request;
  if (request.study.picture.empty() || !report.best) return;
  const Grid& grid = *report.system.grid;
  write_block_picture(request.study.picture, grid, report.map.block_of_row, report.map.copies_of_row,
                      request.solve.slice.value_or(grid.nz / 2));
}

}  // namespace

double set_up_seconds(const RunFacts& run) { return run.seconds("subdomains") + run.seconds("factorization"); }

double total_seconds(const RunFacts& run) {
  return run.seconds("partition") + set_up_seconds(run) + run.seconds("solve");
}

std::optional<int> steps_of(const RunFacts& run) {
  if (run.krylov.empty()) return std::nullopt;
  int most = 0;
  for (const KrylovResult& column : run.krylov) most = std::max(most, column.iterations);
  return most;
}

double seconds_a_step(const RunFacts& run) {
  const int steps = steps_of(run).value_or(0);
  return steps > 0 ? run.seconds("solve") / steps : std::nan("");
}

std::optional<int> cycles_of(const SolveReport& report) {
  const Solver& solver = *report.request.solve.solver;
  const bool restarts = solver.method == KrylovMethod::Gmres || solver.method == KrylovMethod::FlexibleGmres;
  const auto steps = steps_of(report.run);
  if (!restarts || !steps) return std::nullopt;
  return (*steps + solver.restart - 1) / solver.restart;
}

StudyReport study(const Request& request, ProgressLine& progress) {
  StudyReport report;
  report.system.request = request;
  SourceMatrix matrix = read_source(request.source, progress);
  settle(report.system, matrix);
  if (is_complex(report.system.request.precision)) run_all<std::complex<double>>(report, std::move(matrix), progress);
  else run_all<double>(report, std::move(matrix), progress);
  draw(report);
  if (!report.best && !report.rows.empty())
    report.failure = "no combination has a solution; " + report.rows.front().request.solve.preconditioner->word + ": " +
                     report.rows.front().failure;
  return report;
}

}  // namespace terrace::tools
