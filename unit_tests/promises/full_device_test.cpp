// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One multiprocessor is free and the rest of the device is busy with other work: thread blocks of a kernel come one
// after the other, and nothing may wait for one that has not come. Everything ends, with the numbers of a free device.
// Objects are made before, since runtimes wait for the device when memory is freed and kernels are loaded.
#include <terrace/terrace.hpp>

#include <any>

#include "reference/symmetric_shapes.hpp"
#include "reference/triangle_shapes.hpp"
#include "support/cuda_stream.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/full_device.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using Tested = Combination<double, int, Space>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Tested::Device>;
using Symbolic = IluSymbolic<int, int, Space>;
using Factor = IluFactor<double, int, int, Space>;
using Threshold = IlutFactor<double, int, int, Space>;

class CudaFullDevice : public ::testing::Test {
 protected:
  const Space& space() const { return stream_.space(); }

  static Columns random_columns(int rows, int columns) {
    std::vector<std::vector<double>> numbers;
    for (int k = 0; k < columns; ++k) numbers.push_back(random_vector<double>(rows, 20u + unsigned(k)));
    return to_device_columns<Tested, Kokkos::LayoutLeft>(numbers, static_cast<std::size_t>(rows));
  }

  static std::vector<double> numbers_of(const Columns& X) {
    std::vector<double> numbers;
    for (std::size_t k = 0; k < X.extent(1); ++k) {
      const auto column = column_to_host(X, k);
      numbers.insert(numbers.end(), column.begin(), column.end());
    }
    return numbers;
  }

  /// Twice on a free device, which loads the kernels and what is made at the second time, then once on a full one.
  void expect_to_finish(const std::string& what, const auto& use) const {
    SCOPED_TRACE(what);
    for (int repetition = 0; repetition < 2; ++repetition) {
      use();
      space().fence();
    }
    Kokkos::fence();
    const FullDevice full(Left::Whole);  // which says whether it was waited for
    use();
    space().fence();
  }

  void expect_same(const std::string& what, const auto& use, const auto& numbers) const {
    use();
    Kokkos::fence();
    const auto expected = numbers();
    expect_to_finish(what, use);
    EXPECT_EQ(numbers(), expected) << what;
  }

  void expect_triangle_to_finish(const std::string& what, const reference::CompressedTriangle<double>& matrix,
                                 TriangularOptions options, int columns) const {
    options.uplo = matrix.uplo;
    options.prepare_transpose = true;
    options.right_hand_sides = columns;
    const DeviceArrays<Tested> arrays(matrix);
    Tested::Solver solver(space(), arrays.row_map, arrays.entries, arrays.values, options);
    const Columns B = random_columns(matrix.rows(), columns), X("X", B.extent(0), B.extent(1));
    for (const Op op : {Op::None, Op::Transpose}) {
      const auto use = [&] {
        solver.update_values(space(), arrays.values);
        solver.solve(space(), B, X, op);
      };
      const std::string of = what + ", " + std::to_string(columns) + " columns, " + to_string(op);
      if (options.algorithm == Algorithm::SyncFreeColumns || op != Op::None) expect_to_finish(of, use);
      else expect_same(of, use, [&] { return numbers_of(X); });
    }
  }

  CudaStream stream_;
};

TEST_F(CudaFullDevice, TrianglesByRowsColumnsAndTiles) {
  const auto grid = reference::grid_triangle<double>(70, 60), band = reference::band_triangle<double>(1500, 100);
  for (const Algorithm algorithm : {Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled,
                                    Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns})
    for (const int columns : {1, 8})
      expect_triangle_to_finish(std::string("grid, ") + to_string(algorithm), grid, {.algorithm = algorithm}, columns);
  for (const int columns : {1, 3, 32}) {
    expect_triangle_to_finish("mixed widths", reference::mixed_widths<double>(), {}, columns);
    expect_triangle_to_finish("hubs", reference::with_hubs<double>(), {}, columns);
    expect_triangle_to_finish("dense", reference::dense_triangle<double>(700, 1), {}, columns);
    expect_triangle_to_finish("band", band, {}, columns);
    expect_triangle_to_finish("band, turned around", band.turned_around(), {}, columns);
  }
  expect_triangle_to_finish("once", grid, {.reuse = Reuse::Once}, 8);
}

TEST_F(CudaFullDevice, AnalysesAndLevels) {
  std::vector<std::any> kept;  // freeing waits for the device
  for (const auto& matrix : {reference::mixed_widths<double>(), reference::with_hubs<double>(),
                             reference::grid_triangle<double>(300, 250), reference::dense_triangle<double>(700, 1)}) {
    const DeviceArrays<Tested> arrays(matrix);
    expect_to_finish("analysis of a triangle", [&] {
      kept.emplace_back(std::make_shared<Tested::Solver>(space(), arrays.row_map, arrays.entries, arrays.values,
                                                         TriangularOptions{.uplo = matrix.uplo}));
    });
    expect_to_finish("level_sets", [&] {
      kept.emplace_back(level_sets<int, int, Space>(space(), arrays.row_map, arrays.entries, {.uplo = matrix.uplo}));
    });
  }
}

TEST_F(CudaFullDevice, EveryWayToEliminate) {
  std::vector<std::any> kept;
  for (const auto& shape : reference::elimination_shapes())
    for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
      if (factorization == Factorization::Cholesky && !reference::is_symmetric(shape.matrix)) continue;
      const std::string what = std::string(shape.name) + ", " + to_string(factorization);
      const DeviceArrays<Tested> arrays(reference::compress(reference::with_numbers<double>(shape.matrix, false)));
      const auto analyze = [&] {
        return std::make_shared<Symbolic>(space(), arrays.row_map, arrays.entries,
                                          IluSymbolicOptions{.factorization = factorization});
      };
      const auto symbolic = analyze();
      expect_to_finish(what + ", symbolic", [&] { kept.emplace_back(analyze()); });
      for (const double relaxation : {0.0, 0.7}) {
        Factor factor(space(), *symbolic, arrays.values, {.relaxation = relaxation});
        expect_same(
            what + ", relaxation " + std::to_string(relaxation), [&] { factor.refactorize(space(), arrays.values); },
            [&] { return to_host(factor.values()); });
      }
    }
}

TEST_F(CudaFullDevice, Thresholds) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const DeviceArrays<Tested> arrays(reference::compress(reference::poisson<double>(60, 50)));
    Threshold factor(space(), arrays.row_map, arrays.entries, arrays.values, {.factorization = factorization});
    const Columns B = random_columns(3000, 1), X("X", 3000, 1);
    const auto b = Kokkos::subview(B, Kokkos::ALL, 0), x = Kokkos::subview(X, Kokkos::ALL, 0);
    expect_same(
        to_string(factorization), [&] { factor.apply(space(), b, x); }, [&] { return numbers_of(X); });
  }
}

TEST_F(CudaFullDevice, SchwarzMethods) {
  const auto matrix = reference::poisson<double>(60, 50);
  const DeviceArrays<Tested> arrays(reference::compress(matrix));
  std::vector<int> block_of_row;
  for (int row = 0; row < matrix.size(); ++row) block_of_row.push_back(row / 60 / 2);
  const Partition<int, Space> partition(space(), to_device<int, Tested::Device>(block_of_row), 25);
  const CrsOperator<double, int, int, Space>::matrix_type A("A", 3000, 3000, static_cast<int>(arrays.values.extent(0)),
                                                            arrays.values, arrays.row_map, arrays.entries);
  const Subdomains<int, int, Space> subdomains(space(), A, partition, {.overlap = 1});
  const Columns B = random_columns(3000, 8), X("X", 3000, 8);
  for (const auto algorithm : {SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers})
    for (const auto variant : {SchwarzVariant::Restricted, SchwarzVariant::Harmonic, SchwarzVariant::Symmetric}) {
      SchwarzFactor<double, int, int, Space> factor(space(), subdomains, arrays.values,
                                                    {.variant = variant, .algorithm = algorithm});
      expect_same(
          std::string(to_string(algorithm)) + ", " + to_string(variant),
          [&] {
            factor.refactorize(space(), arrays.values);
            factor.apply(space(), B, X);
          },
          [&] { return numbers_of(X); });
    }
}

TEST_F(CudaFullDevice, DirectFactorizations) {
  for (const auto& matrix : {reference::poisson<double>(60, 50),
                             reference::mesh_of_three(reference::dominant(reference::poisson<double>(20, 20, 5))),
                             reference::all_linked(700), reference::arrow(2000), reference::tree(3000)})
    for (const auto algorithm : {LdltAlgorithm::Multifrontal, LdltAlgorithm::Columns}) {
      if (algorithm == LdltAlgorithm::Columns && matrix.size() > 5000) continue;
      const DeviceArrays<Tested> arrays(reference::compress(matrix));
      const LdltSymbolic<int, int, Space> symbolic(space(), arrays.row_map, arrays.entries, {.algorithm = algorithm});
      LdltFactor<double, int, int, Space> factor(space(), symbolic, arrays.values);
      for (const int columns : {1, 5, 40}) {
        const Columns B = random_columns(matrix.size(), columns), X("X", B.extent(0), B.extent(1));
        const auto use = [&] {
          factor.refactorize(space(), arrays.values);
          factor.solve(space(), B, X);
        };
        const std::string what = std::string(to_string(algorithm)) + ", " + std::to_string(matrix.size()) + " rows, " +
                                 std::to_string(columns) + " columns";
        if (algorithm == LdltAlgorithm::Columns) expect_to_finish(what, use);
        else expect_same(what, use, [&] { return numbers_of(X); });
      }
    }
}

TEST_F(CudaFullDevice, GridsAndIterations) {
  for (const Grid grid : {Grid{120, 130, 1}, Grid{40, 33, 30}}) {
    const auto A = to_device_matrix<Tested>(reference::make_poisson<double>(grid), true);
    const int rows = grid.nx * grid.ny * grid.nz;
    const Columns B = random_columns(rows, 3), X("X", B.extent(0), B.extent(1));
    const auto b = Kokkos::subview(B, Kokkos::ALL, 0), x = Kokkos::subview(X, Kokkos::ALL, 0);
    StructuredFactor<double, Space> factor(space(), A, {.right_hand_sides = 3});
    expect_same(
        "sweeps",
        [&] {
          factor.refactorize(space());
          factor.solve(space(), B, X);
        },
        [&] { return numbers_of(X); });
    const StructuredPcg<double, Space> pcg(space(), A, StructuredFactorOptions{.relaxation = 1.0});
    expect_to_finish("StructuredPcg", [&] {
      Kokkos::deep_copy(space(), x, 0.0);
      EXPECT_TRUE(pcg.solve(space(), b, x).converged());
    });
    const auto crs = to_crs<int>(space(), A);
    const Symbolic symbolic(space(), crs.graph.row_map, crs.graph.entries, {.factorization = Factorization::Cholesky});
    const Factor incomplete(space(), symbolic, crs.values);
    for (const bool replay : {false, true})
      for (const auto method : {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab, KrylovMethod::Gmres}) {
        KrylovSolver<double, Space> krylov(space(), static_cast<std::size_t>(rows),
                                           {.method = method, .replay = replay});
        expect_to_finish(std::string(to_string(method)) + (replay ? ", replayed" : ""), [&] {
          Kokkos::deep_copy(space(), x, 0.0);
          EXPECT_TRUE(krylov.solve(space(), CrsOperator(crs), b, x, incomplete).converged());
        });
      }
  }
}

}  // namespace
}  // namespace terrace::test
