// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grids/cases.hpp"

#include "harness/suite.hpp"

namespace terrace::perf {
namespace {

std::vector<GridShape> operation_shapes(Size size) {
  if (size == Size::Toy) return {{40, 30, 1}, {12, 13, 14}};
  return {{1024, 1024, 1}, {2048, 2048, 1}, {120, 120, 120}, {148, 148, 58}, {256, 256, 256}};
}

std::vector<GridShape> solve_shapes(Size size, bool is_host) {
  if (size == Size::Toy) return {{32, 32, 1}, {8, 8, 8}};
  std::vector<GridShape> shapes{{128, 128, 1},   {256, 256, 1}, {512, 512, 1}, {1024, 1024, 1},
                                {2048, 2048, 1}, {32, 32, 32},  {64, 64, 64},  {128, 128, 128}};
  if (!is_host) shapes.insert(shapes.end(), {{256, 256, 256}, {512, 512, 512}});
  return shapes;
}

std::string name_of(const GridShape& shape) {
  return std::to_string(shape.nx) + "x" + std::to_string(shape.ny) +
         (shape.nz > 1 ? "x" + std::to_string(shape.nz) : "");
}

/// A sample takes 2 ms at least, since a device is waited for once in it.
std::vector<Timing> operations(int repetitions) {
  const auto operation = [=](Phase phase, const char* name) {
    return Timing{.phase = phase, .name = name, .repetitions = repetitions, .least_seconds = 2e-3};
  };
  std::vector<Timing> all{operation(Phase::Numeric, "factorize"), operation(Phase::Apply, "apply"),
                          operation(Phase::ApplyEight, "apply_eight"), operation(Phase::Multiply, "multiply"),
                          operation(Phase::ConjugateGradients, "iterate")};
  all.back().steps = 50;
  all.back().checked_steps = checked_steps;
  return all;
}

}  // namespace

const Suite suite{};

std::vector<Case> grid_cases(const Flags& flags, const std::string& space, bool is_host, std::vector<Entry> methods,
                             const std::vector<Entry>& solvers) {
  require_choices("--algorithms", flags.algorithms, names_of(methods));
  std::erase_if(methods, [&](const Entry& entry) { return !is_chosen(entry.name, flags.algorithms); });
  std::vector<Case> cases;
  const auto add = [&](const GridShape& shape, const std::vector<Timing>& phases, const std::vector<Entry>& entries,
                       GridProblem::Storage storage) {
    cases.push_back({"structured_grid/" + space + "/" + name_of(shape), phases, entries,
                     [=] { return std::make_unique<GridProblem>(shape, storage); }});
  };
  for (const GridShape& shape : operation_shapes(flags.size))
    add(shape, operations(flags.repetitions), methods, GridProblem::Storage::DiagonalsAndRows);
  const std::vector<Timing> solve{
      {.phase = Phase::Solve, .name = "solve", .repetitions = 1, .is_warmed_up = false, .error_name = "true_residual"}};
  for (const GridShape& shape : solve_shapes(flags.size, is_host))
    add(shape, solve, solvers, GridProblem::Storage::Diagonals);
  return cases;
}

}  // namespace terrace::perf
