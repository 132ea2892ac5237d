// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that find the same alone and together, and who takes them.
#include "parallel/loops.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace terrace {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using parallel::PatientLoops;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>;

constexpr PatientLoops::Seconds none{0}, an_hour{3600};

bool want_one_thread() { return PatientLoops::want_one_thread(); }

void loop() {
  parallel::for_range("terrace::test::loop", Range(Space(), 0, 1000), [](int) {});
}

TEST(PatientLoops, AreAloneOnceTheirTimeIsOver) {
  EXPECT_FALSE(want_one_thread());
  {
    const PatientLoops loops(none);
    EXPECT_TRUE(want_one_thread());
  }
  {
    const PatientLoops loops(an_hour);
    loop();
    EXPECT_FALSE(want_one_thread());
  }
  const PatientLoops loops(PatientLoops::Seconds{1e-9});
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(want_one_thread()) << "only loops count";
  loop();
  EXPECT_TRUE(want_one_thread());
}

TEST(PatientLoops, AreAloneFromTheBeginningWhereThereIsLittleToDo) {
  {
    const PatientLoops loops(std::size_t(1000));
    EXPECT_TRUE(want_one_thread());
  }
  const PatientLoops loops(std::size_t(1) << 40);
  EXPECT_FALSE(want_one_thread());
}

TEST(PatientLoops, AddUpInTheOutermostOfTheirThread) {
  PatientLoops::expect(std::size_t(1) << 40);
  EXPECT_FALSE(want_one_thread());
  {
    const PatientLoops outer(none);
    {
      const PatientLoops inner(an_hour);
      EXPECT_FALSE(want_one_thread());
    }
    EXPECT_FALSE(want_one_thread());
  }
  const PatientLoops outer(none);
  std::thread([] { EXPECT_FALSE(want_one_thread()); }).join();
  EXPECT_TRUE(want_one_thread());
  PatientLoops::expect(std::size_t(1) << 40);
  EXPECT_FALSE(want_one_thread());
}

TEST(PatientLoops, RunByTheCallingThread) {
  const PatientLoops loops(none);
  std::atomic<int> elsewhere = 0;
  std::vector<int> visits(1000);
  parallel::for_range("terrace::test::visit", Range(Space(), 0, 1000), [&](int i) {
    ++visits[static_cast<std::size_t>(i)];
    if (i == 0) {
      EXPECT_TRUE(want_one_thread());
    }
  });
  const auto here = std::this_thread::get_id();
  parallel::for_range("terrace::test::who", Range(Space(), 10, 1000), [&](int) {
    if (std::this_thread::get_id() != here) ++elsewhere;
  });
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
  EXPECT_EQ(elsewhere, 0);
}

struct Found {
  int sum = 0, largest = 0, smallest = 0, together = 0, largest_too = 0, in_view = 0, all = 0;
  std::vector<int> before;
  bool operator==(const Found&) const = default;
};

TEST(PatientLoops, FillAndCopyTheSame) {
  for (const PatientLoops::Seconds patience : {none, an_hour}) {
    const PatientLoops loops(patience);
    const Space space;
    const auto zeros = parallel::zeros<int>(space, "terrace::test::zeros", 100);
    EXPECT_EQ(std::vector<int>(zeros.data(), zeros.data() + 100), std::vector<int>(100));
    parallel::fill(space, zeros, 7);
    std::vector<int> copied(100);
    parallel::copy(space, parallel::on_host(copied.data(), copied.size()), zeros);
    EXPECT_EQ(copied, std::vector<int>(100, 7));
  }
}

/// Also where the range is empty, and where it does not begin at zero.
Found find_all(int begin, int end) {
  const Space space;
  const Range range(space, begin, end);
  Found found;
  found.before.assign(static_cast<std::size_t>(end), -1);
  const auto number = [](int i) { return i * 7 % 100 - 50; };
  parallel::reduce_range(
      "terrace::test::sum", range, [=](int i, int& sum) { sum += number(i); }, found.sum);
  parallel::reduce_range(
      "terrace::test::largest", range, [=](int i, int& most) { most = std::max(most, number(i)); },
      Kokkos::Max<int>(found.largest));
  const Kokkos::Min<int> smallest(found.smallest);
  parallel::reduce_range(
      "terrace::test::smallest", range, [=](int i, int& least) { least = std::min(least, number(i)); }, smallest);
  parallel::reduce_range(
      "terrace::test::two", range,
      [=](int i, int& sum, int& most) {
        sum += number(i);
        most = std::max(most, number(i));
      },
      found.together, Kokkos::Max<int>(found.largest_too));
  int cell = -1;
  parallel::reduce_range(
      "terrace::test::in_view", range, [=](int i, int& sum) { sum += number(i); },
      Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&cell));
  space.fence();
  found.in_view = cell;
  parallel::scan_range(
      "terrace::test::scan", range,
      [&](int i, int& sum, bool final) {
        if (final) found.before[static_cast<std::size_t>(i)] = sum;
        sum += number(i);
      },
      found.all);
  return found;
}

TEST(PatientLoops, FindTheSameAloneAndTogether) {
  for (const auto& [begin, end] : {std::pair(0, 0), {0, 1}, {0, 5000}, {17, 400}}) {
    const Found together = find_all(begin, end);
    const PatientLoops loops(none);
    EXPECT_EQ(find_all(begin, end), together) << begin << " to " << end;
  }
}

}  // namespace
}  // namespace terrace
