// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps and iterations on a grid that watch themselves, under a clock on which the first ones take long.
#include "algorithms/structured/make_pcg_engine.hpp"

#include "support/device_grid_matrix.hpp"
#include "support/slow_at_first.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;
using Vector = Kokkos::View<double*, Types::Device>;

class WatchedSweeps : public ::testing::Test {
 public:
  using Visitor = structured::TileVisitor<Space, SlowAtFirst>;
  using Sweeps = structured::SweepEngine<double, Space, Visitor>;
  using Iteration = structured::TilePcgEngine<double, Space, SlowAtFirst>;
  static constexpr int threads = 4;  // of the tiling: also when fewer come

  void SetUp() override { SlowAtFirst::looks = 0; }

  static StructuredMatrix<double, Space> matrix(const Grid& grid) {
    const int cells = static_cast<int>(grid.cells());
    reference::GridMatrix<double> A{grid, std::vector<double>(static_cast<std::size_t>(cells), 6.5), {}, {}};
    for (auto& upper : A.upper) upper.assign(static_cast<std::size_t>(cells), 0.0);
    for (int c = 0; c < cells; ++c) {
      const GridCell at = grid.cell(c);
      const double coefficient = -1.0 - 0.001 * (c % 7);
      if (at.i + 1 < grid.nx) A.upper[0][static_cast<std::size_t>(c)] = coefficient;
      if (at.j + 1 < grid.ny) A.upper[1][static_cast<std::size_t>(c)] = coefficient;
      if (at.k + 1 < grid.nz) A.upper[2][static_cast<std::size_t>(c)] = coefficient;
    }
    return to_device_matrix<Types>(A, true);
  }

  static Vector right_hand_side(const Grid& grid) {
    std::vector<double> b(static_cast<std::size_t>(grid.cells()));
    for (std::size_t c = 0; c < b.size(); ++c) b[c] = 1.0 + 0.01 * double(c % 53);
    return to_device<double, Types::Device>(b);
  }

  static Sweeps factorize(const Grid& grid, bool watches) {
    const Space space;
    Sweeps sweeps(space, matrix(grid), Visitor(space, grid, threads, watches), "it was predicted to be faster");
    const Kokkos::View<std::int64_t, Types::Device> breakdown("breakdown");
    Kokkos::deep_copy(breakdown, grid.cells());
    sweeps.factorize(space, 1.0, 0.0, breakdown.data());
    return sweeps;
  }

  static std::vector<double> sweep(Sweeps& sweeps, const Grid& grid) {
    const Vector b = right_hand_side(grid), x("x", b.extent(0));
    sweeps.solve(Space(), Kokkos::View<const double*, Types::Device>(b), x, structured::Part::Both, Op::None);
    return to_host(x);
  }

  static const std::vector<Grid>& grids() {
    static const std::vector<Grid> all{{200, 40, 1}, {24, 18, 20}, {5, 90, 1}};
    return all;
  }
};

TEST_F(WatchedSweeps, AreDoneByOneThreadWithTheSameBitsWhileTheMachineIsBusy) {
  for (const Grid& grid : grids()) {
    SlowAtFirst::looks = 0;
    auto plain = factorize(grid, false), watched = factorize(grid, true);
    const auto expected = sweep(plain, grid);
    for (int k = 0; k < 10; ++k) EXPECT_EQ(sweep(watched, grid), expected);
    StructuredFactorInfo info;
    watched.describe_changes(info);
    EXPECT_EQ(info.algorithm, SweepAlgorithm::Sequential);
    EXPECT_NE(info.reason.find("will be tried again"), std::string::npos) << info.reason;
  }
}

TEST_F(WatchedSweeps, SayNothingOfOneThreadBeforeItTookOver) {
  auto watched = factorize(grids()[0], true);
  sweep(watched, grids()[0]);
  StructuredFactorInfo info;
  watched.describe_changes(info);
  EXPECT_EQ(info.algorithm, SweepAlgorithm::Pipelined);
  EXPECT_EQ(info.reason, "it was predicted to be faster");
}

TEST_F(WatchedSweeps, LeaveTheBitsOfIterationsAlone) {
  const Space space;
  for (const Grid& grid : grids()) {
    SlowAtFirst::looks = 0;
    auto factor = factorize(grid, false);
    const structured::PcgProblem<double, Space> problem{matrix(grid), factor.inverse_pivots(),
                                                        SweepAlgorithm::Automatic, nullptr};
    const Vector b = right_hand_side(grid), x("x", b.extent(0)), x_watched("x", b.extent(0));
    Iteration plain(space, problem, threads, false), watched(space, problem, threads, true);
    plain.start(space, b.data(), x.data(), 1e-30);
    watched.start(space, b.data(), x_watched.data(), 1e-30);
    for (int iteration = 0; iteration < 12; ++iteration) {
      plain.iterate(space, 1);
      watched.iterate(space, 1);
      EXPECT_EQ(to_host(x), to_host(x_watched)) << "iteration " << iteration;
    }
    StructuredFactorInfo info;
    watched.describe_changes(info);
    EXPECT_EQ(info.algorithm, SweepAlgorithm::Sequential);
    EXPECT_NE(info.reason.find("will be tried again"), std::string::npos) << info.reason;
  }
}

}  // namespace
}  // namespace terrace::test
