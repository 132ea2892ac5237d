// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of a host that watches itself, under a clock on which several threads take as long as the test says.
#include "algorithms/triangular/make_engine.hpp"

#include "support/device_triangle.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;

/// Looked at before and after each piece of work. One thread takes a millisecond.
struct MadeUpClock {
  using duration = std::chrono::duration<double>;
  using time_point = std::chrono::time_point<MadeUpClock, duration>;

  static inline double now_ = 0, parallel = 0;
  static inline bool begins = true;
  static inline int kernels_before = 0;
  static inline const RecordedEvents* events = nullptr;
  static inline const char* parallel_kernel = "";

  static time_point now() {
    const int kernels = events->kernels_named(parallel_kernel);
    if (!begins) now_ += kernels > kernels_before ? parallel : 1e-3;
    begins = !begins;
    kernels_before = kernels;
    return time_point(duration(now_));
  }
};

reference::SparseTriangle<double> triangle_of_grid(int nx, int ny) {
  reference::SparseTriangle<double> triangle;
  for (int row = 0; row < nx * ny; ++row) {
    triangle.rows.push_back({{row, 4.0 + row % 3}});
    if (row % nx > 0) triangle.rows.back()[row - 1] = -1.25;
    if (row >= nx) triangle.rows.back()[row - nx] = -0.75;
  }
  return triangle;
}

class WatchedEngine : public ::testing::TestWithParam<int> {
 public:
  using Problem = triangular::Problem<double, int, int, Space>;
  using Engine = triangular::TaskEngine<Problem, MadeUpClock>;

  void SetUp() override {
    if (Space().concurrency() == 1) GTEST_SKIP() << "one thread has nobody to wait for";
    MadeUpClock::events = &events;
    MadeUpClock::parallel_kernel = "solve_chain";
    MadeUpClock::begins = true;
    MadeUpClock::kernels_before = 0;
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = 1.0 + 0.01 * double(k % 37);
  }

  std::unique_ptr<Engine> make_engine() const {
    Problem problem;
    const Space space;
    const TriangularOptions options{.rows_per_task = GetParam()};
    problem.input = sparse::check_input<int, int, Space>(space, arrays.row_map, arrays.entries, 1200, options);
    problem.values = arrays.values;
    const auto triangle = make_triangle(space, problem.input, sparse::Orientation::Gather);
    auto schedule = triangular::scheduler_of(space, problem, triangle).make(Algorithm::LevelScheduled);
    auto engine = std::make_unique<Engine>(space, problem, triangle, std::move(schedule), Algorithm::LevelScheduled,
                                           "it was predicted to be faster");
    engine->watch(1e-3);
    return engine;
  }

  std::vector<double> solve(Engine& engine, Op op = Op::None) const {
    const auto device_b = to_device<double, Types::Device>(b);
    const Kokkos::View<double*, Types::Device> x("x", b.size());
    engine.solve(Space(), Kokkos::View<const double*, Types::Device>(device_b), x, op);
    return to_host(x);
  }

  static TriangularInfo info(const Engine& engine) {
    TriangularInfo info;
    engine.describe(info);
    engine.describe_changes(info);
    return info;
  }

  DeviceArrays<Types> arrays{reference::compress(triangle_of_grid(40, 30), {{}, true, true}, 5)};
  std::vector<double> b = std::vector<double>(1200);
  RecordedEvents events;
};

TEST_P(WatchedEngine, SolvesByOneThreadWithTheSameBitsWhileTheMachineIsBusy) {
  const auto engine = make_engine();
  MadeUpClock::parallel = 20e-3;
  const auto first = solve(*engine);
  EXPECT_EQ(info(*engine).algorithm, Algorithm::LevelScheduled);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(solve(*engine), first);
  EXPECT_EQ(events.kernels_named("solve_chain"), 2);
  EXPECT_EQ(info(*engine).algorithm, Algorithm::Sequential);
  EXPECT_NE(info(*engine).reason.find("several threads took 20 ms where one takes 1 ms"), std::string::npos)
      << info(*engine).reason;
}

TEST_P(WatchedEngine, TakesItsThreadsBackWhenTheMachineIsQuietAgain) {
  const auto engine = make_engine();
  MadeUpClock::parallel = 20e-3;
  for (int k = 0; k < 10; ++k) solve(*engine);
  MadeUpClock::parallel = 0.6e-3;
  for (int k = 0; k < 400; ++k) solve(*engine);
  EXPECT_EQ(info(*engine).algorithm, Algorithm::LevelScheduled);
  EXPECT_EQ(info(*engine).reason, "it was predicted to be faster");
}

TEST_P(WatchedEngine, LeavesAQuietMachineToItsThreads) {
  const auto engine = make_engine();
  MadeUpClock::parallel = 0.6e-3;
  for (int k = 0; k < 100; ++k) solve(*engine);
  EXPECT_EQ(events.kernels_named("solve_chain"), 100);
}

TEST_P(WatchedEngine, SolvesTheTransposeToo) {
  const auto engine = make_engine();
  MadeUpClock::parallel = 20e-3;
  const auto first = solve(*engine, Op::Transpose);
  for (int k = 0; k < 10; ++k) {
    const auto x = solve(*engine, Op::Transpose);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], first[i], 1e-13 * std::abs(first[i]));
  }
  EXPECT_LE(events.kernels_named("solve_chain"), 2);
}

INSTANTIATE_TEST_SUITE_P(RowsPerTask, WatchedEngine, ::testing::Values(0, 1));

}  // namespace
}  // namespace terrace::test
