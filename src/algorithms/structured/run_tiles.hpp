// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits the tiles of a grid with host threads, each tile after those that it depends on.
//
// Threads claim bundles from a counter, in an order in which a bundle comes after those it needs. progress[bundle]
// counts the pieces that are done, and whoever needs a piece waits until it is announced. The bundle with the smallest
// number that is not finished needs only finished ones, and the thread that claimed it is running; so the sweep ends
// whatever the scheduler does, with more threads than cores too.
//
// Progress is counted on from sweep to sweep: in sweep e a bundle goes from e * pieces to (e + 1) * pieces, and nothing
// is ever cleared. The last thread to leave readies the counter for the next sweep, and gets to see the results of all.
#pragma once

#include "algorithms/structured/tiles.hpp"
#include "algorithms/triangular/work_counter.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::structured {

struct Pipeline {
  unsigned long long next;     // claim
  unsigned long long retired;  // threads that found no more work
  unsigned long long sweep;    // how many were done before
};

/// Body: begin() makes what is carried along a bundle; piece(carried, bundle, begin, end) does cells begin to end - 1
/// of its lines; end(carried, bundle) and, when everything is done, finish().
/// A body with is_independent waits for nothing.
template <class Body>
struct RunTiles {
  static constexpr bool waits = !requires { Body::is_independent; };

  Body body;
  Tiling tiling;
  unsigned long long* progress;  // by bundle
  Pipeline* pipeline;
  unsigned long long workers;

  KOKKOS_FUNCTION void wait_for(Index bundle, unsigned long long pieces) const {
    int turns = 0;
    while (parallel::acquire_load(progress[bundle]) < pieces) parallel::wait_a_little(turns);
  }

  KOKKOS_FUNCTION void run(const Bundle& bundle, unsigned long long done) const {
    auto carried = body.begin();
    for (int begin = 0, end = 0; begin < tiling.nx; begin = end) {
      end = begin + Kokkos::min(tiling.piece, tiling.nx - begin);
      ++done;
      if (waits && bundle.first_line > 0) wait_for(bundle.number - 1, done);
      if (waits && bundle.plane > 0) wait_for(bundle.number - tiling.bundles_per_plane(), done);
      body.piece(carried, bundle, begin, end);
      if (end == tiling.nx) body.end(carried, bundle);
      parallel::release_store(progress[bundle.number], done);
    }
  }

  KOKKOS_FUNCTION void operator()(unsigned) const {
    const unsigned long long done = parallel::acquire_load(pipeline->sweep) * tiling.pieces();
    const Index claims = tiling.claims();
    while (true) {
      const Index claim = static_cast<Index>(parallel::fetch_increment(pipeline->next));
      if (claim >= claims) break;
      const Bundle bundle = tiling.bundle(claim);
      if (bundle.exists) run(bundle, done);
    }
    if (parallel::fetch_increment(pipeline->retired) + 1 != workers) return;
    body.finish();
    parallel::release_store(pipeline->next, 0ull);
    parallel::release_store(pipeline->retired, 0ull);
    parallel::release_store(pipeline->sweep, pipeline->sweep + 1);
  }
};

template <class Space>
class TileRunner {
 public:
  TileRunner(const Space& space, const int (&extent)[Directions], int threads)
      : tiling_(make_tiling(extent, threads)),
        workers_(static_cast<unsigned>(std::min<Index>(threads, tiling_.bundles()))),
        progress_(parallel::zeros<unsigned long long>(space, "terrace::structured::progress", tiling_.bundles())),
        pipeline_(parallel::zeros<Pipeline>(space, "terrace::structured::pipeline", 1)) {}

  /// `one_thread`: the same tiles, whose order and bits do not depend on how many threads visit them.
  template <class Body>
  void run(const Space& space, const char* label, const Body& body, bool one_thread) {
    const unsigned workers = one_thread ? 1 : workers_;
    const RunTiles<Body> tiles{body, tiling_, progress_.data(), pipeline_.data(), workers};
    if (workers == 1) parallel::run_alone(space, label, tiles);
    else Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0u, workers), tiles);
  }

  const Tiling& tiling() const { return tiling_; }
  std::size_t bytes_held() const { return progress_.span() * sizeof(unsigned long long) + sizeof(Pipeline); }

 private:
  Tiling tiling_;
  unsigned workers_;
  Kokkos::View<unsigned long long*, parallel::Device<Space>> progress_;
  Kokkos::View<Pipeline*, parallel::Device<Space>> pipeline_;
};

}  // namespace terrace::structured
