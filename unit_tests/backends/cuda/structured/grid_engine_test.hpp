// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the tiles of a GPU's engine can get wrong: shapes that fill them partly, edges that are handed on, values
// that are flags, graphs, streams, a device that is busy. What it computes is compared with the sequential engine.
#pragma once

#include <bit>
#include <cstdint>
#include <terrace/structured_pcg.hpp>

#include "backends/cuda/structured/make_engine.hpp"
#include "support/captured_graph.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/full_device.hpp"

namespace terrace::test {

template <class T>
class GridEngineTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = Kokkos::Cuda;
  using Host = Combination<Scalar, int, Kokkos::Serial>;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;
  using Matrix = reference::GridMatrix<Scalar>;
  using Numbers = std::vector<Scalar>;
  template <class On>
  using FactorOn = StructuredFactor<Scalar, typename On::Space>;
  using Factor = FactorOn<T>;

  static constexpr bool is_double = std::is_same_v<Scalar, double>;
  static constexpr double unit = std::numeric_limits<Scalar>::epsilon();
  static constexpr double of_pivots = 45 * unit, of_solves = 450 * unit;  // 1e-14 and 1e-13 for double

  template <class On>
  static FactorOn<On> factorize_on(const Matrix& A, bool symmetric, double relaxation, SweepAlgorithm algorithm) {
    return {typename On::Space(), to_device_matrix<On>(A, symmetric),
            StructuredFactorOptions{.relaxation = relaxation, .algorithm = algorithm}};
  }
  static Factor factorize(const Matrix& A, bool symmetric = true, double relaxation = 0.5) {
    return factorize_on<T>(A, symmetric, relaxation, SweepAlgorithm::Pipelined);
  }
  static FactorOn<Host> expected_factor(const Matrix& A, bool symmetric = true, double relaxation = 0.5) {
    return factorize_on<Host>(A, symmetric, relaxation, SweepAlgorithm::Sequential);
  }

  /// The three solves of a factor.
  template <class On>
  static std::vector<Numbers> solves(const FactorOn<On>& M, const Numbers& b) {
    const auto right = to_device<Scalar, typename On::Device>(b);
    const Kokkos::View<Scalar*, typename On::Device> x("x", b.size());
    std::vector<Numbers> found;
    const typename On::Space space;
    M.solve_forward(space, right, x);
    space.fence();
    found.push_back(to_host(x));
    M.solve_backward(space, right, x);
    space.fence();
    found.push_back(to_host(x));
    M.solve(space, right, x);
    space.fence();
    found.push_back(to_host(x));
    return found;
  }

  static void expect_agreement(const Grid& grid, bool symmetric, double relaxation) {
    const auto A = reference::make_grid_matrix<Scalar>(grid, symmetric, 7u + static_cast<unsigned>(grid.cells()), 2.0);
    const auto b = random_vector<Scalar>(A.size(), 3);
    const auto M = factorize(A, symmetric, relaxation);
    const auto expected = expected_factor(A, symmetric, relaxation);
    EXPECT_LT(relative_difference(to_host(M.inverse_pivots()), to_host(expected.inverse_pivots())), of_pivots)
        << to_string(grid);
    const auto found = solves<T>(M, b), wanted = solves<Host>(expected, b);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_LT(relative_difference(found[k], wanted[k]), of_solves) << to_string(grid) << " solve " << k;
  }

  /// Infinities, quiet and signaling NaNs, all ones, and what the sweeps themselves take for "not yet".
  static Numbers what_is_not_finite() {
    Numbers all;
    if constexpr (is_double)
      for (const std::uint64_t bits :
           {0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000000u, 0xffffffffffffffffu, 0xfff7ffff00000000u,
            0xfff7ffffffffffffu, 0x7ff0000000000001u})
        all.push_back(std::bit_cast<Scalar>(bits));
    else
      for (const std::uint32_t bits :
           {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffffffffu, 0xffbfffffu, 0xffbffffeu, 0x7f800001u})
        all.push_back(std::bit_cast<Scalar>(bits));
    return all;
  }
};

TYPED_TEST_SUITE_P(GridEngineTest);

TYPED_TEST_P(GridEngineTest, AgreesWithTheSequentialOneOnEveryShapeUpToNine) {
  int shape = 0;
  for_each_grid(9, [&](const Grid& grid) { this->expect_agreement(grid, ++shape % 2 == 0, 0.5 * (shape % 3)); });
}

TYPED_TEST_P(GridEngineTest, AgreesOnShapesThatFillTilesPartly) {
  for (const Grid& grid :
       {Grid{200, 300, 1}, Grid{65, 64, 1}, Grid{64, 65, 1}, Grid{1, 513, 257}, Grid{1000, 1, 33}, Grid{63, 130, 2},
        Grid{17, 16, 33}, Grid{33, 31, 47}, Grid{50, 41, 63}, Grid{129, 3, 127}, Grid{170, 180, 30}, Grid{256, 17, 18}})
    for (const bool symmetric : {true, false}) this->expect_agreement(grid, symmetric, symmetric ? 1.0 : 0.0);
}

TYPED_TEST_P(GridEngineTest, AgreesOnFlatShapes) {
  for (const Grid& grid : {Grid{1, 20000, 1}, Grid{20000, 1, 1}, Grid{1, 1, 20000}, Grid{10000, 3, 2}, Grid{3, 2, 5001},
                           Grid{2, 3001, 2}, Grid{5, 5, 2000}})
    this->expect_agreement(grid, true, 0.5);
}

TYPED_TEST_P(GridEngineTest, NamesTheBreakdownsThatTheSequentialOneFinds) {
  using Number = typename TypeParam::Scalar;
  for (const Grid& grid : {Grid{150, 90, 1}, Grid{7, 30, 12}, Grid{40, 39, 53}}) {
    auto A = reference::make_poisson<Number>(grid);
    for (const int place : {2, 3, 5}) A.center[A.center.size() * static_cast<std::size_t>(place) / 7] = Number(0.4);
    for (const bool symmetric : {true, false}) {
      if (!symmetric) A.center[A.center.size() / 5] = std::numeric_limits<Number>::quiet_NaN();
      const StructuredFactorOptions options{
          .relaxation = 0.5, .pivots = {.policy = PivotPolicy::Shift, .max_attempts = symmetric ? 21 : 2}};
      const typename TestFixture::Factor M(Kokkos::Cuda(), to_device_matrix<TypeParam>(A, symmetric), options);
      const StructuredFactor<Number, Kokkos::Serial> expected(
          Kokkos::Serial(), to_device_matrix<typename TestFixture::Host>(A, symmetric), options);
      EXPECT_TRUE(M.info().first_breakdown) << to_string(grid);
      EXPECT_EQ(M.info().first_breakdown, expected.info().first_breakdown) << to_string(grid);
      EXPECT_EQ(M.info().breakdown, expected.info().breakdown) << to_string(grid);
      EXPECT_EQ(M.info().attempts, expected.info().attempts) << to_string(grid);
      EXPECT_EQ(M.info().shift, expected.info().shift) << to_string(grid);
    }
  }
}

TYPED_TEST_P(GridEngineTest, GivesTheSameBitsAThousandTimes) {
  using Number = typename TypeParam::Scalar;
  for (const Grid& grid : {Grid{300, 200, 1}, Grid{40, 50, 33}}) {
    const auto A = reference::make_grid_matrix<Number>(grid, true, 5, 2.0);
    const auto M = this->factorize(A);
    const auto b = to_device<Number, typename TypeParam::Device>(random_vector<Number>(A.size(), 5));
    const typename TestFixture::Vector x("x", b.extent(0)), first("first", b.extent(0));
    const Kokkos::Cuda space;
    M.solve(space, b, first);
    const auto expected = to_host(first);
    for (int batch = 0; batch < 5; ++batch) {
      for (int repetition = 0; repetition < 200; ++repetition) M.solve(space, b, x);
      space.fence();
      ASSERT_EQ(to_host(x), expected);
    }
  }
}

/// Whatever the bits of a number that is none, waits end, and the next solve is as good as ever.
TYPED_TEST_P(GridEngineTest, EndsEveryWaitWhateverIsNotANumber) {
  using Number = typename TypeParam::Scalar;
  using OnHost = typename TestFixture::Host;
  for (const Grid& grid : {Grid{200, 150, 1}, Grid{20, 7, 33}, Grid{40, 39, 53}}) {
    const auto A = reference::make_grid_matrix<Number>(grid, true, 5, 2.0);
    const auto M = this->factorize(A);
    const auto expected = this->expected_factor(A);
    for (const Number bad : this->what_is_not_finite())
      for (const int at : {0, A.size() / 2, A.size() - 1}) {
        auto b = random_vector<Number>(A.size(), 9);
        b[static_cast<std::size_t>(at)] = bad;
        const auto found = this->template solves<TypeParam>(M, b), wanted = this->template solves<OnHost>(expected, b);
        for (std::size_t solve = 0; solve < found.size(); ++solve)
          EXPECT_TRUE(reference::is_not_finite(found[solve]) == reference::is_not_finite(wanted[solve]))
              << to_string(grid) << " cell " << at << " solve " << solve;
      }
    const auto b = random_vector<Number>(A.size(), 11);
    EXPECT_LT(
        relative_difference(this->template solves<TypeParam>(M, b)[2], this->template solves<OnHost>(expected, b)[2]),
        this->of_solves);
  }
}

/// In the centre or beside it: the pivots and the solves have their NaNs where those of the sequential engine do.
TYPED_TEST_P(GridEngineTest, CarriesWhatIsNotANumberThroughTheFactorization) {
  using Number = typename TypeParam::Scalar;
  using OnHost = typename TestFixture::Host;
  for (const Grid& grid : {Grid{200, 150, 1}, Grid{20, 7, 33}, Grid{40, 39, 53}}) {
    const auto good = reference::make_grid_matrix<Number>(grid, false, 5, 2.0);
    const auto b = random_vector<Number>(good.size(), 9);
    const auto at = static_cast<std::size_t>(grid.index({grid.nx / 2, grid.ny / 2, grid.nz / 2}));
    for (const Number bad : this->what_is_not_finite()) {
      if (!std::isnan(bad)) continue;
      for (const int side : {0, 1, 2}) {
        auto A = good;
        (side == 0 ? A.center : side == 1 ? A.lower[1] : A.upper[0])[at] = bad;
        const StructuredFactorOptions options{.relaxation = 0.5, .pivots = {.policy = PivotPolicy::Report}};
        const typename TestFixture::Factor M(Kokkos::Cuda(), to_device_matrix<TypeParam>(A, false), options);
        const StructuredFactor<Number, Kokkos::Serial> expected(Kokkos::Serial(), to_device_matrix<OnHost>(A, false),
                                                                options);
        EXPECT_EQ(M.info().breakdown, expected.info().breakdown) << to_string(grid) << " side " << side;
        EXPECT_TRUE(reference::is_not_finite(to_host(M.inverse_pivots())) ==
                    reference::is_not_finite(to_host(expected.inverse_pivots())))
            << to_string(grid) << " side " << side;
        const auto found = this->template solves<TypeParam>(M, b), wanted = this->template solves<OnHost>(expected, b);
        for (std::size_t solve = 0; solve < found.size(); ++solve)
          EXPECT_TRUE(reference::is_not_finite(found[solve]) == reference::is_not_finite(wanted[solve]))
              << to_string(grid) << " side " << side << " solve " << solve;
      }
    }
  }
}

TYPED_TEST_P(GridEngineTest, FactorsOfTheirOwnSolveOnSeveralStreamsAtOnce) {
  using Number = typename TypeParam::Scalar;
  constexpr int streams = 4;
  const auto A = reference::make_grid_matrix<Number>({100, 110, 30}, true, 5, 2.0);
  const auto b = random_vector<Number>(A.size(), 10);
  const auto right = to_device<Number, typename TypeParam::Device>(b);
  const auto expected = this->template solves<typename TestFixture::Host>(this->expected_factor(A, true, 0.0), b)[2];
  std::vector<cudaStream_t> stream(streams);
  for (auto& one : stream) cuda::check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  {
    const std::vector<Kokkos::Cuda> space(stream.begin(), stream.end());
    std::vector<typename TestFixture::Factor> M;
    std::vector<typename TestFixture::Vector> x;
    for (int k = 0; k < streams; ++k) {
      M.emplace_back(space[k], to_device_matrix<TypeParam>(A, true));
      x.emplace_back("x", b.size());
    }
    Kokkos::fence();
    for (int repetition = 0; repetition < 50; ++repetition)
      for (int k = 0; k < streams; ++k) M[k].solve(space[k], right, x[k]);
    Kokkos::fence();
    for (int k = 0; k < streams; ++k) EXPECT_LT(relative_difference(to_host(x[k]), expected), this->of_solves);
  }
  for (auto one : stream) cuda::check(cudaStreamDestroy(one));
}

TYPED_TEST_P(GridEngineTest, FinishesOnADeviceThatIsFullOfOtherWork) {
  using Number = typename TypeParam::Scalar;
  const auto A = reference::make_grid_matrix<Number>({120, 130, 30}, true, 5, 2.0);
  const auto b = random_vector<Number>(A.size(), 14);
  const auto right = to_device<Number, typename TypeParam::Device>(b);
  const typename TestFixture::Vector x("x", b.size());
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const Kokkos::Cuda space(stream);
    const typename TestFixture::Factor M(space, to_device_matrix<TypeParam>(A, true));
    M.solve(space, right, x);  // loads the kernels, which waits for an idle device
    space.fence();
    const auto expected = to_host(x);
    Kokkos::deep_copy(x, Number(0));
    {
      const FullDevice full(Left::Whole);  // whose registers a tile with transfer warps needs
      M.solve(space, right, x);
      EXPECT_TRUE(finishes(stream));
    }
    space.fence();
    EXPECT_EQ(to_host(x), expected);
  }
  cuda::check(cudaStreamDestroy(stream));
}

TYPED_TEST_P(GridEngineTest, LeavesMostlyPaddedGridsToWavefronts) {
  EXPECT_EQ(cuda::grid::objection(Kokkos::Cuda(), {1024, 1024, 1}), "");
  EXPECT_EQ(cuda::grid::objection(Kokkos::Cuda(), {20000, 1, 1}), "");
  EXPECT_NE(cuda::grid::objection(Kokkos::Cuda(), {10000000, 1, 1}), "");
}

TYPED_TEST_P(GridEngineTest, IteratesFromAnyGuess) {
  using Number = typename TypeParam::Scalar;
  const double tolerance = this->is_double ? 1e-11 : 1e-5, error = this->is_double ? 1e-9 : 1e-2;
  const auto A = reference::make_poisson<Number>({40, 33, 50});
  const Kokkos::Cuda space;
  const StructuredPcg<Number, Kokkos::Cuda> pcg(space, to_device_matrix<TypeParam>(A, true), {.relaxation = 0.95});
  EXPECT_EQ(pcg.factor_info().algorithm, SweepAlgorithm::Pipelined);
  const auto wanted = random_vector<Number>(A.size(), 2);
  const auto b = to_device<Number, typename TypeParam::Device>(reference::multiply(A.rows(), wanted));
  for (const unsigned seed : {0u, 3u, 4u}) {
    const auto guess = seed == 0 ? std::vector<Number>(wanted.size()) : random_vector<Number>(A.size(), seed);
    const auto x = to_device<Number, typename TypeParam::Device>(guess);
    const auto result = pcg.solve(space, b, x, {.tolerance = tolerance});
    EXPECT_TRUE(result.converged()) << result.true_residual;
    EXPECT_LT(relative_difference(to_host(x), wanted), error);
  }
}

TYPED_TEST_P(GridEngineTest, CarriesTheResidualThatGenericIterationsHave) {
  using Number = typename TypeParam::Scalar;
  for (const Grid& grid : {Grid{150, 90, 1}, Grid{5, 40, 12}, Grid{33, 40, 35}}) {
    const auto A = reference::make_grid_matrix<Number>(grid, true, 3);
    const Kokkos::Cuda space;
    const auto b = to_device<Number, typename TypeParam::Device>(random_vector<Number>(A.size(), 5));
    std::vector<std::vector<double>> history;
    for (const auto algorithm : {SweepAlgorithm::Pipelined, SweepAlgorithm::Wavefronts}) {
      const StructuredPcg<Number, Kokkos::Cuda> pcg(space, to_device_matrix<TypeParam>(A, true),
                                                    {.algorithm = algorithm});
      const typename TestFixture::Vector x("x", b.extent(0));
      history.push_back(pcg.solve(space, b, x, {.tolerance = 1e-30, .max_iterations = 8, .check_every = 3}).residuals);
    }
    ASSERT_EQ(history[0].size(), history[1].size());
    for (std::size_t k = 0; k < history[0].size(); ++k)
      EXPECT_NEAR(history[0][k] / history[1][k], 1.0, this->is_double ? 1e-8 : 1e-2)
          << to_string(grid) << " iteration " << k;
  }
}

REGISTER_TYPED_TEST_SUITE_P(GridEngineTest, AgreesWithTheSequentialOneOnEveryShapeUpToNine,
                            AgreesOnShapesThatFillTilesPartly, AgreesOnFlatShapes,
                            NamesTheBreakdownsThatTheSequentialOneFinds, GivesTheSameBitsAThousandTimes,
                            EndsEveryWaitWhateverIsNotANumber, CarriesWhatIsNotANumberThroughTheFactorization,
                            FactorsOfTheirOwnSolveOnSeveralStreamsAtOnce, FinishesOnADeviceThatIsFullOfOtherWork,
                            LeavesMostlyPaddedGridsToWavefronts, IteratesFromAnyGuess,
                            CarriesTheResidualThatGenericIterationsHave);

}  // namespace terrace::test
