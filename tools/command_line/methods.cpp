// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/methods.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "command_line/failure.hpp"

namespace terrace::tools {
namespace {

/// What follows the name and a colon.
enum class Arguments { None, Level, Relaxation /* or nothing, which is one */, Thresholds };

struct PreconditionerName {
  std::string_view name, arguments;
  Arguments kind;
  Factorization factorization;
};
constexpr PreconditionerName preconditioner_names[] = {
    {"ilu0", "", Arguments::None, Factorization::Lu},
    {"ic0", "", Arguments::None, Factorization::HermitianCholesky},
    {"milu", "[:RELAX]", Arguments::Relaxation, Factorization::Lu},
    {"mic", "[:RELAX]", Arguments::Relaxation, Factorization::HermitianCholesky},
    {"iluk", ":K", Arguments::Level, Factorization::Lu},
    {"ick", ":K", Arguments::Level, Factorization::HermitianCholesky},
    {"ilut", ":P,TAU", Arguments::Thresholds, Factorization::Lu},
    {"ict", ":P,TAU", Arguments::Thresholds, Factorization::HermitianCholesky},
};

struct SolverName {
  std::string_view name;
  KrylovMethod method;
  bool restarts;
};
constexpr SolverName solver_names[] = {{"cg", KrylovMethod::ConjugateGradient, false},
                                       {"bicgstab", KrylovMethod::BiCGStab, false},
                                       {"gmres", KrylovMethod::Gmres, true},
                                       {"fgmres", KrylovMethod::FlexibleGmres, true}};

/// `name`, or `name:a,b,...` taken apart.
struct Word {
  std::string_view name;
  std::optional<std::string_view> arguments;  ///< what stands behind the colon, when there is one
};

Word take_apart(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, colon), word.substr(colon + 1)};
}

/// The number that the text is, when it is all of it and lies in [least, most].
template <class Number>
std::optional<Number> number_in(std::optional<std::string_view> text, Number least, Number most) {
  Number number{};
  if (!text || text->empty()) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end || !(number >= least && number <= most)) return std::nullopt;
  return number;
}

constexpr int max_int = std::numeric_limits<int>::max();

std::optional<Thresholds> thresholds_in(std::optional<std::string_view> text) {
  const auto comma = text ? text->find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return std::nullopt;
  const auto fill = number_in(text->substr(0, comma), 0, max_int);
  const auto tolerance = number_in(text->substr(comma + 1), 0.0, std::numeric_limits<double>::max());
  if (!fill || !tolerance) return std::nullopt;
  return Thresholds{*fill, *tolerance};
}

/// monostate: these are no arguments of the kind.
decltype(Preconditioner::kind) parse_arguments_of(Arguments kind, std::optional<std::string_view> text) {
  if (kind == Arguments::None && !text) return LevelOfFill{};
  if (kind == Arguments::Relaxation && !text) return LevelOfFill{0, 1.0};
  if (kind == Arguments::Relaxation) {
    if (const auto relaxation = number_in(text, 0.0, 1.0)) return LevelOfFill{0, *relaxation};
  } else if (kind == Arguments::Level) {
    if (const auto level = number_in(text, 0, max_int)) return LevelOfFill{*level, 0.0};
  } else if (kind == Arguments::Thresholds) {
    if (const auto thresholds = thresholds_in(text)) return *thresholds;
  }
  return std::monostate();
}

/// All numbers of a list with commas between them; empty when something else is there.
std::vector<int> numbers_in(std::string_view text, int least) {
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = number_in(text.substr(begin, end - begin), least, max_int);
    if (!number) return {};
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

/// Of `ras`, `ras:BLOCKS` and `ras:BLOCKS,OVERLAP`.
std::optional<SchwarzShape> shape_in(std::optional<std::string_view> text) {
  if (!text) return SchwarzShape{};
  const auto numbers = numbers_in(*text, 0);
  if (numbers.empty() || numbers.size() > 2) return std::nullopt;
  return SchwarzShape{numbers[0], numbers.size() > 1 ? numbers[1] : SchwarzShape{}.overlap};
}

/// That of the table with this name and arguments that it takes.
std::optional<Preconditioner> find_factorization(const std::string& word) {
  const Word parts = take_apart(word);
  for (const auto& entry : preconditioner_names) {
    if (entry.name != parts.name) continue;
    Preconditioner result{word, entry.factorization, parse_arguments_of(entry.kind, parts.arguments)};
    if (result.exists()) return result;
  }
  return std::nullopt;
}

}  // namespace

std::string block_words() {
  std::string words;
  for (const auto& entry : preconditioner_names)
    words += (words.empty() ? "" : "|") + std::string(entry.name) + std::string(entry.arguments);
  return words;
}

std::string preconditioner_words() { return "none|" + block_words() + "|ras[:BLOCKS[,OVERLAP]]"; }

std::string solver_words() {
  std::string words;
  for (const auto& entry : solver_names)
    words += (words.empty() ? "" : "|") + std::string(entry.name) + (entry.restarts ? ":M" : "");
  return words;
}

Preconditioner parse_preconditioner(const std::string& word) {
  if (word == "none") return {};
  if (const auto factorization = find_factorization(word)) return *factorization;
  const Word parts = take_apart(word);
  if (const auto shape = parts.name == "ras" ? shape_in(parts.arguments) : std::nullopt)
    return {word, Factorization::Lu, LevelOfFill{}, shape};
  throw UsageError("--precond: '" + word + "' is none of " + preconditioner_words() +
                   " (K, P, TAU, BLOCKS and OVERLAP at least 0, RELAX in [0, 1])");
}

Preconditioner parse_block(const std::string& word) {
  if (const auto factorization = find_factorization(word)) return *factorization;
  throw UsageError("--block: '" + word + "' is none of " + block_words() +
                   " (K, P and TAU at least 0, RELAX in [0, 1])");
}

PartitionChoice parse_partition(const std::string& word) {
  const Word parts = take_apart(word);
  if (word.empty()) throw UsageError("--partition: '' is none of metis|boxes:X,Y[,Z]|FILE");
  if (word == "metis") return {};
  if (parts.name != "boxes") return {word, PartitionMethod::Given, {}};
  const auto boxes = parts.arguments ? numbers_in(*parts.arguments, 1) : std::vector<int>();
  if (boxes.size() < 2 || boxes.size() > 3)
    throw UsageError("--partition: '" + word + "' is no boxes:X,Y[,Z], each at least 1");
  return {word, PartitionMethod::Boxes, {boxes[0], boxes[1], boxes.size() == 3 ? boxes[2] : 1}};
}

std::string word_of(const SchwarzShape& shape) {
  return "ras:" + std::to_string(shape.blocks) + "," + std::to_string(shape.overlap);
}

Solver parse_solver(const std::string& word) {
  const Word parts = take_apart(word);
  for (const auto& entry : solver_names) {
    if (entry.name != parts.name || entry.restarts != parts.arguments.has_value()) continue;
    const auto restart = entry.restarts ? number_in(parts.arguments, 1, max_int) : std::optional(30);
    if (restart) return {word, entry.method, *restart};
  }
  throw UsageError("--solver: '" + word + "' is none of " + solver_words() + " (M at least 1)");
}

}  // namespace terrace::tools
