// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/flags.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>

namespace terrace::perf {
namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

Size parse_size(const std::string& value) {
  require_choices("--size", {value}, {"toy", "full"});
  return value == "full" ? Size::Full : Size::Toy;
}

bool parse_triangle(const std::string& value) {
  require_choices("--triangle", {value}, {"lower", "upper"});
  return value == "upper";
}

bool parse_layout(const std::string& value) {
  require_choices("--layout", {value}, {"left", "right"});
  return value == "right";
}

int parse_count(const std::string& flag, const std::string& value, int least = 1) {
  int count = 0;
  const char* end = value.data() + value.size();
  const auto result = std::from_chars(value.data(), end, count);
  if (result.ec != std::errc() || result.ptr != end || count < least)
    throw UsageError(flag + "=" + value + ": a number from " + std::to_string(least) + " on is needed");
  return count;
}

/// From `least` on.
std::vector<int> parse_counts(const std::string& flag, const std::string& value, int least) {
  std::vector<int> counts;
  for (const std::string& one : split(value)) counts.push_back(parse_count(flag, one, least));
  if (counts.empty()) throw UsageError(flag + "=: numbers are needed");
  return counts;
}

double parse_number(const std::string& flag, const std::string& value) {
  double number = 0.0;
  const char* end = value.data() + value.size();
  const auto result = std::from_chars(value.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || !(number >= 0.0))
    throw UsageError(flag + "=" + value + ": a number from 0 on is needed");
  return number;
}

[[noreturn]] void refuse(const std::string& flag, const std::string& name, const std::vector<std::string>& choices) {
  std::string message = flag + "=" + name + " does not exist; choose from:";
  for (const std::string& choice : choices) message += " " + choice;
  throw UsageError(message);
}

}  // namespace

void require_choices(const std::string& flag, const std::vector<std::string>& names,
                     const std::vector<std::string>& choices) {
  for (const std::string& name : names)
    if (std::find(choices.begin(), choices.end(), name) == choices.end()) refuse(flag, name, choices);
}

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  const std::map<std::string, std::function<void(const std::string&)>> with_value = {
      {"--size", [&](const std::string& value) { flags.size = parse_size(value); }},
      {"--triangle", [&](const std::string& value) { flags.upper = parse_triangle(value); }},
      {"--space", [&](const std::string& value) { flags.space = value; }},
      {"--shapes", [&](const std::string& value) { flags.shapes = split(value); }},
      {"--algorithms", [&](const std::string& value) { flags.algorithms = split(value); }},
      {"--peers", [&](const std::string& value) { flags.peers = split(value); }},
      {"--data", [&](const std::string& value) { flags.data = value; }},
      {"--repetitions", [&](const std::string& value) { flags.repetitions = parse_count("--repetitions", value); }},
      {"--hec-width", [&](const std::string& value) { flags.hec_widths = parse_counts("--hec-width", value, 0); }},
      {"--right-hand-sides",
       [&](const std::string& value) { flags.right_hand_sides = parse_count("--right-hand-sides", value); }},
      {"--layout", [&](const std::string& value) { flags.right_layout = parse_layout(value); }},
      {"--blocks", [&](const std::string& value) { flags.blocks = parse_counts("--blocks", value, 1); }},
      {"--overlap", [&](const std::string& value) { flags.overlap = parse_counts("--overlap", value, 0); }},
      {"--partition", [&](const std::string& value) { flags.partition = value; }},
      {"--block", [&](const std::string& value) { flags.block = value; }},
      {"--wind", [&](const std::string& value) { flags.wind = parse_number("--wind", value); }},
      {"--ordering", [&](const std::string& value) { flags.ordering = value; }},
      {"--amalgamation", [&](const std::string& value) { flags.amalgamation = parse_number("--amalgamation", value); }},
      {"--scaling", [&](const std::string& value) { flags.scaling = value; }},
      {"--threads", [&](const std::string& value) { flags.threads = parse_count("--threads", value); }},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const auto known = with_value.find(argument.substr(0, equals));
    flags.given.push_back(argument.substr(0, equals));
    if (argument == "--list") flags.list = true;
    else if (argument == "--help" || argument == "-h") flags.help = true;
    else if (known != with_value.end() && equals != std::string::npos) known->second(argument.substr(equals + 1));
    else throw UsageError("unknown argument " + argument + "\n" + usage());
  }
  return flags;
}

void require_understood(const Flags& flags, const std::vector<std::string>& understood) {
  static const std::vector<std::string> always{"--size", "--space", "--algorithms", "--repetitions"};
  const auto has = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : flags.given)
    if (!has(always, name) && !has(understood, name)) throw UsageError("this program does not understand " + name);
}

bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

std::string usage() {
  return "Flags, not all of which every program understands (beside Google Benchmark's, such as --benchmark_out=FILE, "
         "and Kokkos's):\n"
         "  --size=toy|full        size of the generated matrices (toy)\n"
         "  --space=NAME           Kokkos execution space to measure (the default one)\n"
         "  --shapes=NAME,...      generated matrices (all; none leaves only those of --data)\n"
         "  --algorithms=NAME,...  Terrace's algorithms (all; none)\n"
         "  --peers=NAME,...       peers (all that were found; none)\n"
         "  --data=DIR             also the Matrix Market files in DIR: their triangles, or the symmetric matrices\n"
         "                         (direct); or SPE10's permeability\n"
         "  --triangle=lower|upper lower triangles, or upper ones: the transposes of generated matrices (lower)\n"
         "  --repetitions=N        timed solves per case (11); an analysis is timed a third as often\n"
         "  --right-hand-sides=N   solved for at once (1)\n"
         "  --layout=left|right    of them: one behind the other, or side by side (left)\n"
         "  --blocks=N,...         blocks of the Schwarz preconditioners (8,64,512,2048; toy: 4,12)\n"
         "  --overlap=N,...        layers of neighbours around them (0,1,2; toy: 0,1)\n"
         "  --partition=boxes|metis  how blocks are found (boxes)\n"
         "  --block=ilu0|ilut:P,TAU  how they are factorized (ilu0)\n"
         "  --wind=X               of the shapes with convection (1)\n"
         "  --ordering=NAME        of direct factorizations: automatic|nd|amd|... (automatic)\n"
         "  --amalgamation=X       zeros that their fronts may hold; 0: none (1)\n"
         "  --scaling=none|diagonal|equilibrate  before them (equilibrate for --data, none for generated matrices)\n"
         "  --threads=N            host threads of their peers (those of Kokkos: --kokkos-num-threads)\n"
         "  --hec-width=N,...      widths of the ELL part, beside the one that is chosen (none)\n"
         "  --list                 print the matrices with their levels and stop\n";
}

}  // namespace terrace::perf
