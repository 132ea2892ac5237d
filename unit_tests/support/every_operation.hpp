// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each public class, made and used once on a small matrix: for tests that go through all that a caller can do.
#pragma once

#include <functional>
#include <string>
#include <terrace/terrace.hpp>
#include <vector>

#include "reference/general_matrix.hpp"
#include "support/device_grid_matrix.hpp"

namespace terrace::test {

struct Operation {
  std::string name;
  std::function<void()> use;      ///< leaves nothing behind; fails a test where a result is wrong
  bool may_do_with_less = false;  ///< than all the memory that it asks for
  bool repeats_bits = true;       ///< what it leaves in the vectors is the same whenever and wherever it is used
};

template <class Space>
class EveryOperation {
 public:
  using T = Combination<double, int, Space>;
  using Vector = Kokkos::View<double*, typename T::Device>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, typename T::Device>;
  using Crs = typename CrsOperator<double, int, int, Space>::matrix_type;

  EveryOperation() {
    Kokkos::deep_copy(b, 1.0);
    Kokkos::deep_copy(B, 1.0);
  }

  void clear() const {
    Kokkos::deep_copy(x, 0.0);
    Kokkos::deep_copy(X, 0.0);
  }
  std::vector<double> numbers() const {
    auto numbers = to_host(x);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto column = column_to_host(X, k);
      numbers.insert(numbers.end(), column.begin(), column.end());
    }
    return numbers;
  }

  std::vector<Operation> all() const {
    std::vector<Operation> operations;
    add_triangles(operations);
    add_incomplete_factors(operations);
    add_schwarz(operations);
    add_iterations(operations);
    add_direct_factors(operations);
    add_grids(operations);
    return operations;
  }

 private:
  static constexpr int nx = 9, ny = 8, rows = nx * ny;

  Crs matrix() const {
    return Crs("A", rows, rows, static_cast<int>(arrays.values.extent(0)), arrays.values, arrays.row_map,
               arrays.entries);
  }

  void add_triangles(std::vector<Operation>& operations) const {
    for (const Algorithm algorithm : {Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled,
                                      Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns})
      for (const Format format : {Format::Csr, Format::Csc})
        operations.push_back({std::string("TriangularSolver ") + to_string(algorithm),
                              [=, this] {
                                TriangularSolver<double, int, int, Space> solver(Space(), arrays.row_map,
                                                                                 arrays.entries, arrays.values,
                                                                                 {.stored = Stored::Full,
                                                                                  .format = format,
                                                                                  .algorithm = algorithm,
                                                                                  .prepare_transpose = true,
                                                                                  .right_hand_sides = 3});
                                EXPECT_EQ(solver.info().first_singular_row(), std::nullopt);
                                solver.solve(Space(), B, X);
                                Space().fence();
                              },
                              false, algorithm != Algorithm::SyncFreeColumns && format == Format::Csr});
    operations.push_back({"level_sets", [this] {
                            const auto sets = level_sets<int, int, Space>(Space(), arrays.row_map, arrays.entries,
                                                                          {.stored = Stored::Full});
                            EXPECT_EQ(sets.levels(), nx + ny - 1);
                          }});
    operations.push_back({"HecMatrix", [this] {
                            HecMatrix<double, int, int, Space> hec(Space(), arrays.row_map, arrays.entries,
                                                                   arrays.values, rows);
                            hec.update_values(Space(), arrays.values);
                            hec.apply(Space(), b, x);
                            Space().fence();
                          }});
  }

  void add_incomplete_factors(std::vector<Operation>& operations) const {
    for (const auto ordering : {Ordering::Natural, Ordering::Multicolor, Ordering::Automatic})
      for (const auto policy : {PivotPolicy::Report, PivotPolicy::Shift})
        operations.push_back({std::string("IluFactor ") + to_string(ordering), [=, this] {
                                const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries,
                                                                            {.fill_level = 1, .ordering = ordering});
                                IluFactor<double, int, int, Space> factor(
                                    Space(), symbolic, arrays.values,
                                    {.scaling = Scaling::Diagonal, .pivots = {.policy = policy}});
                                factor.refactorize(Space(), arrays.values);
                                EXPECT_TRUE(factor.info().succeeded());
                              }});
    for (const auto factorization : {Factorization::Lu, Factorization::Cholesky})
      operations.push_back({std::string("IlutFactor ") + to_string(factorization),
                            [=, this] {
                              IlutFactor<double, int, int, Space> factor(
                                  Space(), arrays.row_map, arrays.entries, arrays.values,
                                  {.factorization = factorization, .ordering = Ordering::ReverseCuthillMckee});
                              factor.refactorize(Space(), arrays.values);
                              EXPECT_TRUE(factor.info().succeeded());
                            },
                            true});
  }

  Partition<int, Space> stripes() const { return Partition<int, Space>(Space(), stripe_of_row, ny / 2); }

  static std::vector<int> stripe_numbers() {
    std::vector<int> numbers;
    for (int row = 0; row < rows; ++row) numbers.push_back(row / nx / 2);
    return numbers;
  }

  void add_schwarz(std::vector<Operation>& operations) const {
    operations.push_back({"Partition of a grid", [] { partition_grid(Space(), Grid{nx, ny, 1}, Grid{3, 2, 1}); }});
    operations.push_back({"Subdomains", [this] {
                            const Subdomains<int, int, Space> blocks(Space(), matrix(), stripes(), {.overlap = 2});
                            EXPECT_EQ(blocks.info().blocks, ny / 2);
                          }});
    for (const auto algorithm : {SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers})
      for (const bool by_thresholds : {false, true}) {
        SchwarzOptions options{.algorithm = algorithm, .bad_blocks = BadBlocks::Diagonal};
        if (by_thresholds) options.blocks = IlutOptions{};
        operations.push_back({std::string("SchwarzFactor ") + to_string(algorithm),
                              [=, this] {
                                const Subdomains<int, int, Space> blocks(Space(), matrix(), stripes());
                                SchwarzFactor<double, int, int, Space> factor(Space(), blocks, arrays.values, options);
                                factor.refactorize(Space(), arrays.values);
                                EXPECT_TRUE(factor.info().succeeded());
                                factor.apply(Space(), b, x);
                                Space().fence();
                              },
                              by_thresholds});
      }
  }

  void add_iterations(std::vector<Operation>& operations) const {
    for (const auto method :
         {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab, KrylovMethod::Gmres, KrylovMethod::FlexibleGmres})
      operations.push_back({std::string("KrylovSolver ") + to_string(method),
                            [=, this] {
                              Kokkos::deep_copy(x, 0.0);
                              KrylovSolver<double, Space> solver(Space(), rows, {.method = method});
                              EXPECT_TRUE(solver.solve(Space(), CrsOperator(Space(), matrix()), b, x).converged());
                            },
                            false, false});
    operations.push_back({"KrylovSolver with columns",
                          [this] {
                            KrylovSolver<double, Space> solver(Space(), rows);
                            solver.solve(Space(), CrsOperator(Space(), matrix()), B, X);
                          },
                          false, false});
  }

  void add_direct_factors(std::vector<Operation>& operations) const {
    using Symbolic = LdltSymbolic<int, int, Space>;
    operations.push_back({"LdltSymbolic::predict", [this] {
                            EXPECT_GT(Symbolic::predict(Space(), arrays.row_map, arrays.entries).factor_entries, rows);
                          }});
    for (const auto algorithm : {LdltAlgorithm::Multifrontal, LdltAlgorithm::Columns})
      operations.push_back({std::string("LdltFactor ") + to_string(algorithm),
                            [=, this] {
                              const Symbolic symbolic(Space(), arrays.row_map, arrays.entries,
                                                      {.algorithm = algorithm, .check_symmetry = true});
                              LdltFactor<double, int, int, Space> factor(Space(), symbolic, arrays.values,
                                                                         {.refinement_steps = 1});
                              factor.refactorize(Space(), arrays.values);
                              EXPECT_TRUE(factor.refine(Space(), b, x).converged());
                            },
                            false, algorithm != LdltAlgorithm::Columns});
  }

  void add_grids(std::vector<Operation>& operations) const {
    for (const bool is_symmetric : {true, false})
      operations.push_back({is_symmetric ? "StructuredPcg" : "StructuredFactor",
                            [=, this] {
                              const auto A = to_device_matrix<T>(grid, is_symmetric);
                              const auto crs = to_crs<int>(Space(), A);
                              EXPECT_TRUE(recognize_grid(Space(), crs).grid.has_value());
                              StructuredFactor<double, Space> factor(Space(), A, {.right_hand_sides = 3});
                              factor.refactorize(Space());
                              factor.solve(Space(), B, X);
                              Space().fence();
                              if (!is_symmetric) return;
                              StructuredPcg<double, Space> pcg(Space(), A, StructuredFactorOptions{.relaxation = 1.0});
                              Kokkos::deep_copy(x, 0.0);
                              EXPECT_TRUE(pcg.solve(Space(), b, x).converged());
                            },
                            false, !is_symmetric});
  }

  DeviceArrays<T> arrays{reference::compress(reference::poisson<double>(nx, ny))};
  reference::GridMatrix<double> grid = reference::make_poisson<double>({nx, ny, 1});
  Kokkos::View<int*, typename T::Device> stripe_of_row = to_device<int, typename T::Device>(stripe_numbers());
  Vector b{"b", rows}, x{"x", rows};
  Columns B{"B", rows, 3}, X{"X", rows, 3};
};

}  // namespace terrace::test
