// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve_options.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace terrace::tools {
namespace {

/// The number behind `name:` in the word, when the word is that and the number at least `least`.
std::optional<int> number_behind(std::string_view word, std::string_view name, int least) {
  if (!word.starts_with(name) || word.size() <= name.size() + 1 || word[name.size()] != ':') return std::nullopt;
  int number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + name.size() + 1, end, number);
  if (error != std::errc() || stop != end || number < least) return std::nullopt;
  return number;
}

void set_factor(SolveOptions& options, Factorization factorization, int fill_level, double relaxation) {
  options.pattern.factorization = factorization;
  options.pattern.fill_level = fill_level;
  options.factor.relaxation = relaxation;
}

}  // namespace

std::string set_preconditioner(SolveOptions& options, const std::string& word) {
  options.preconditioner = word;
  options.preconditioned = word != "none";
  if (word == "none") return {};
  if (word == "ilu0") set_factor(options, Factorization::Lu, 0, 0);
  else if (word == "ic0") set_factor(options, Factorization::HermitianCholesky, 0, 0);
  else if (word == "milu") set_factor(options, Factorization::Lu, 0, 1);
  else if (word == "mic") set_factor(options, Factorization::HermitianCholesky, 0, 1);
  else if (const auto level = number_behind(word, "iluk", 0)) set_factor(options, Factorization::Lu, *level, 0);
  else if (const auto fill = number_behind(word, "ick", 0))
    set_factor(options, Factorization::HermitianCholesky, *fill, 0);
  else return "--precond: '" + word + "' is none of none, ilu0, ic0, milu, mic, iluk:K, ick:K (K at least 0)";
  return {};
}

std::string set_solver(SolveOptions& options, const std::string& word) {
  options.solver = word;
  if (word == "cg") options.krylov.method = KrylovMethod::ConjugateGradient;
  else if (word == "bicgstab") options.krylov.method = KrylovMethod::BiCGStab;
  else if (const auto restart = number_behind(word, "gmres", 1)) {
    options.krylov.method = KrylovMethod::Gmres;
    options.krylov.restart = *restart;
  } else if (const auto flexible = number_behind(word, "fgmres", 1)) {
    options.krylov.method = KrylovMethod::FlexibleGmres;
    options.krylov.restart = *flexible;
  } else return "--solver: '" + word + "' is none of cg, bicgstab, gmres:M, fgmres:M (M at least 1)";
  return {};
}

}  // namespace terrace::tools
