// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of a host gives the same bits whoever works: any number of threads, any division of the fronts, instances
// that are a part of the host. CTest repeats it with numbers of threads from 1 to 256.
#include <gtest/gtest.h>

#include "support/host_factor.hpp"
#include "support/refused_allocations.hpp"
#include "support/slow_at_first.hpp"

namespace terrace::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Space>
using Factor = HostFactor<double, Space>;

std::vector<int> dissected(int nodes) {
  std::vector<int> order;
  dissect({0, 0, 0}, {nodes, nodes, nodes}, nodes, order);
  return order;
}

struct Solutions {
  std::vector<double> one, five;
  bool operator==(const Solutions&) const = default;
};

template <class Space, class Clock>
Solutions solutions(HostFactor<double, Space, Clock>& factor, const Space& space = Space()) {
  factor.factorize(true, space);
  const auto rows = factor.original().size();
  return {factor.solved(some_numbers<double>(rows), 1, LdltPart::All, space),
          factor.solved(some_numbers<double>(5 * rows), 5, LdltPart::All, space)};
}

class HostThreads : public ::testing::Test {
 protected:
  static constexpr int nodes = 9;

  SymmetricMatrix<double> matrix = cube<double>(nodes, 3);
  std::vector<int> order = dissected(nodes);

  static ldlt::HostCut cut(int threads, double runs_per_thread, double least_shared) {
    ldlt::HostCut cut(threads);
    cut.runs_per_thread = runs_per_thread;
    cut.least_shared = least_shared;
    return cut;
  }
};

TEST_F(HostThreads, GiveTheSameBitsForAnyNumberAndAnyCut) {
  Factor<Kokkos::Serial> alone(matrix, ldlt::HostCut(1), order);
  const auto expected = solutions(alone);
  for (const int threads : {1, 2, 7})
    for (const double runs : {1.0, 8.0, 40.0})
      for (const double least_shared : {0.0, 1e5, 1e9}) {
        Factor<Host> factor(matrix, cut(threads, runs, least_shared), order);
        EXPECT_EQ(solutions(factor), expected) << threads << " threads, " << runs << " runs, " << least_shared;
      }
}

TEST_F(HostThreads, GiveTheSameBitsOnPartsOfTheHost) {
  Factor<Kokkos::Serial> alone(matrix, ldlt::HostCut(1), order);
  const auto expected = solutions(alone);
  Factor<Host> factor(matrix, cut(7, 8, 0), order);
  EXPECT_GT(factor.schedule().units.size(), 7u);
  if (Host().concurrency() < 2) GTEST_SKIP() << "one thread has no parts";
  for (const auto& part : Kokkos::Experimental::partition_space(Host(), 1, Host().concurrency() - 1))
    EXPECT_EQ(solutions(factor, part), expected) << part.concurrency() << " threads";
}

TEST_F(HostThreads, GiveWayToOneOfThemWithTheSameBits) {
  Factor<Kokkos::Serial> alone(matrix, ldlt::HostCut(1), order);
  const auto expected = solutions(alone);
  SlowAtFirst::looks = 0;
  HostFactor<double, Host, SlowAtFirst> factor(matrix, cut(7, 8, 0), order);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(solutions(factor), expected);
  const int watched =
      factor.schedule().threads > 1 ? 6 : 0;  // one thread, where the BLAS bears no others, has no choice
  EXPECT_EQ(SlowAtFirst::looks, 2 * watched * (1 + 2 + 2)) << "a factorization, and two solves forward and backward";
}

/// Notes which thread does what.
struct NoteThreads {
  std::vector<std::thread::id>* threads;
  int begin(int) const { return 0; }
  void run(int, const ldlt::HostTask&) const { threads->push_back(std::this_thread::get_id()); }
  void end(int) const {}
};

TEST_F(HostThreads, AreNotWokenForOne) {
  Factor<Host> factor(matrix, cut(7, 8, 0), order);
  const auto& schedule = factor.schedule();
  std::vector<int> cells(1 + schedule.units.size() + schedule.tiles.back());
  std::vector<std::thread::id> threads;
  ldlt::run_tasks(Host(), "terrace::test::tasks", schedule, schedule.forward,
                  ldlt::HostProgress{cells.data(), cells.data() + 1, cells.data() + 1 + schedule.units.size()},
                  NoteThreads{&threads}, true);
  EXPECT_EQ(threads, std::vector(schedule.forward.size(), std::this_thread::get_id()));
}

TEST_F(HostThreads, AllocateNothingInFactorizationsAndSolves) {
  Factor<Host> factor(matrix, cut(2, 8, 0), order);
  const auto rows = factor.original().size();
  std::vector<double> entries;
  for (const std::size_t from : factor.source) entries.push_back(factor.values[from]);
  auto y = some_numbers<double>(5 * rows);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> Y(
      y.data(), rows, 5);
  solutions(factor);
  auto& allocations = refused_allocations();
  allocations.are_counted = true;
  allocations.start(std::numeric_limits<long>::max());
  factor.record.forget(static_cast<int>(rows));
  factor.engine->factorize(Host(), entries.data(), {1e-8, true, &factor.record});
  factor.engine->solve(Host(), Y, LdltPart::All);
  allocations.stop();
  EXPECT_EQ(allocations.counted, 0);
}

}  // namespace
}  // namespace terrace::test
