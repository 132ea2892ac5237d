// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order that a direct factorization takes, on every class of matrices where one of the two is poor.
#include "algorithms/ordering/choose_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <terrace/error.hpp>

#include "reference/symmetric_pattern.hpp"
#include "sparse/order_cost.hpp"
#include "support/every_ordering.hpp"

namespace terrace {
namespace {

using ordering::ChosenOrder;
using reference::Neighbours;
using sparse::CompressedGraph;

CompressedGraph compressed_for(Ordering ordering, const sparse::HostGraph& graph) {
  return ordering::compress_for(ordering, sparse::triangle_of(graph));
}

Neighbours with_dense_rows(Neighbours neighbours, int dense, int entries) {
  reference::Random random(1);
  const auto sparse_rows = static_cast<int>(neighbours.size());
  neighbours.resize(neighbours.size() + static_cast<std::size_t>(dense));
  for (int d = 0; d < dense; ++d)
    for (int k = 0; k < entries; ++k)
      reference::connect(neighbours, sparse_rows + d, reference::below(random, sparse_rows));
  return neighbours;
}

Neighbours star(int size) {
  Neighbours neighbours(static_cast<std::size_t>(size));
  for (int v = 1; v < size; ++v) reference::connect(neighbours, v, 0);
  return neighbours;
}

/// Edges of a grid, four in ten away, the others with up to three vertices on them.
Neighbours roads(int width) {
  reference::Random random(2);
  const Neighbours cells = reference::grid(width, width);
  Neighbours neighbours(cells.size());
  for (int a = 0; a < static_cast<int>(cells.size()); ++a)
    for (const int b : cells[a]) {
      if (b > a || reference::below(random, 10) < 4) continue;
      int last = a;
      for (int k = reference::below(random, 4); k > 0; --k) {
        neighbours.emplace_back();
        reference::connect(neighbours, last, static_cast<int>(neighbours.size()) - 1);
        last = static_cast<int>(neighbours.size()) - 1;
      }
      reference::connect(neighbours, last, b);
    }
  return neighbours;
}

/// Elements near each other, and some nets that many of them share.
Neighbours circuit(int size) {
  reference::Random random(3);
  Neighbours neighbours(static_cast<std::size_t>(size));
  std::vector<int> ends{0};
  for (int v = 1; v < size; ++v)
    for (int k = 1 + reference::below(random, 3); k > 0; --k) {
      const bool is_popular = reference::below(random, 10) < 2;
      const int other = is_popular ? ends[reference::below(random, static_cast<int>(ends.size()))]
                                   : std::max(0, v - 1 - reference::below(random, 100));
      reference::connect(neighbours, v, other);
      ends.push_back(other);
    }
  return neighbours;
}

/// [ H A^T; A 0 ] with H and A from a grid.
Neighbours saddle_point(int width) {
  const Neighbours cells = reference::grid(width, width);
  const auto size = static_cast<int>(cells.size());
  Neighbours neighbours = cells;
  neighbours.resize(2 * cells.size());
  for (int v = 0; v < size; ++v) {
    reference::connect(neighbours, size + v, v);
    for (const int w : cells[v])
      if (w < v) reference::connect(neighbours, size + v, w);
  }
  return neighbours;
}

Neighbours shuffled(const Neighbours& neighbours) {
  std::vector<int> number(neighbours.size());
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(3));
  Neighbours moved(neighbours.size());
  for (std::size_t v = 0; v < neighbours.size(); ++v)
    for (const int w : neighbours[v]) moved[number[v]].insert(number[w]);
  return moved;
}

std::map<std::string, Neighbours> every_class() {
  return {{"grid", reference::grid(90, 90)},
          {"grid with six unknowns a node", reference::grid(32, 32, 6)},
          {"grid with three rows that are full", with_dense_rows(reference::grid(80, 80), 3, 20000)},
          {"grid with rows that are longer", with_dense_rows(reference::grid(80, 80), 50, 300)},
          {"arrow of hundreds of rows", with_dense_rows(reference::grid(6000, 1), 200, 3000)},
          {"star", star(20000)},
          {"chain", reference::grid(30000, 1)},
          {"roads", roads(60)},
          {"circuit", circuit(6000)},
          {"saddle point", saddle_point(60)},
          {"no edges", Neighbours(6000)},
          {"small grid", reference::grid(40, 40)}};
}

std::vector<int> expanded(const CompressedGraph& graph, const std::vector<int>& order) {
  std::vector<int> unknowns;
  for (const int v : order)
    unknowns.insert(unknowns.end(), graph.members.begin() + graph.member_map[v],
                    graph.members.begin() + graph.member_map[v + 1]);
  return unknowns;
}

double operations(const CompressedGraph& graph, const std::vector<int>& order) {
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < graph.graph.vertices(); ++i)
    if (static_cast<int>(sorted.size()) <= i || sorted[i] != i) return std::nan("");
  return sparse::cost_of(sparse::in_postorder(graph, order)).operations;
}

TEST(ChooseOrder, IsNeverMuchWorseThanTheBetterOfMinimumDegreeAndNestedDissection) {
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) GTEST_SKIP() << "this build lacks METIS or AMD";
  for (const auto& [name, neighbours] : every_class()) {
    const auto graph = compressed_for(Ordering::Automatic, reference::host_graph(neighbours));
    const auto by = [&](Ordering ordering) {
      return operations(graph, ordering::choose_order(graph, ordering, {}).vertices);
    };
    const ChosenOrder chosen = ordering::choose_order(graph, Ordering::Automatic, {});
    const double best = std::min(by(Ordering::ApproximateMinimumDegree), by(Ordering::NestedDissection));
    EXPECT_LE(operations(graph, chosen.vertices), 1.25 * best) << name << ": " << chosen.reason;
    EXPECT_FALSE(chosen.reason.empty());
  }
}

TEST(ChooseOrder, SetsDenseRowsAsideBeforeItDissects) {
  if (!test::has_nested_dissection()) GTEST_SKIP() << "this build has no METIS";
  const auto sparse_part = reference::host_graph(reference::grid(80, 80));
  const auto whole = reference::host_graph(with_dense_rows(reference::grid(80, 80), 3, 20000));
  const auto order = ordering::nested_dissection(whole).original;
  std::vector<int> last(order.end() - 3, order.end());
  std::sort(last.begin(), last.end());
  EXPECT_EQ(last, (std::vector<int>{6400, 6401, 6402}));
  EXPECT_EQ(std::vector<int>(order.begin(), order.end() - 3), ordering::nested_dissection(sparse_part).original);
  const auto fill_of = [](const sparse::HostGraph& graph, const std::vector<int>& by) {
    return static_cast<double>(sparse::cost_of(sparse::in_postorder(sparse::separate_vertices(graph), by)).entries);
  };
  const double alone = fill_of(sparse_part, ordering::nested_dissection(sparse_part).original);
  EXPECT_LE(fill_of(whole, order), 1.01 * (alone + 3 * 6403));
}

/// Small parts first, or a large one, in which a separator finds out that others are there.
TEST(ChooseOrder, DissectsPartsThatDoNotHangTogetherOnTheirOwn) {
  if (!test::has_nested_dissection()) GTEST_SKIP() << "this build has no METIS";
  const auto cost_of = [](const sparse::HostGraph& graph, const std::vector<int>& by) {
    return sparse::cost_of(sparse::in_postorder(sparse::separate_vertices(graph), by));
  };
  const auto cost_alone = [&](const Neighbours& part) {
    const auto graph = reference::host_graph(part);
    return cost_of(graph, ordering::nested_dissection(graph).original);
  };
  const std::vector<std::pair<Neighbours, int>> large{{reference::grid(80, 80), 1}},
      small{{reference::grid(30, 30), 9}, {reference::grid(4, 3), 500}, {Neighbours(1), 70}};
  for (const bool large_first : {false, true}) {
    auto parts = large_first ? large : small;
    parts.insert(parts.end(), (large_first ? small : large).begin(), (large_first ? small : large).end());
    Neighbours all;
    double operations = 0;
    std::int64_t path = 0;
    for (const auto& [part, copies] : parts) {
      const auto alone = cost_alone(part);
      operations += copies * alone.operations;
      path = std::max(path, alone.path);
      for (int copy = 0; copy < copies; ++copy) {
        const auto first = static_cast<int>(all.size());
        for (const auto& row : part) {
          all.emplace_back();
          for (const int v : row) all.back().insert(first + v);
        }
      }
    }
    const auto graph = reference::host_graph(all);
    const auto order = ordering::nested_dissection(graph).original;
    const auto cost = cost_of(graph, order);
    EXPECT_LE(cost.operations, 1.1 * operations) << large_first;
    EXPECT_LE(static_cast<double>(cost.path), 1.2 * static_cast<double>(path)) << large_first;
    for (const int threads : {2, 7}) EXPECT_EQ(ordering::nested_dissection(graph, {}, threads).original, order);
  }
}

TEST(ChooseOrder, DoesNotDependOnTheNumberOfThreads) {
  for (const auto& [name, neighbours] : every_class())
    for (const Ordering ordering : {Ordering::Automatic, Ordering::NestedDissection}) {
      if (ordering == Ordering::NestedDissection && !test::has_nested_dissection()) continue;
      const auto graph = compressed_for(ordering, reference::host_graph(neighbours));
      const auto one = ordering::choose_order(graph, ordering, {}).vertices;
      for (const int threads : {2, 7})
        EXPECT_EQ(ordering::choose_order(graph, ordering, {}, {.threads = threads}).vertices, one) << name;
    }
}

TEST(ChooseOrder, SaysWhatItTookAndWhy) {
  const auto take = [](const Neighbours& neighbours) {
    return ordering::choose_order(compressed_for(Ordering::Automatic, reference::host_graph(neighbours)),
                                  Ordering::Automatic, {});
  };
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) {
    EXPECT_NE(take(reference::grid(90, 90)).reason.find("this build has"), std::string::npos);
    return;
  }
  EXPECT_EQ(take(reference::grid(40, 40)).ordering, Ordering::ApproximateMinimumDegree);
  EXPECT_EQ(take(reference::grid(40, 40)).reason, "there are 1600 rows, fewer than 5000");
  EXPECT_EQ(take(reference::grid(90, 90)).ordering, Ordering::NestedDissection);
  EXPECT_EQ(take(reference::grid(90, 90)).reason, "there are 8100 rows, at least 5000, of similar length");
  EXPECT_EQ(take(reference::grid(32, 32, 6)).reason.find("there are 6144 rows, of only 1024 structures, so both"), 0u);
  EXPECT_EQ(take(roads(60)).reason.find("rows have few entries"), 0u);
  EXPECT_EQ(
      take(with_dense_rows(reference::grid(80, 80), 3, 20000)).reason.find("some rows are dense, so both were counted"),
      0u);
}

TEST(ChooseOrder, TakesWhatIsFoundSoonerOnAHostWhereTheOtherWouldNotPay) {
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) GTEST_SKIP() << "this build lacks METIS or AMD";
  const auto take = [](const Neighbours& neighbours) {
    return ordering::choose_order(compressed_for(Ordering::Automatic, reference::host_graph(neighbours)),
                                  Ordering::Automatic, {}, {.user = ordering::OrderUser::Host});
  };
  const ChosenOrder plane = take(reference::grid(90, 90));
  EXPECT_EQ(plane.ordering, Ordering::ApproximateMinimumDegree);
  EXPECT_NE(plane.reason.find("several factorizations take less than nested dissection"), std::string::npos);
  const ChosenOrder wide = take(reference::grid(90, 90, 6));  // the same vertices, and each stands for six unknowns
  EXPECT_EQ(wide.ordering, Ordering::NestedDissection);
  EXPECT_NE(wide.reason.find("of similar length, so both were counted: minimum degree needs"), std::string::npos);
  reference::Random random(5);
  Neighbours with_others = reference::random_pattern(random, 4000, 16000);
  EXPECT_EQ(take(with_others).reason.find("there are 4000 rows, fewer than 5000, so both were counted"), 0u);
  EXPECT_EQ(take(reference::grid(60, 60)).reason.find("there are 3600 rows, fewer than 5000, and minimum degree"), 0u);
  with_others.resize(8000);
  EXPECT_NE(take(with_others).reason.find("both were counted"), std::string::npos) << take(with_others).reason;
  // Others count both: operations are many for each entry of L, and few for each vertex.
  const ChosenOrder supplied = take(with_dense_rows(reference::grid(80, 80), 3, 20000));
  EXPECT_EQ(supplied.ordering, Ordering::ApproximateMinimumDegree);
  EXPECT_EQ(supplied.reason.find("some rows are dense, and minimum degree needs"), 0u);
}

TEST(ChooseOrder, KnowsWhatIsBestForABand) {
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) GTEST_SKIP() << "this build lacks METIS or AMD";
  std::map<std::string, Neighbours> bands{{"chain", reference::grid(30000, 1)},
                                          {"short chain", reference::grid(400, 1)},
                                          {"three unknowns a node", reference::grid(3000, 1, 3)}};
  for (const int width : {2, 6, 90}) bands["full, " + std::to_string(width)] = reference::band_pattern(6000, width);
  for (const auto& [name, band] : bands) {
    SCOPED_TRACE(name);
    const auto graph = compressed_for(Ordering::Automatic, reference::host_graph(shuffled(band)));
    const auto degree = ordering::choose_order(graph, Ordering::ApproximateMinimumDegree, {}).vertices;
    const auto on = [&](ordering::OrderUser user) {
      const ChosenOrder chosen = ordering::choose_order(graph, Ordering::Automatic, {}, {.user = user});
      EXPECT_EQ(chosen.reason.find("the matrix is a band"), 0u) << chosen.reason;
      return sparse::cost_of(sparse::in_postorder(graph, chosen.vertices));
    };
    EXPECT_LE(on(ordering::OrderUser::Host).operations, 1.01 * operations(graph, degree));
    const sparse::OrderCost flat = on(ordering::OrderUser::Device);
    EXPECT_LE(flat.operations, 8 * operations(graph, degree));
    const double levels = graph.unknowns() / std::max(1.0, static_cast<double>(flat.entries) / graph.unknowns() / 3);
    EXPECT_LE(static_cast<double>(flat.path) * levels, 4.0 * graph.unknowns() * std::log2(levels));
  }
}

TEST(ChooseOrder, TriesMinimumDegreeOnAHostWhereManyVerticesDoNotHangTogether) {
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) GTEST_SKIP() << "this build lacks METIS or AMD";
  const Neighbours one = reference::grid(16, 16);
  const int size = static_cast<int>(one.size()), copies = 250000 / size + 1;
  Neighbours all;
  for (int copy = 0; copy < copies; ++copy)
    for (const auto& neighbours : one) {
      all.emplace_back();
      for (const int v : neighbours) all.back().insert(v + copy * size);
    }
  const ChosenOrder chosen = ordering::choose_order(compressed_for(Ordering::Automatic, reference::host_graph(all)),
                                                    Ordering::Automatic, {}, {.user = ordering::OrderUser::Host});
  EXPECT_EQ(chosen.ordering, Ordering::ApproximateMinimumDegree) << chosen.reason;
}

TEST(ChooseOrder, TakesTheFlatterTreeOnADevice) {
  if (!test::has_minimum_degree() || !test::has_nested_dissection()) GTEST_SKIP() << "this build lacks METIS or AMD";
  const auto take = [](const Neighbours& neighbours) {
    const auto graph = compressed_for(Ordering::Automatic, reference::host_graph(neighbours));
    return ordering::choose_order(graph, Ordering::Automatic, {}, {.user = ordering::OrderUser::Device});
  };
  const ChosenOrder plane = take(reference::grid(60, 60));  // minimum degree for everyone else
  EXPECT_EQ(plane.ordering, Ordering::NestedDissection);
  EXPECT_EQ(plane.reason.find("there are 3600 rows, fewer than 5000, so both were counted"), 0u);
  EXPECT_NE(plane.reason.find("columns in turn"), std::string::npos);
  const ChosenOrder chain = take(reference::grid(30000, 1));  // hardly any operations, but one after the other
  EXPECT_EQ(chain.ordering, Ordering::NestedDissection) << chain.reason;
  EXPECT_EQ(take(roads(60)).ordering, Ordering::ApproximateMinimumDegree) << take(roads(60)).reason;
  const ChosenOrder supplied = take(with_dense_rows(reference::grid(80, 80), 3, 20000));
  EXPECT_EQ(supplied.reason, "dense rows come last (3), and the rest has rows of similar length");
  const ChosenOrder supplied_chain = take(with_dense_rows(reference::grid(9000, 1), 3, 20000));
  EXPECT_EQ(supplied_chain.reason, "dense rows come last (3), and the rest is a band, which is cut again and again");
  for (const auto& order : {supplied, supplied_chain}) {
    std::vector<int> last(order.vertices.end() - 3, order.vertices.end());
    std::sort(last.begin(), last.end());
    const auto size = static_cast<int>(order.vertices.size());
    EXPECT_EQ(last, (std::vector<int>{size - 3, size - 2, size - 1}));
  }
  for (const auto& [name, neighbours] : every_class()) {
    const auto graph = compressed_for(Ordering::Automatic, reference::host_graph(neighbours));
    const auto cost = [&](const std::vector<int>& order) {
      return sparse::cost_of(sparse::in_postorder(graph, order));
    };
    const auto chosen = take(neighbours);
    const auto degree = cost(ordering::choose_order(graph, Ordering::ApproximateMinimumDegree, {}).vertices);
    EXPECT_LE(cost(chosen.vertices).operations, 5 * degree.operations + 1e5) << name << ": " << chosen.reason;
  }
}

TEST(ChooseOrder, CountsTheColumnsThatComeOneAfterTheOther) {
  const auto path = [](const Neighbours& neighbours, const std::vector<int>& order) {
    return sparse::cost_of(sparse::in_postorder(sparse::separate_vertices(reference::host_graph(neighbours)), order))
        .path;
  };
  EXPECT_EQ(path(reference::grid(7, 1), {0, 1, 2, 3, 4, 5, 6}), 7);
  EXPECT_EQ(path(reference::grid(7, 1), {0, 2, 4, 6, 1, 5, 3}), 3);
  EXPECT_EQ(path(Neighbours(5), {4, 3, 2, 1, 0}), 1);
  EXPECT_EQ(path({}, {}), 0);
}

TEST(ChooseOrder, OrdersMatricesOfNoRowAndOfOne) {
  for (const int rows : {0, 1, 2})
    for (const Ordering ordering : test::every_ordering()) {
      const auto graph = compressed_for(ordering, reference::host_graph(Neighbours(static_cast<std::size_t>(rows))));
      auto order = ordering::choose_order(graph, ordering, {}, {.threads = 2}).vertices;
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, (rows == 0 ? std::vector<int>{} : rows == 1 ? std::vector<int>{0} : std::vector<int>{0, 1}));
    }
}

TEST(ChooseOrder, TakesTheGivenAndTheNaturalOrderAsTheyAre) {
  const auto neighbours = reference::extreme_patterns()["dense"];  // all unknowns are indistinguishable
  const auto given = test::shuffled_rows(70, 5);
  const auto graph = compressed_for(Ordering::Given, reference::host_graph(neighbours));
  const ChosenOrder chosen = ordering::choose_order(graph, Ordering::Given, given);
  EXPECT_EQ(chosen.ordering, Ordering::Given);
  EXPECT_EQ(chosen.reason, "the caller gave it");
  EXPECT_EQ(expanded(graph, chosen.vertices), given);
  const auto natural = compressed_for(Ordering::Natural, reference::host_graph(neighbours));
  EXPECT_EQ(ordering::choose_order(natural, Ordering::Natural, {}).vertices[69], 69);
}

TEST(ChooseOrder, MinimumDegreeOfUnequallyMergedVerticesIsThatOfTheUnknowns) {
  if (!test::has_minimum_degree()) GTEST_SKIP() << "this build has no AMD";
  reference::Random random(4);
  for (int round = 0; round < 50; ++round) {
    const auto neighbours = reference::random_pattern_with_copies(random, 60, 120, 5);
    const auto graph = compressed_for(Ordering::ApproximateMinimumDegree, reference::host_graph(neighbours));
    const auto order = ordering::choose_order(graph, Ordering::ApproximateMinimumDegree, {}).vertices;
    const auto unknowns = reference::host_graph(neighbours);
    const double separate =
        operations(sparse::separate_vertices(unknowns), ordering::minimum_degree(unknowns).original);
    EXPECT_LE(operations(graph, order), 1.05 * separate);
  }
}

}  // namespace
}  // namespace terrace
