// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of every backend, on a host: it leaves the same numbers wherever panels and contribution blocks lie.
#include "algorithms/ldlt/level_engine.hpp"

#include <gtest/gtest.h>

#include "support/host_factor.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;

template <class Scalar>
class LevelFactor {
 public:
  LevelFactor(const HostFactor<Scalar, Space>& host, ldlt::PanelOrder panels) : fronts_(std::make_shared<Fronts>()) {
    fronts_->plan = ldlt::plan_fronts(ldlt::FrontTree(host.fronts->plan.tree), 1, panels);
    ldlt::AssembledEntries& entries = fronts_->plan.entries = host.fronts->plan.entries;
    for (int f = 0; f < fronts_->plan.tree.fronts(); ++f)
      for (std::size_t e = entries.map[f]; e < entries.map[f + 1]; ++e)
        entries.target[e] += fronts_->plan.panel_map[f] - host.fronts->plan.panel_map[f];
    workspace = fronts_->plan.workspace;
    fronts_->arrays = ldlt::FrontArrays<Space>(Space(), fronts_->plan);
    engine_ = std::make_unique<ldlt::LevelEngine<Scalar, Space>>(
        Space(), std::make_shared<ldlt::LevelPlan<Space>>(fronts_), HostFactor<Scalar, Space>::max_columns);
    std::vector<Scalar> numbers;
    for (const std::size_t from : host.source) numbers.push_back(host.values[from]);
    record_.forget(fronts_->plan.tree.unknowns());
    engine_->factorize(Space(), numbers.data(), {ldlt::RealOf<Scalar>(1e-8), true, &record_});
  }

  std::vector<Scalar> solved(std::vector<Scalar> X, int columns) const {
    const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace> Y(X.data(), fronts_->plan.tree.unknowns(),
                                                                          columns);
    engine_->solve(Space(), Y, LdltPart::All);
    return X;
  }

  std::size_t workspace;

 private:
  using Fronts = ldlt::SymbolicFronts<Space>;
  std::shared_ptr<Fronts> fronts_;
  ldlt::PivotRecord<ldlt::RealOf<Scalar>> record_;
  std::unique_ptr<ldlt::LevelEngine<Scalar, Space>> engine_;
};

template <class Scalar>
void expect_same_numbers(const SymmetricMatrix<Scalar>& matrix, std::vector<int> order, double amalgamation) {
  HostFactor<Scalar, Space> host(matrix, ldlt::HostCut(1), std::move(order), amalgamation);
  host.factorize();
  const LevelFactor<Scalar> by_fronts(host, ldlt::PanelOrder::Fronts), by_levels(host, ldlt::PanelOrder::Levels);
  EXPECT_LE(by_levels.workspace, by_fronts.workspace);
  for (const int columns : {1, 5}) {
    const auto B = some_numbers<Scalar>(static_cast<std::size_t>(matrix.size() * columns));
    const auto expected = host.solved(B, columns), X = by_fronts.solved(B, columns);
    EXPECT_EQ(X, by_levels.solved(B, columns));
    for (std::size_t k = 0; k < X.size(); ++k) ASSERT_LE(Kokkos::abs(X[k] - expected[k]), 1e-11);
  }
}

TEST(LevelEngine, LeavesTheSameNumbersWhereverPanelsLie) {
  for (const double amalgamation : {0.0, 1.0}) {
    std::vector<int> order;
    dissect({0, 0, 0}, {7, 7, 7}, 7, order);
    expect_same_numbers(cube<double>(7, 2), order, amalgamation);
    expect_same_numbers(cube<Kokkos::complex<double>>(5, 3), {}, amalgamation);
    expect_same_numbers(matrix_of<double>(300, [](int i, int j) { return i - j < 4; }), {}, amalgamation);
    expect_same_numbers(matrix_of<double>(200, [](int i, int) { return i > 195; }), {}, amalgamation);
    expect_same_numbers(matrix_of<double>(90, [](int, int) { return false; }), {}, amalgamation);
  }
}

}  // namespace
}  // namespace terrace::test
