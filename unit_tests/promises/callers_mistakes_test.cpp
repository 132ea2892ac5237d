// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller can get wrong with objects: moved away, handed vectors of another size, asked for what was not
// prepared, freed in another order than they were made.
#include <memory>
#include <terrace/terrace.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_grid_matrix.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using T = Combination<double, int, Space>;
using Vector = Kokkos::View<double*, T::Device>;
using Solver = TriangularSolver<double, int, int, Space>;
using Ilu = IluFactor<double, int, int, Space>;
using Ilut = IlutFactor<double, int, int, Space>;
using Ldlt = LdltFactor<double, int, int, Space>;
using Hec = HecMatrix<double, int, int, Space>;
using Krylov = KrylovSolver<double, Space>;
using Schwarz = SchwarzFactor<double, int, int, Space>;

class CallersMistakes : public ::testing::Test {
 public:
  static constexpr int rows = 42;

  CallersMistakes() { Kokkos::deep_copy(b, 1.0); }

  Solver solver(const TriangularOptions& options = {.stored = Stored::Full}) const {
    return Solver(Space(), arrays.row_map, arrays.entries, arrays.values, options);
  }
  Ilu ilu() const { return Ilu(Space(), Ilu::Symbolic(Space(), arrays.row_map, arrays.entries), arrays.values); }
  Ilut ilut() const { return Ilut(Space(), arrays.row_map, arrays.entries, arrays.values); }
  Ldlt ldlt() const { return Ldlt(Space(), Ldlt::Symbolic(Space(), arrays.row_map, arrays.entries), arrays.values); }
  Hec hec() const { return Hec(Space(), arrays.row_map, arrays.entries, arrays.values, rows); }
  Schwarz schwarz() const {
    std::vector<int> numbers(rows, 0);
    const Partition<int, Space> partition(Space(), to_device<int, T::Device>(numbers), 1);
    return Schwarz(Space(), Schwarz::SubdomainsType(Space(), arrays.row_map, arrays.entries, partition), arrays.values);
  }

  /// Twice moved away, assigned to, and destroyed: what is left works, what was left can be replaced.
  template <class Make, class Use>
  void expect_movable(const Make& make, const Use& use) const {
    auto first = make();
    const auto expected = use(first);
    auto second(std::move(first));
    EXPECT_EQ(use(second), expected);
    first = std::move(second);
    EXPECT_EQ(use(first), expected);
    second = make();
    EXPECT_EQ(use(second), expected);
    first = std::move(second);  // over an object that holds something
    EXPECT_EQ(use(first), expected);
    auto& same = first;
    first = std::move(same);  // onto itself
    EXPECT_EQ(use(first), expected);
  }

  /// z = M^-1 b.
  template <class Factor>
  std::vector<double> applied(const Factor& factor) const {
    factor.apply(Space(), b, x);
    Space().fence();
    return to_host(x);
  }

  const DeviceArrays<T> arrays{reference::compress(reference::poisson<double>(7, 6))};
  const Vector b{"b", rows}, x{"x", rows};
};

TEST_F(CallersMistakes, AMovedFromObjectCanBeAssignedToAndDestroyed) {
  const auto solved = [&](const Solver& from) {
    from.solve(Space(), b, x);
    Space().fence();
    return to_host(x);
  };
  expect_movable([&] { return solver(); }, solved);
  expect_movable([&] { return ilu(); }, [&](const Ilu& factor) { return applied(factor); });
  expect_movable([&] { return ilut(); }, [&](const Ilut& factor) { return applied(factor); });
  expect_movable([&] { return ldlt(); }, [&](const Ldlt& factor) { return applied(factor); });
  expect_movable([&] { return schwarz(); }, [&](const Schwarz& factor) { return applied(factor); });
  expect_movable([&] { return hec(); }, [&](const Hec& matrix) { return applied(matrix); });
}

TEST_F(CallersMistakes, AMovedFromSolverOfIterationsCanBeAssignedToAndDestroyed) {
  const Hec A = hec();
  expect_movable([&] { return Krylov(Space(), rows); },
                 [&](Krylov& solver) {
                   Kokkos::deep_copy(x, 0.0);
                   return solver.solve(Space(), A, b, x).iterations;
                 });
}

TEST_F(CallersMistakes, WrongSizesAreRefusedAfterAMoveAsBefore) {
  const Vector longer("longer", rows + 1);
  const auto refuses = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "vectors of another size were taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::SizeMismatch) << error.what();
    }
  };
  auto made_solver = solver();
  auto made_ilu = ilu();
  auto made_ldlt = ldlt();
  const Solver moved_solver(std::move(made_solver));
  const Ilu moved_ilu(std::move(made_ilu));
  const Ldlt moved_ldlt(std::move(made_ldlt));
  refuses([&] { moved_solver.solve(Space(), longer, x); });
  refuses([&] { moved_ilu.apply(Space(), b, longer); });
  refuses([&] { moved_ldlt.solve(Space(), longer, longer); });
  Krylov made_krylov(Space(), rows);
  Krylov moved_krylov(std::move(made_krylov));
  refuses([&] { moved_krylov.solve(Space(), hec(), longer, longer); });
}

TEST_F(CallersMistakes, AnOperationThatWasNotPreparedIsSolvedAllTheSame) {
  for (const auto algorithm :
       {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns})
    for (const Op op : {Op::Transpose, Op::ConjugateTranspose}) {
      const auto x_of = [&](const TriangularOptions& options) {
        solver(options).solve(Space(), b, x, op);
        Space().fence();
        return to_host(x);
      };
      const auto expected = x_of({.stored = Stored::Full, .algorithm = algorithm, .op = op, .prepare_transpose = true});
      EXPECT_LE(reference::largest_difference(x_of({.stored = Stored::Full, .algorithm = algorithm}), expected), 1e-14);
    }
}

TEST_F(CallersMistakes, ViewsAndSymbolicPhasesMayBeReleasedBeforeTheFactor) {
  auto own = std::make_unique<DeviceArrays<T>>(reference::compress(reference::poisson<double>(7, 6)));
  auto symbolic = std::make_unique<Ilu::Symbolic>(Space(), own->row_map, own->entries);
  const Ilu factor(Space(), *symbolic, own->values);
  const Solver of_views(Space(), own->row_map, own->entries, own->values, {.stored = Stored::Full});
  symbolic.reset();
  own.reset();
  EXPECT_EQ(applied(factor), applied(ilu()));
  of_views.solve(Space(), b, x);
  Space().fence();
  EXPECT_EQ(of_views.info().first_singular_row(), std::nullopt);
}

}  // namespace
}  // namespace terrace::test
