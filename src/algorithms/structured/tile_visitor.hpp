// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SweepAlgorithm::Sequential and Pipelined: tiles of lines, by one host thread or by several.
#pragma once

#include <terrace/structured_options.hpp>

#include "algorithms/structured/run_tiles.hpp"
#include "algorithms/structured/sweep_lines.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::structured {

/// The bodies that carry nothing along.
struct Nothing {};

/// Visits the cells of a tile one by one.
template <class Body>
struct VisitTileCells {
  Body body;
  KOKKOS_FUNCTION Nothing begin() const { return {}; }
  KOKKOS_FUNCTION void piece(Nothing, const Bundle& bundle, int begin, int end) const {
    for (int j = bundle.first_line; j < bundle.last_line; ++j)
      for (int i = begin; i < end; ++i) {
        const int at[Directions] = {i, j, bundle.plane};
        body.cell(at);
      }
  }
  KOKKOS_FUNCTION void end(Nothing, const Bundle&) const {}
  KOKKOS_FUNCTION void finish() const {}
};

/// Sweeps the lines of a tile side by side. Cell is copied for each bundle; what it may do beyond its cells: start() a
/// bundle, be idle(), end_bundle(number), and finish() when the sweep is done.
template <class Sweep, class Cell>
struct SweepTiles {
  Sweep sweep;
  Cell cell;
  KOKKOS_FUNCTION Cell begin() const {
    Cell mine = cell;
    if constexpr (requires { mine.start(); }) mine.start();
    return mine;
  }
  KOKKOS_FUNCTION void piece(Cell& mine, const Bundle& bundle, int begin, int end) const {
    if constexpr (requires { mine.idle(); })
      if (mine.idle()) return;
    sweep_lines(sweep, mine, bundle.first_line, bundle.last_line, bundle.plane, begin, end);
  }
  KOKKOS_FUNCTION void end(Cell& mine, const Bundle& bundle) const {
    if constexpr (requires { mine.end_bundle(bundle.number); }) mine.end_bundle(bundle.number);
  }
  KOKKOS_FUNCTION void finish() const {
    if constexpr (requires { cell.finish(); }) cell.finish();
  }
};

/// `reason`: why one thread took over; empty where none did.
inline void describe_one_thread(const std::string& reason, StructuredFactorInfo& info) {
  if (reason.empty()) return;
  info.algorithm = SweepAlgorithm::Sequential;
  info.reason = reason;
}

/// What one thread takes for a cell, as it is before anybody has measured it (sweep_lines.hpp, tiles.hpp).
inline constexpr double seconds_per_cell_of_sweep = 4e-9;
inline constexpr double seconds_per_cell_of_pass = 3.6e-9;

template <class Space, class Clock = std::chrono::steady_clock>
class TileVisitor {
 public:
  /// `watches`: one thread takes over sweeps where several are slower.
  TileVisitor(const Space& space, const Grid& grid, int threads, bool watches)
      : runner_(space, {grid.nx, grid.ny, grid.nz}, threads), threads_(threads) {
    if (watches) watched_ = Watched(seconds_per_cell_of_sweep * static_cast<double>(grid.cells()));
  }

  template <class Body>
  void visit_cells(const Space& space, const char* label, const Body& body) {
    runner_.run(space, label, VisitTileCells<Body>{body}, watched_.wants_one_thread());
  }

  template <class Sweep, class Cell>
  void sweep(const Space& space, const char* label, const Sweep& sweep, const Cell& cell) {
    watched_.run(1, [&](bool one_thread) {
      runner_.run(space, label, SweepTiles<Sweep, Cell>{sweep, cell}, one_thread);
    });
  }

  std::string reason_for_one_thread() const { return watched_.reason_for_one_thread(); }

  void describe(StructuredFactorInfo& info) const {
    info.algorithm = threads_ == 1 ? SweepAlgorithm::Sequential : SweepAlgorithm::Pipelined;
    info.dependent_steps = threads_ == 1 ? runner_.tiling().bundles() : runner_.tiling().dependent_steps();
    info.kernels = 1;
  }

  std::size_t bytes_held() const { return runner_.bytes_held(); }
  const Tiling& tiling() const { return runner_.tiling(); }

 private:
  using Watched = parallel::WatchedWork<Clock>;

  TileRunner<Space> runner_;
  int threads_;
  Watched watched_;
};

}  // namespace terrace::structured
