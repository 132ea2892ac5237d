// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elimination of a host that watches itself, under a clock on which the first ones take long.
#include "algorithms/incomplete/row_engine.hpp"

#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"
#include "support/recorded_events.hpp"
#include "support/slow_at_first.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;

class WatchedElimination : public ::testing::Test {
 public:
  using Rows = incomplete::Elimination<double, int, int, Space>;
  using Plan = incomplete::RowPlan<int, int, Space>;
  using Engine = incomplete::RowEngine<double, int, int, Space, SlowAtFirst>;

  void SetUp() override {
    if (Space().concurrency() == 1) GTEST_SKIP() << "one thread has nobody to wait for";
    SlowAtFirst::looks = 0;
  }

  /// `predicted`: seconds of one thread, as Automatic predicts them; 0: the algorithm was asked for.
  Engine make_engine(double predicted) const {
    const IluSymbolicOptions options{.algorithm = Algorithm::LevelScheduled, .rows_per_task = 1};
    auto schedule = incomplete::ScheduleMaker<int, int, Space>(space, merged, options, nullptr).make();
    schedule.one_thread = predicted;
    return Engine(space, std::make_shared<const Plan>(std::move(schedule)));
  }

  std::vector<double> eliminate(Engine& engine) const {
    const Kokkos::View<double*, Types::Device> values("values", arrays.values.extent(0));
    const Kokkos::View<int*, Types::Device> diagnostics("diagnostics", incomplete::PivotDiagnostics);
    engine.eliminate(space,
                     Rows{merged.view(),
                          incomplete::plain_entries<double, int>(merged, arrays.values.data(), nullptr, false, false),
                          values.data(),
                          {0, false, false, diagnostics.data()},
                          {},
                          0.0,
                          1.0,
                          false,
                          false});
    return to_host(values);
  }

  Space space;
  DeviceArrays<Types> arrays{reference::compress(reference::hubs(500))};
  incomplete::MergedPattern<int, int, Space> merged =
      incomplete::merged_rows(space, sparse::CrsGraph<int, int, Space>{arrays.row_map, arrays.entries, {}});
  RecordedEvents events;
};

TEST_F(WatchedElimination, IsDoneByOneThreadWithTheSameBitsAfterTwoThatTookLong) {
  auto engine = make_engine(1e-3);
  const auto first = eliminate(engine);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(eliminate(engine), first);
  EXPECT_EQ(events.kernels_named("eliminate_chain"), 2);
  EXPECT_EQ(events.kernels_named("eliminate_sequentially"), 4);
}

TEST_F(WatchedElimination, KeepsToWhatTheCallerAskedFor) {
  auto engine = make_engine(0);
  for (int k = 0; k < 6; ++k) eliminate(engine);
  EXPECT_EQ(events.kernels_named("eliminate_chain"), 6);
}

}  // namespace
}  // namespace terrace::test
