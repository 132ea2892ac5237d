// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve_options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace terrace::tools {
namespace {

/// The number that the text is, when it is all of it.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

/// What stands behind `name:` in the word.
std::optional<std::string_view> text_behind(std::string_view word, std::string_view name) {
  if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != ':') return std::nullopt;
  return word.substr(name.size() + 1);
}

/// The number behind `name:` in the word, when the word is that and the number at least `least`.
std::optional<int> number_behind(std::string_view word, std::string_view name, int least) {
  const auto text = text_behind(word, name);
  const auto number = text ? number_in<int>(*text) : std::nullopt;
  return number && *number >= least ? number : std::nullopt;
}

/// The two numbers behind `name:`, when the word is `name:P,TAU`.
std::optional<Thresholds> thresholds_behind(std::string_view word, std::string_view name) {
  const auto text = text_behind(word, name);
  const auto comma = text ? text->find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return std::nullopt;
  const auto fill = number_in<int>(text->substr(0, comma));
  const auto tolerance = number_in<double>(text->substr(comma + 1));
  if (!fill || *fill < 0 || !tolerance || !(*tolerance >= 0) || !std::isfinite(*tolerance)) return std::nullopt;
  return Thresholds{*fill, *tolerance};
}

void set_factor(SolveOptions& options, Factorization factorization, int fill_level, double relaxation) {
  options.thresholds.reset();
  options.pattern.factorization = factorization;
  options.pattern.fill_level = fill_level;
  options.factor.relaxation = relaxation;
}

void set_thresholds(SolveOptions& options, Factorization factorization, const Thresholds& thresholds) {
  set_factor(options, factorization, 0, 0);
  options.thresholds = thresholds;
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
  else if (const auto lu = thresholds_behind(word, "ilut")) set_thresholds(options, Factorization::Lu, *lu);
  else if (const auto cholesky = thresholds_behind(word, "ict"))
    set_thresholds(options, Factorization::HermitianCholesky, *cholesky);
  else
    return "--precond: '" + word +
           "' is none of none, ilu0, ic0, milu, mic, iluk:K, ick:K, ilut:P,TAU, ict:P,TAU (K, P and TAU at least 0)";
  return {};
}

IlutOptions threshold_options(const SolveOptions& options) {
  return {.factorization = options.pattern.factorization,
          .fill = options.thresholds->fill,
          .drop_tolerance = options.thresholds->drop_tolerance,
          .pivots = options.factor.pivots,
          .insert_missing_diagonal = options.pattern.insert_missing_diagonal,
          .ordering = options.pattern.ordering,
          .scaling = options.factor.scaling};
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
