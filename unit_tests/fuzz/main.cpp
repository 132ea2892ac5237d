// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// terrace_fuzz: draws matrices, options and orders of calls, and checks what comes out.
//
//     terrace_fuzz --draws 500                  # seeds 1, 2, ...
//     terrace_fuzz --seed 4711 --draws 1 --only IluFactor --scalar double --offset int --space Serial
//                                               # repeats one of them, as a failure prints it
//
// What is drawn follows from the seed, the class, its types and its space. Which class that is follows from the seed
// and from what was compiled and asked for.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>

#include <Kokkos_Core.hpp>

#include "fuzz/registry.hpp"
#include "fuzz/watchdog.hpp"

namespace terrace::fuzz {
namespace {

struct Flags {
  std::uint64_t seed = 1;
  long draws = 500;
  double seconds = 1e9;
  std::string only, space, scalar, offset;
  bool lists = false, is_verbose = false;
};

[[noreturn]] void refuse(const std::string& what) {
  std::cerr << what << "\nterrace_fuzz [--seed S] [--draws N] [--seconds T] [--only CLASS] [--space SPACE]"
            << " [--scalar TYPE] [--offset TYPE] [--list] [--verbose]\n";
  std::exit(2);
}

Flags read_flags(int argc, char* argv[]) {
  Flags flags;
  for (int k = 1; k < argc; ++k) {
    const std::string flag = argv[k];
    const auto value = [&]() -> std::string {
      return k + 1 < argc ? argv[++k] : (refuse(flag + " needs a value"), "");
    };
    if (flag == "--seed") flags.seed = std::stoull(value());
    else if (flag == "--draws") flags.draws = std::stol(value());
    else if (flag == "--seconds") flags.seconds = std::stod(value());
    else if (flag == "--only") flags.only = value();
    else if (flag == "--space") flags.space = value();
    else if (flag == "--scalar") flags.scalar = value();
    else if (flag == "--offset") flags.offset = value();
    else if (flag == "--list") flags.lists = true;
    else if (flag == "--verbose") flags.is_verbose = true;
    else refuse("unknown: " + flag);
  }
  return flags;
}

std::vector<Subject> chosen(const Flags& flags) {
  auto all = subjects();
  std::sort(all.begin(), all.end(), [](const Subject& a, const Subject& b) { return a.text() < b.text(); });
  std::erase_if(all, [&](const Subject& subject) {
    return (!flags.only.empty() && subject.class_name != flags.only) ||
           (!flags.space.empty() && subject.space != flags.space) ||
           (!flags.scalar.empty() && subject.scalar != flags.scalar) ||
           (!flags.offset.empty() && subject.offset != flags.offset);
  });
  return all;
}

std::string repetition(const Subject& subject, std::uint64_t seed) {
  return "terrace_fuzz --seed " + std::to_string(seed) + " --draws 1 --only " + subject.class_name + " --scalar " +
         subject.scalar + " --offset " + subject.offset + " --space " + subject.space;
}

/// Whether the draw found nothing.
bool run(const std::vector<Subject>& all, std::uint64_t seed, bool is_verbose, Watchdog& watchdog,
         std::map<std::string, long>& counts) {
  Draw draw(seed);
  const Subject& subject = draw.one_of(all);
  ++counts[subject.text()];
  const std::string again = repetition(subject, seed);
  watchdog.begin(again + ": " + subject.text());
  const auto report = [&](const std::string& what) {
    std::cout << "FAILED: " << again << "\n  " << subject.text() << ": " << draw.description() << "\n  " << what
              << std::endl;
    return false;
  };
  try {
    subject.run(draw);
    Kokkos::fence();
  } catch (const Failed& failure) {
    return report(failure.what());
  } catch (const std::exception& failure) {
    return report(std::string("an exception that nothing explains: ") + failure.what());
  }
  if (is_verbose) std::cout << seed << ' ' << subject.text() << ": " << draw.description() << std::endl;
  return true;
}

int run_all(const Flags& flags) {
  const auto all = chosen(flags);
  if (all.empty()) refuse("no class of that name was compiled for that space");
  for (const Subject& subject : all)
    if (flags.lists) std::cout << subject.text() << '\n';
  if (flags.lists) return 0;
  Watchdog watchdog(std::chrono::seconds(240));
  const Kokkos::Timer timer;
  std::map<std::string, long> counts;
  long failures = 0, draws = 0;
  for (; draws < flags.draws && timer.seconds() < flags.seconds && failures < 20; ++draws)
    failures += run(all, flags.seed + static_cast<std::uint64_t>(draws), flags.is_verbose, watchdog, counts) ? 0 : 1;
  for (const auto& [text, count] : counts) std::cout << count << ' ' << text << '\n';
  std::cout << draws << " draws from seed " << flags.seed << " in " << timer.seconds() << " s, " << failures
            << " failed" << std::endl;
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace terrace::fuzz

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return terrace::fuzz::run_all(terrace::fuzz::read_flags(argc, argv));
}
