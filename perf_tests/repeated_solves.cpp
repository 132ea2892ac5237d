// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What does a solve take on average, over a second and more? On a busy machine the median says little: threads that
// wait for time slices make a few solves take very long. perf_tests/busy_host.sh runs this with and without other load.
//
//     terrace_repeated_solves [SECONDS]
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <terrace/terrace.hpp>
#include <vector>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<double*, Space>;
using Numbers = Kokkos::View<int*, Space>;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Repeats `solve` for so many seconds and prints a line.
template <class Solve>
void repeat(const char* name, double seconds, const Solve& solve) {
  std::vector<double> times;
  const auto begin = Clock::now();
  while (since(begin) < seconds) {
    const auto start = Clock::now();
    solve();
    times.push_back(1e3 * since(start));
  }
  const double mean = 1e3 * since(begin) / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  std::printf("%-34s %3d threads  mean %9.3f ms  median %9.3f  longest %9.3f", name, Space().concurrency(), mean,
              times[times.size() / 2], times.back());
}

/// The lower triangle of a seven-point grid.
struct Triangle {
  Numbers row_map, entries;
  Vector values;

  Triangle(int nx, int ny, int nz) {
    std::vector<int> map{0}, columns;
    std::vector<double> numbers;
    for (int row = 0; row < nx * ny * nz; ++row) {
      const auto add = [&](bool inside, int column) {
        if (!inside) return;
        columns.push_back(column);
        numbers.push_back(column == row ? 6.5 : -1.0);
      };
      add(row >= nx * ny, row - nx * ny);
      add(row / nx % ny > 0, row - nx);
      add(row % nx > 0, row - 1);
      add(true, row);
      map.push_back(static_cast<int>(columns.size()));
    }
    row_map = Numbers("row_map", map.size());
    entries = Numbers("entries", columns.size());
    values = Vector("values", numbers.size());
    std::copy(map.begin(), map.end(), row_map.data());
    std::copy(columns.begin(), columns.end(), entries.data());
    std::copy(numbers.begin(), numbers.end(), values.data());
  }
  std::size_t rows() const { return row_map.extent(0) - 1; }
};

void solve_triangle(double seconds, const char* name, terrace::Algorithm algorithm) {
  const Space space;
  const Triangle L(70, 90, 80);
  const terrace::TriangularSolver<double, int, int, Space> solver(space, L.row_map, L.entries, L.values,
                                                                  {.algorithm = algorithm});
  const Vector b("b", L.rows()), x("x", L.rows());
  Kokkos::deep_copy(b, 1.0);
  repeat(name, seconds, [&] { solver.solve(space, b, x); });
  std::printf("  %s\n", solver.info().reason.c_str());
}

void solve_grid(double seconds) {
  const Space space;
  const terrace::Grid grid{128, 128, 1};
  const auto cells = static_cast<std::size_t>(grid.cells());
  const Vector center("center", cells), along_x("x", cells), along_y("y", cells), none("z", cells);
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    center(c) = 4.0;
    along_x(c) = grid.cell(c).i + 1 < grid.nx ? -1.0 : 0.0;
    along_y(c) = grid.cell(c).j + 1 < grid.ny ? -1.0 : 0.0;
  }
  const terrace::StructuredMatrix<double, Space> A(
      space, grid, terrace::SymmetricDiagonals<double, Space>{center, along_x, along_y, none});
  const terrace::StructuredPcg<double, Space> pcg(space, A, {.relaxation = 1.0});
  const Vector b("b", cells), x("x", cells);
  Kokkos::deep_copy(b, 1.0);
  const auto solve = [&] {
    std::fill_n(x.data(), cells, 0.0);  // not a kernel, which would wait for threads too
    pcg.solve(space, b, x, {.tolerance = 1e-8});
  };
  repeat("MIC-PCG, 128 x 128", seconds, solve);
  std::printf("  %s\n", pcg.factor_info().reason.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3.0;
  solve_triangle(seconds, "triangle 70 x 90 x 80", terrace::Algorithm::Automatic);
  solve_triangle(seconds, "the same, level-scheduled", terrace::Algorithm::LevelScheduled);
  solve_grid(seconds);
}
