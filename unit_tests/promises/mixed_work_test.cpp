// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads of the caller at once, each with objects of its own of every class, for two seconds, or for
// TERRACE_TEST_SECONDS; and the same classes inside the caller's own parallel region.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <type_traits>

#include "support/every_operation.hpp"
#include "support/time_to_spend.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Every = EveryOperation<Space>;

/// Teams of more threads than this, eight times, take turns on the cores of small hosts for minutes.
constexpr int max_threads = 8;

/// What each operation leaves in its vectors, where that is promised to be the same bits each time.
std::vector<std::vector<double>> expected_numbers(const Every& every) {
  std::vector<std::vector<double>> numbers;
  for (const Operation& operation : every.all()) {
    every.clear();
    operation.use();
    numbers.push_back(every.numbers());
  }
  return numbers;
}

void work(unsigned seed, const std::vector<std::vector<double>>& expected, std::atomic<long>& uses) {
  const auto begin = std::chrono::steady_clock::now();
  const Every every;
  const auto operations = every.all();
  std::mt19937 generator(seed);
  while (std::chrono::steady_clock::now() - begin < time_to_spend(2.0)) {
    const std::size_t chosen = generator() % operations.size();
    every.clear();
    operations[chosen].use();
    if (operations[chosen].repeats_bits) {
      EXPECT_EQ(every.numbers(), expected[chosen]) << operations[chosen].name;
    }
    ++uses;
  }
}

/// Kokkos's C++ threads take kernels from the thread that initialized them alone.
constexpr bool takes_several_callers() {
#if defined(KOKKOS_ENABLE_THREADS)
  return !std::is_same_v<Space, Kokkos::Threads>;
#else
  return true;
#endif
}

TEST(MixedWork, OfEightThreadsOfTheCallerIsThatOfOne) {
  if (!takes_several_callers()) GTEST_SKIP() << "this backend takes kernels from one thread of the caller";
  if (Space().concurrency() > max_threads) GTEST_SKIP() << "too many threads for eight callers";
  const auto expected = expected_numbers(Every());
  std::atomic<long> uses = 0;
  std::vector<std::thread> callers;
  for (unsigned seed = 0; seed < 8; ++seed) callers.emplace_back(work, seed, std::cref(expected), std::ref(uses));
  for (auto& caller : callers) caller.join();
  RecordProperty("uses", std::to_string(uses.load()));
  EXPECT_GE(uses, 8);
}

#if defined(KOKKOS_ENABLE_OPENMP)
TEST(MixedWork, InsideAParallelRegionOfTheCallerIsThatOutside) {
  const auto expected = expected_numbers(Every());
  const std::vector<Every> all(3);
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int k = 0; k < 3; ++k) {
    const Every& every = all[static_cast<std::size_t>(k)];
    const auto operations = every.all();
    for (std::size_t chosen = 0; chosen < operations.size(); ++chosen) {
      every.clear();
      operations[chosen].use();
      if (operations[chosen].repeats_bits) {
        EXPECT_EQ(every.numbers(), expected[chosen]) << operations[chosen].name;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace terrace::test
