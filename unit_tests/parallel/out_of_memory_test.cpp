// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that runs out, in any public constructor and operation: an Error with the code OutOfMemory, and the next
// object works.
#include <gtest/gtest.h>

#include <new>
#include <terrace/terrace.hpp>

#include "backends/failures.hpp"
#include "parallel/concurrency.hpp"
#include "reference/general_matrix.hpp"
#include "solvers/krylov_solver_test.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/failing_memory.hpp"

namespace terrace::test {
namespace {

template <class Space>
class OutOfMemory : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Problem = KrylovProblem<Tested>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutRight, typename Tested::Device>;

  static constexpr Algorithm algorithms[5] = {Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled,
                                              Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns};

  /// The code of the Error that comes out of a public function when this is thrown below it.
  template <class Thrown>
  static ErrorCode code_for(const Thrown& thrown) {
    try {
      try {
        throw thrown;
      } catch (...) {
        parallel::rethrow_as_error(Space(), "terrace::test");
      }
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::InvalidFile;
  }

  const reference::CompressedArrays<double> compressed_ = reference::compress(reference::poisson<double>(12, 11));
  const DeviceArrays<Tested> arrays_{compressed_};
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(OutOfMemory, TestedSpaces);

TYPED_TEST(OutOfMemory, EndsTheAnalysisOfATriangleWithAnError) {
  for (const Algorithm algorithm : this->algorithms)
    for (const Reuse reuse : {Reuse::Many, Reuse::Once})
      for (const bool prepare : {false, true}) {
        const auto analyze = [&] {
          this->arrays_
              .analyze({.uplo = Uplo::Lower,
                        .stored = Stored::Full,
                        .algorithm = algorithm,
                        .reuse = reuse,
                        .prepare_transpose = prepare})
              .info();
        };
        EXPECT_GT(fail_in_turn(std::string("TriangularSolver ") + to_string(algorithm), analyze), 0);
      }
}

TYPED_TEST(OutOfMemory, EndsWorkWithHecWithAnError) {
  const auto analyze = [&] {
    this->arrays_.analyze({.stored = Stored::Full, .storage = Storage::Hec, .deterministic = true}).info();
  };
  EXPECT_GT(fail_in_turn("TriangularSolver in HEC", analyze), 0);
  const auto split = [&] {
    for (const bool ends_with_diagonal : {false, true})
      HecMatrix<double, int, int, TypeParam>(TypeParam(), this->arrays_.row_map, this->arrays_.entries,
                                             this->arrays_.values, 12 * 11, {.ends_with_diagonal = ends_with_diagonal});
  };
  EXPECT_GT(fail_in_turn("HecMatrix", split), 0);
}

TYPED_TEST(OutOfMemory, EndsIncompleteFactorizationsWithAnError) {
  using Symbolic = IluSymbolic<int, int, TypeParam>;
  for (const Ordering ordering : {Ordering::Natural, Ordering::ReverseCuthillMckee})
    for (const int fill_level : {0, 1}) {
      const IluSymbolicOptions options{.fill_level = fill_level, .ordering = ordering};
      const auto factorize = [&] {
        const Symbolic symbolic(TypeParam(), this->arrays_.row_map, this->arrays_.entries, options);
        IluFactor factor(TypeParam(), symbolic, this->arrays_.values, {.scaling = Scaling::Diagonal});
        factor.refactorize(TypeParam(), this->arrays_.values);
        EXPECT_TRUE(factor.info().succeeded());
      };
      EXPECT_GT(fail_in_turn("IluFactor", factorize), 0);
    }
}

TYPED_TEST(OutOfMemory, EndsFactorizationsByThresholdsWithAnError) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const auto factorize = [&] {
      IlutFactor<double, int, int, TypeParam> factor(TypeParam(), this->arrays_.row_map, this->arrays_.entries,
                                                     this->arrays_.values, {.factorization = factorization});
      EXPECT_TRUE(factor.info().succeeded());
    };
    EXPECT_GT(fail_in_turn("IlutFactor", factorize, Failing::MayBeHelped), 0);  // fewer workers need less
  }
}

TYPED_TEST(OutOfMemory, EndsKrylovSolvesWithAnError) {
  const typename TestFixture::Problem problem(reference::poisson<double>(9, 8), Factorization::Cholesky);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  for (const KrylovMethod method : all_methods) {
    const auto solve = [&] {
      const decltype(b) x("x", b.extent(0));
      KrylovSolver<double, TypeParam> solver(TypeParam(), b.extent(0), {.method = method});
      EXPECT_TRUE(solver.solve(TypeParam(), problem.A(), b, x, problem.M()).converged());
    };
    EXPECT_GT(fail_in_turn("KrylovSolver", solve), 0);
  }
  const typename TestFixture::Columns B("B", b.extent(0), 3), X("X", b.extent(0), 3);
  const auto solve_columns = [&] {
    KrylovSolver<double, TypeParam> solver(TypeParam(), b.extent(0));
    solver.solve(TypeParam(), problem.A(), B, X, problem.M());
  };
  EXPECT_GT(fail_in_turn("KrylovSolver with columns", solve_columns), 0);
}

TYPED_TEST(OutOfMemory, EndsWorkOnGridsWithAnError) {
  using T = typename TestFixture::Tested;
  const auto grid = reference::make_poisson<double>({9, 8, 7});
  const auto work = [&] {
    const auto A = to_device_matrix<T>(grid, true);
    const auto crs = to_crs<int>(TypeParam(), A);
    EXPECT_TRUE(recognize_grid(TypeParam(), crs).grid.has_value());
    const auto again = to_structured(TypeParam(), crs, A.grid(), Symmetry::Symmetric);
    StructuredPcg pcg(TypeParam(), again, StructuredFactorOptions{.relaxation = 1.0});
    pcg.refactorize(TypeParam());
    const Kokkos::View<double*, typename T::Device> b("b", 504), x("x", 504);
    EXPECT_EQ(pcg.solve(TypeParam(), b, x).reason, StopReason::Converged);
  };
  EXPECT_GT(fail_in_turn("StructuredPcg", work), 0);
}

TYPED_TEST(OutOfMemory, SaysHowManyBytesWereWantedForWhat) {
  try {
    parallel::uninitialized<double>(TypeParam(), "terrace::test::array", std::size_t(1) << 57);
    FAIL() << "that much memory was there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
    EXPECT_NE(std::string(error.what()).find("terrace::test::array"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1152921504606846976 bytes"), std::string::npos) << error.what();
  }
}

TYPED_TEST(OutOfMemory, TriesAgainWhereTheBackendCouldGiveMemoryBack) {
  parallel::MemoryFaults::arm(0, parallel::MemoryFaults::Mode::FirstTry);
  const auto make = [] { return parallel::zeros<double>(TypeParam(), "terrace::test::array", 10).extent(0); };
  if (parallel::Runtime<TypeParam>::give_back_memory(TypeParam())) EXPECT_EQ(make(), 10U);
  else EXPECT_THROW(make(), Error);
  EXPECT_FALSE(parallel::MemoryFaults::is_armed());
}

TYPED_TEST(OutOfMemory, IsToldApartFromWhatTheCallersCodeThrows) {
  EXPECT_EQ(this->code_for(std::bad_alloc()), ErrorCode::OutOfMemory);
  EXPECT_EQ(this->code_for(Error(ErrorCode::NotSquare, "")), ErrorCode::NotSquare);
  EXPECT_THROW(this->code_for(std::runtime_error("an operator's own")), std::runtime_error);
  EXPECT_THROW(this->code_for(std::string("neither")), std::string);
}

}  // namespace
}  // namespace terrace::test
