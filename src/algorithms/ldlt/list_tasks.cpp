// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a host's schedule, in the order in which threads claim them. Neighbours in the list are independent
// where possible; and each depends on earlier ones alone.
#include <algorithm>

#include "algorithms/ldlt/host_schedule.hpp"

namespace terrace::ldlt {
namespace {

void list_factorization(const FrontTiles& tiles, int unit, std::vector<HostTask>& tasks) {
  for (int j = 0; j < tiles.own(); ++j) tasks.push_back({unit, HostTask::Assemble, 0, j});
  for (int j = 0; j < tiles.own(); ++j)
    for (int i = j; i < tiles.count(); ++i) tasks.push_back({unit, HostTask::Tile, i, j});
  for (int b = 0; b < tiles.contribution_blocks(); ++b) tasks.push_back({unit, HostTask::AssembleContribution, 0, b});
  for (int b = 0; b < tiles.contribution_blocks(); ++b)
    for (int i = tiles.tile_of_contribution_block(b); i < tiles.count(); ++i)
      tasks.push_back({unit, HostTask::ContributionTile, i, b});
}

void list_forward(const FrontTiles& tiles, int unit, std::vector<HostTask>& tasks) {
  tasks.push_back({unit, HostTask::Assemble, 0, 0});
  for (int j = 0; j < tiles.own(); ++j)
    for (int i = j; i < tiles.count(); ++i) tasks.push_back({unit, HostTask::Tile, i, j});
}

void list_backward(const FrontTiles& tiles, int unit, std::vector<HostTask>& tasks) {
  tasks.push_back({unit, HostTask::Assemble, 0, 0});
  for (int i = tiles.count() - 1; i >= 0; --i)
    for (int j = std::min(i, tiles.own() - 1); j >= 0; --j) tasks.push_back({unit, HostTask::Tile, i, j});
}

}  // namespace

void list_tasks(const FrontTree& tree, HostSchedule& schedule) {
  const auto units = static_cast<int>(schedule.units.size());
  const auto list = [&](int u, auto tiles_of, auto list_shared, std::vector<HostTask>& tasks) {
    const HostUnit& unit = schedule.units[u];
    if (unit.is_shared) list_shared(tiles_of(tree.rows_of(unit.begin), tree.columns_of(unit.begin)), u, tasks);
    else tasks.push_back({u, HostTask::Run, 0, 0});
  };
  schedule.tiles.assign(1, 0);
  for (int u = 0; u < units; ++u) {
    list(u, FrontTiles::of_factorization, list_factorization, schedule.factorize);
    list(u, FrontTiles::of_solve, list_forward, schedule.forward);
    std::size_t cells = 0;
    if (const HostUnit& unit = schedule.units[u]; unit.is_shared)
      for (const auto tiles_of : {FrontTiles::of_factorization, FrontTiles::of_solve}) {
        const auto tiles = tiles_of(tree.rows_of(unit.begin), tree.columns_of(unit.begin));
        cells = std::max(cells, static_cast<std::size_t>(tiles.count() + tiles.own() + tiles.contribution_blocks()));
      }
    schedule.tiles.push_back(schedule.tiles.back() + cells);
  }
  for (int u = units - 1; u >= schedule.subtrees; --u) list(u, FrontTiles::of_solve, list_backward, schedule.backward);
  for (int u = 0; u < schedule.subtrees; ++u) list(u, FrontTiles::of_solve, list_backward, schedule.backward);
}

}  // namespace terrace::ldlt
