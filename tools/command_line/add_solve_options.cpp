// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/add_solve_options.hpp"

#include <built_names.hpp>
#include <cmath>

#include "command_line/add_options.hpp"

namespace terrace::tools {
namespace {

/// A real number in [least, most].
void add_real(CLI::App& app, const std::string& flag, double& target, double least, double most,
              const std::string& description) {
  app.add_option(flag, target, description)
      ->check(CLI::Range(least, most).description(""))
      ->type_name("X")
      ->capture_default_str();
}

/// An option whose word `set` understands, or says why not.
template <class Set>
void add_word(CLI::App& app, const std::string& flag, SolveOptions& options, const std::string& names,
              const std::string& start, const Set& set, const std::string& description) {
  set(options, start);
  const auto check = [set](const std::string& word) {
    SolveOptions trial;
    return set(trial, word);
  };
  app.add_option_function<std::string>(
         flag, [set, &options](const std::string& word) { set(options, word); }, description)
      ->check(CLI::Validator(check, ""))
      ->type_name(names)
      ->default_str(start);
}

}  // namespace

void add_solve_options(CLI::App& app, Request& request) {
  SolveOptions& options = request.solve;
  app.add_option("--rhs", options.right_hand_side,
                 "Matrix Market file, of several columns for cg and bicgstab; default: from a random solution")
      ->type_name("FILE");
  add_word(app, "--precond", options, "none|ilu0|ic0|milu|mic|iluk:K|ick:K|ilut:P,TAU|ict:P,TAU", "ilu0",
           set_preconditioner, "incomplete factorization");
  add_word(app, "--solver", options, "cg|bicgstab|gmres:M|fgmres:M", "gmres:30", set_solver, "Krylov method");
  add_real(app, "--tolerance", options.krylov.tolerance, 0.0, 1.0, "of the residual, relative to the right-hand side");
  add_number(app, "--max-iterations", options.krylov.max_iterations, at_least(0), "at most so many");
  add_number(app, "--check-every", options.krylov.check_every, at_least(1), "iterations between looks at the residual");
  add_choice(app, "--side", options.krylov.side, std::array{PreconditionerSide::Left, PreconditionerSide::Right},
             "of the preconditioner, for bicgstab and gmres");
  app.add_option("--relaxation", request.relaxation,
                 "share of the dropped fill that goes to the diagonal; milu, mic: 1")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("X");
  add_choice(app, "--pivots", options.factor.pivots.policy,
             std::array{PivotPolicy::Report, PivotPolicy::Replace, PivotPolicy::Shift}, "what to do about bad ones");
  add_choice(
      app, "--ordering", options.pattern.ordering,
      std::array{Ordering::Natural, Ordering::ReverseCuthillMckee, Ordering::NestedDissection, Ordering::Multicolour},
      "in which the unknowns are eliminated");
  add_choice(app, "--scaling", options.factor.scaling, std::array{Scaling::None, Scaling::Diagonal},
             "of what is factorized");
  add_choice(
      app, "--algorithm", options.pattern.algorithm,
      std::array{Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows},
      "how rows of the factorization wait for one another");
  app.add_flag("--insert-diagonal", options.pattern.insert_missing_diagonal, "where rows store none");
  add_name(app, "--precision", request.precision, built_precisions,
           "default: double, complex-double for a complex file");
  add_name(app, "--offset", request.offset, built_offsets, "type of the row map; default: int where it suffices");
  app.add_option("--seed", request.seed, "of the random solution")->type_name("N")->capture_default_str();
  add_name(app, "--space", request.space, built_spaces, "default: the default execution space of Kokkos");
  add_number(app, "--threads", request.threads, at_least(1), "threads of the host backend");
}

}  // namespace terrace::tools
