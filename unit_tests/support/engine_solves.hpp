// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the GPU's triangular engines share: how they analyze, solve and judge.
#pragma once

#include "reference/triangle_shapes.hpp"
#include "support/captured_graph.hpp"
#include "support/every_option.hpp"
#include "support/full_device.hpp"

namespace terrace::test {

/// Options that lead to each of the engines of single rows, and to all their kernels.
inline std::vector<TriangularOptions> row_engines() {
  return {{}, {.algorithm = Algorithm::LevelScheduled}, {.algorithm = Algorithm::SyncFreeRows}, {.reuse = Reuse::Once}};
}

template <class T>
class EngineSolves : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Solver = typename T::Solver;
  using Numbers = std::vector<Scalar>;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;
  using Columns = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::Device>;
  using Triangle = reference::CompressedTriangle<Scalar>;

  static constexpr bool is_complex = !std::is_floating_point_v<Scalar>;
  /// 1e-14 and 1e-13 for double, where rows are short and where they are long; complex products round more often.
  static constexpr double unit = (is_complex ? 3 : 1) * double(std::numeric_limits<reference::Real<Scalar>>::epsilon());
  static constexpr double of_short_rows = 45 * unit, of_long_rows = 450 * unit;

  static Solver analyze(const Triangle& matrix, TriangularOptions options = {}, const Kokkos::Cuda& space = {}) {
    options.uplo = matrix.uplo;
    const DeviceArrays<T> arrays(matrix);
    return Solver(space, arrays.row_map, arrays.entries, arrays.values, options);
  }

  static Vector on_device(const Numbers& numbers) { return to_device<Scalar, typename T::Device>(numbers); }

  static Numbers solve(const Solver& solver, const Numbers& b, Op op = Op::None) {
    const Kokkos::Cuda space;
    const Vector right = on_device(b), x("x", b.size());
    solver.solve(space, right, x, op);
    space.fence();
    return to_host(x);
  }

  /// Calls test(options) for each engine of single rows.
  static void for_each_row_engine(const auto& test) {
    for (const auto& options : row_engines()) {
      SCOPED_TRACE(describe({options, true, true}));
      test(options);
    }
  }
};

}  // namespace terrace::test
