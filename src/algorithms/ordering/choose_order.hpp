// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which order of elimination a direct factorization takes, and why. docs/adr/0025-which-order.md has the reasons.
#pragma once

#include <optional>
#include <string>
#include <terrace/ordering.hpp>

#include "sparse/order_cost.hpp"

namespace terrace::ordering {

struct ChosenOrder {
  std::vector<int> vertices;              ///< vertex vertices[i] of the compressed graph is eliminated i-th
  Ordering ordering = Ordering::Natural;  ///< what Automatic became; otherwise what was asked for
  std::string reason;                     ///< a sentence without its full stop
  std::optional<sparse::OrderedVertices> in_postorder = {};  ///< where the order's cost was counted
};

/// The graph that choose_order wants. Indistinguishable unknowns are merged, but for the orders that may come between
/// them: those that the caller gave, by list or by the numbers of the rows, are taken as they are. `threads` of the
/// host take part; what they find does not depend on how many they are. For offsets int and std::size_t.
template <class Offset>
sparse::CompressedGraph compress_for(Ordering ordering, const sparse::HostTriangleView<Offset>& triangle,
                                     int threads = 1);

/// What an order is for. A device waits for column after column and wants flat trees, as those of nested dissection; on
/// a host an order that is found sooner can be worth more than a better one.
enum class OrderUser { Anyone, Host, Device };
struct OrderUse {
  OrderUser user = OrderUser::Anyone;
  int threads = 1;  ///< of the host, which find the order; it does not depend on how many they are
};

/// `given`: the caller's unknowns in their order for Ordering::Given, checked; the graph is compress_for's. \throws
/// Error as nested_dissection and minimum_degree. Automatic takes what this Terrace was built with.
ChosenOrder choose_order(const sparse::CompressedGraph& graph, Ordering ordering, const std::vector<int>& given,
                         const OrderUse& use = {});

}  // namespace terrace::ordering
