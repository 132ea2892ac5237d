// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue. Full sizes match n of what they imitate within 1 %, the entries of its lower triangle within
// 5 %, and its number of levels within a quarter; `terrace_perf --list` prints what came out. The numbers of
// the graph models were found by trying; the grids follow from n and the entries per row.
#include "matrices/matrix_source.hpp"

#include <algorithm>

#include "matrices/band_shapes.hpp"
#include "matrices/graph_shapes.hpp"
#include "matrices/grid_shapes.hpp"

namespace terrace::perf {
namespace {

Shape grid(std::string name, std::string like, std::string made, const LowerStencil& stencil, const Grid& toy,
           const Grid& full) {
  const auto pattern = [=](Size size) { return grid_pattern(size == Size::Toy ? toy : full, stencil); };
  return {std::move(name), std::move(like), std::move(made), pattern};
}

Shape only_by_name(Shape shape) {
  shape.only_by_name = true;
  return shape;
}

struct RMatSize {
  int n;
  std::int64_t edges;
};

Shape rmat(std::string name, std::string like, const RMat& quadrants, const RMatSize& toy, const RMatSize& full) {
  const auto pattern = [=](Size size) {
    const RMatSize& chosen = size == Size::Toy ? toy : full;
    return rmat_pattern(chosen.n, chosen.edges, quadrants, 1);
  };
  return {std::move(name), std::move(like), "recursive matrix model, hubs first", pattern};
}

Shape road(std::string name, std::string like, std::string made, int nx, int ny, double kept, int tile) {
  const auto pattern = [=](Size size) {
    const bool toy = size == Size::Toy;
    return road_pattern(toy ? 60 : nx, toy ? 50 : ny, kept, tile, 1);
  };
  return {std::move(name), std::move(like), std::move(made), pattern};
}

std::vector<Shape> grids() {
  return {
      grid("grid7-120", "3-D Poisson matrix of Liu 2014, example 1", "7-point grid 120 x 120 x 120", seven_point(),
           {14, 14, 14}, {120, 120, 120}),
      grid("grid7-148x148x58", "ordinary 3-D flow problem", "7-point grid 148 x 148 x 58", seven_point(), {18, 18, 8},
           {148, 148, 58}),
      grid("grid7-60x220x85", "the cells of SPE10", "7-point grid 60 x 220 x 85", seven_point(), {8, 22, 10},
           {60, 220, 85}),
      only_by_name(grid("grid7-256", "3-D Poisson matrix, large", "7-point grid 256 x 256 x 256", seven_point(),
                        {9, 9, 9}, {256, 256, 256})),
      grid("reservoir", "SPE10 black-oil matrix of Liu 2014, example 4", "grid7-60x220x85 with 2 unknowns per cell",
           seven_point(), {8, 22, 10, 2}, {60, 220, 85, 2}),
      grid("grid5-1024", "five-diagonal matrices of Gao 2013", "5-point grid 1024 x 1024", five_point(), {40, 40, 1},
           {1024, 1024, 1}),
      only_by_name(grid("grid5-700", "five-diagonal matrix, smaller", "5-point grid 700 x 700", five_point(),
                        {30, 30, 1}, {700, 700, 1})),
      grid("elastic-28", "3-D elasticity", "27-point grid 28 x 28 x 28, 3 unknowns per node", twenty_seven_point(),
           {7, 7, 7, 3}, {28, 28, 28, 3}),
      grid("elastic-60", "3-D elasticity", "27-point grid 60 x 60 x 60, 3 unknowns per node", twenty_seven_point(),
           {9, 9, 9, 3}, {60, 60, 60, 3}),
      grid("elastic-beam", "FEM/Cantilever of Liu 2016", "25-point grid 9 x 9 x 257, 3 unknowns per node",
           twenty_five_point(), {4, 4, 40, 3}, {9, 9, 257, 3}),
      grid("elastic-hull", "FEM/ship_003 of Liu 2016", "27-point grid 8 x 634 x 8, 3 unknowns per node",
           twenty_seven_point(), {3, 60, 3, 3}, {8, 634, 8, 3}),
      grid("elastic-shaft", "crankseg_1 of Liu 2016", "27-point grid 7 x 8 x 105, 9 unknowns per node",
           twenty_seven_point(), {3, 4, 12, 9}, {7, 8, 105, 9}),
      grid("thermal-chip", "chipcool0 of Liu 2016", "15-point grid 14 x 12 x 120", fifteen_point(), {5, 4, 40},
           {14, 12, 120}),
  };
}

std::vector<Shape> graphs() {
  return {
      road("road", "road_central of Liu 2016",
           "grid graph 3752 x 3752, 60 % of the edges, vertices renumbered at random", 3752, 3752, 0.6, 1),
      road("road-large", "road_usa of Liu 2016",
           "grid graph 4893 x 4894, 60 % of the edges, tiles of 8 x 8 vertices renumbered at random", 4893, 4894,
           0.6026, 8),
      rmat("web", "web graph", {.57, .19, .19}, {2048, 6000}, {1 << 20, 3'100'000}),
      rmat("web-crawl", "webbase-1M of Liu 2016", {.56, .13, .13}, {2000, 2140}, {1'000'005, 1'070'000}),
      rmat("web-talk", "wiki-Talk of Liu 2016", {.56, .16, .16}, {4000, 4200}, {2'394'385, 2'520'000}),
      rmat("social", "social network", {.57, .19, .19}, {1024, 24000}, {1 << 20, 28'000'000}),
      {"film-casts", "hollywood-2009 of Liu 2016",
       "overlapping cliques of 5 to 200 vertices, each drawn from a neighbourhood 64 times its size",
       [](Size size) {
         return size == Size::Toy ? cliques_pattern(3000, {300, 5, 40, 1.2, 8}, 1)
                                  : cliques_pattern(1'139'905, {180'000, 5, 200, 1.2, 64}, 1);
       }},
  };
}

std::vector<Shape> others() {
  return {
      {"kkt", "nlpkkt160 of Liu 2016, a quarter of its size",
       "a diagonal half, and a half that reads 27 neighbours in the first; 100^3 points",
       [](Size size) { return kkt_pattern(size == Size::Toy ? 10 : 100); }},
      {"random-band", "banded matrix with a random profile", "12 entries per row drawn from the 3000 before it",
       [](Size size) {
         return size == Size::Toy ? random_band_pattern(3000, 300, 12, 1) : random_band_pattern(500'000, 3000, 12, 1);
       }},
      {"dense", "Dense of Liu 2016", "all entries, n = 2000",
       [](Size size) { return dense_pattern(size == Size::Toy ? 200 : 2000); }},
      {"chain", "tridiagonal matrix's factor", "each row reads the one before it, n = 100000",
       [](Size size) { return chain_pattern(size == Size::Toy ? 1000 : 100'000); }},
  };
}

/// Locally dense. Nobody tuned anything for the last two.
std::vector<Shape> dense_blocks() {
  const auto shape = [](std::string name, std::string made, const auto& pattern) {
    return only_by_name({std::move(name), "locally dense matrices", std::move(made), pattern});
  };
  return {
      shape("dense-700", "all entries, n = 700",
            [](Size size) { return dense_pattern(size == Size::Toy ? 210 : 700); }),
      shape("full-band-200", "each row reads the 200 before it, n = 50000",
            [](Size size) { return size == Size::Toy ? full_band_pattern(900, 100) : full_band_pattern(50'000, 200); }),
      shape("full-band-2", "each row reads the 2 before it, n = 100000",
            [](Size size) { return full_band_pattern(size == Size::Toy ? 900 : 100'000, 2); }),
      shape("full-band-16", "each row reads the 16 before it, n = 20000",
            [](Size size) { return full_band_pattern(size == Size::Toy ? 900 : 20'000, 16); }),
      shape("blocks-60", "8000 dense blocks of 60",
            [](Size size) { return blocks_pattern(size == Size::Toy ? 20 : 8000, 60, 0); }),
      shape("full-band-45", "each row reads the 45 before it, n = 200000",
            [](Size size) { return size == Size::Toy ? full_band_pattern(900, 45) : full_band_pattern(200'000, 45); }),
      shape("bordered-blocks", "1000 dense blocks of 40, and 100 rows that read all",
            [](Size size) { return size == Size::Toy ? blocks_pattern(20, 40, 10) : blocks_pattern(1000, 40, 100); }),
  };
}

Shape shuffled(std::string name, std::string made, const LowerStencil& stencil, const Grid& toy, const Grid& full) {
  const auto pattern = [=](Size size) { return renumbered(grid_pattern(size == Size::Toy ? toy : full, stencil), 1); };
  return {std::move(name), "a grid's matrix numbered at random", std::move(made), pattern};
}

/// Wide levels, far references, several unknowns at a point. Nobody tuned anything for the last two.
std::vector<Shape> wide_and_far() {
  std::vector<Shape> list{
      grid("grid27-90", "3-D finite elements", "27-point grid 90 x 90 x 90", twenty_seven_point(), {12, 12, 12},
           {90, 90, 90}),
      shuffled("grid27-90-shuffled", "grid27-90, renumbered at random", twenty_seven_point(), {12, 12, 12},
               {90, 90, 90}),
      shuffled("grid7-100-shuffled", "7-point grid 100 x 100 x 100, renumbered at random", seven_point(), {14, 14, 14},
               {100, 100, 100}),
      grid("shell-6", "shells, solids with rotations", "27-point grid 24 x 24 x 24, 6 unknowns per node",
           twenty_seven_point(), {6, 6, 6, 6}, {24, 24, 24, 6}),
      grid("flow-5", "compressible flow", "7-point grid 60 x 60 x 60, 5 unknowns per node", seven_point(), {8, 8, 8, 5},
           {60, 60, 60, 5}),
      {"random-31", "a random graph", "15 entries per row drawn from all before it, n = 300000",
       [](Size size) {
         const int n = size == Size::Toy ? 3000 : 300'000;
         return random_band_pattern(n, n, 15, 1);
       }},
      {"random-band-20000", "banded matrix with a random profile", "6 entries per row drawn from the 20000 before it",
       [](Size size) {
         return size == Size::Toy ? random_band_pattern(3000, 1000, 6, 1)
                                  : random_band_pattern(1'000'000, 20'000, 6, 1);
       }},
      {"hubs", "networks with a few far larger vertices", "binary tree with 20 vertices joined to 100000 others each",
       [](Size size) {
         return size == Size::Toy ? hubs_pattern(3000, 8, 500, 1) : hubs_pattern(1'000'000, 20, 100'000, 1);
       }},
      grid("needle", "a borehole's grid", "15-point grid 6 x 6 x 9000, 2 unknowns per node", fifteen_point(),
           {4, 4, 60, 2}, {6, 6, 9000, 2}),
      grid("pipe", "a long duct", "7-point grid 4 x 4 x 5000", seven_point(), {4, 4, 60}, {4, 4, 5000}),
      {"cliques-shuffled", "a network of groups", "cliques of 3 to 30 vertices, renumbered at random",
       [](Size size) {
         return renumbered(size == Size::Toy ? cliques_pattern(2000, {200, 3, 20, 1.5, 8}, 2)
                                             : cliques_pattern(400'000, {60'000, 3, 30, 1.5, 16}, 2),
                           3);
       }},
  };
  for (Shape& shape : list) shape.only_by_name = true;
  return list;
}

/// A grid's matrix with the eight kinds of points that are odd or even in each direction one after the other: no two of
/// a kind are neighbours in its stencil.
LowerTriangle eight_colors(int points_per_edge, const LowerStencil& stencil) {
  const int m = points_per_edge;
  std::vector<int> number(static_cast<std::size_t>(m) * m * m);
  int next = 0;
  for (int color = 0; color < 8; ++color)
    for (int z = color / 4; z < m; z += 2)
      for (int y = color / 2 % 2; y < m; y += 2)
        for (int x = color % 2; x < m; x += 2) number[(static_cast<std::size_t>(z) * m + y) * m + x] = next++;
  return renumbered(grid_pattern({m, m, m}, stencil), number);
}

/// Where a survey found what was slow. Nobody tuned anything for the last one.
std::vector<Shape> surveyed() {
  const auto shape = [](std::string name, std::string like, std::string made, const auto& pattern) {
    return only_by_name({std::move(name), std::move(like), std::move(made), pattern});
  };
  return {
      only_by_name(
          rmat("rmat", "a small network, dense among its hubs", {0.57, 0.19, 0.19}, {2048, 16'384}, {32'768, 262'144})),
      shape("circuit", "a circuit with six supplies", "170000 vertices, 21000 of them at a supply, numbered at random",
            [](Size size) {
              return size == Size::Toy ? circuit_pattern(3000, 50, 3, 1) : circuit_pattern(170'000, 300, 6, 1);
            }),
      shape("bordered-parts", "domain decomposition with a dense interface",
            "400 sparse parts of 250 rows, and 200 rows that hang on all",
            [](Size size) {
              return size == Size::Toy ? bordered_parts_pattern(20, 60, 30, 1)
                                       : bordered_parts_pattern(400, 250, 200, 1);
            }),
      shape("attachment", "a network that has grown", "preferential attachment, 4 links, oldest first, n = 300000",
            [](Size size) { return attachment_pattern(size == Size::Toy ? 3000 : 300'000, 4, 1); }),
      shape("grid27-56-colors", "finite elements in eight colors", "27-point grid 56 x 56 x 56, color after color",
            [](Size size) { return eight_colors(size == Size::Toy ? 12 : 56, twenty_seven_point()); }),
  };
}

/// The last row comes first.
LowerTriangle reversed(const LowerTriangle& L) {
  std::vector<int> number(static_cast<std::size_t>(L.n));
  for (int row = 0; row < L.n; ++row) number[row] = L.n - 1 - row;
  return renumbered(L, number);
}

/// The smallest matrix with a constraint on all unknowns.
LowerTriangle arrow(Size size) { return constrained(lower_pattern(size == Size::Toy ? 2999 : 199'999, {})); }

/// A few rows far longer than the average, where a host that looks along them takes the square of their length.
std::vector<Shape> few_long_rows() {
  return {only_by_name({"arrow", "a system with one constraint on all", "the last row reads all others, n = 200000",
                        [](Size size) { return arrow(size); }}),
          only_by_name({"arrow-first", "the same with the constraint first", "all rows read the first, n = 200000",
                        [](Size size) { return reversed(arrow(size)); }}),
          only_by_name({"grid5-700-constrained", "flow without a fixed pressure",
                        "5-point grid 700 x 700, and a last row that reads all points",
                        [](Size size) {
                          const int m = size == Size::Toy ? 40 : 700;
                          return constrained(grid_pattern({m, m, 1}, five_point()));
                        }}),
          only_by_name(
              {"path-constrained", "a chain of unknowns with a constraint on all",
               "a path of 200000 vertices, and a last row that reads all",
               [](Size size) { return constrained(clique_and_path_pattern(size == Size::Toy ? 3000 : 200'000, 1)); }}),
          only_by_name({"hubs-anywhere", "a network with hubs",
                        "a tree of 500000 vertices, 50 of them joined to 20000 each, numbered at random",
                        [](Size size) {
                          return renumbered(
                              size == Size::Toy ? hubs_pattern(3000, 5, 300, 1) : hubs_pattern(500'000, 50, 20'000, 1),
                              1);
                        }}),
          only_by_name({"clique-and-path", "a dense part in a sparse network",
                        "800 vertices that are all linked, and a path of 199200", [](Size size) {
                          return size == Size::Toy ? clique_and_path_pattern(3000, 90)
                                                   : clique_and_path_pattern(200'000, 800);
                        }})};
}

}  // namespace

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
    for (const auto& family :
         {grids(), graphs(), others(), dense_blocks(), wide_and_far(), few_long_rows(), surveyed()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

const Shape* find_shape(std::string_view name) {
  const auto found = std::find_if(shapes().begin(), shapes().end(), [&](const Shape& s) { return s.name == name; });
  return found == shapes().end() ? nullptr : &*found;
}

LowerTriangle make_matrix(const Shape& shape, Size size) {
  LowerTriangle L = shape.pattern(size);
  fill_values(L, 1);
  return L;
}

}  // namespace terrace::perf
