// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/patterns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace terrace::fuzz {
namespace {

/// Which columns row i of n is coupled to; those outside the matrix are left out.
class Builder {
 public:
  Builder(Draw& from, int rows, std::size_t max_entries)
      : draw(from), n(rows), most_(max_entries), rows_(static_cast<std::size_t>(rows)) {}

  void add(int row, int column) {
    if (row < 0 || column < 0 || row >= n || column >= n || row == column || count_ >= most_) return;
    rows_[row].push_back(column);
    ++count_;
  }
  void link(int row, int column) {
    add(row, column);
    add(column, row);
  }
  void random_entries(int per_row) {
    for (int row = 0; row < n; ++row)
      for (int k = draw.below(2 * per_row + 1); k > 0; --k) add(row, draw.below(n));
  }
  void chain(int distance) {
    for (int row = distance; row < n; ++row) link(row, row - distance);
  }
  void dense(int first, int last) {
    for (int row = first; row < last; ++row)
      for (int column = first; column < last; ++column) add(row, column);
  }

  Pattern finish() {
    for (int row = 0; row < n; ++row) {
      auto& columns = rows_[row];
      columns.push_back(row);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    }
    return std::move(rows_);
  }

  Draw& draw;
  const int n;

 private:
  std::size_t most_;
  std::size_t count_ = 0;
  Pattern rows_;
};

void grid(Builder& b, bool diagonals, bool deep) {
  const int width = std::max(1, static_cast<int>(deep ? std::cbrt(b.n) : std::sqrt(b.n)));
  const int slice = width * (deep ? width : b.n);
  for (int cell = 0; cell < b.n; ++cell) {
    const int x = cell % width;
    if (x > 0) b.link(cell, cell - 1);
    if (cell % slice >= width) b.link(cell, cell - width);
    if (deep) b.link(cell, cell - slice);
    if (diagonals && x > 0) b.link(cell, cell - width - 1);
    if (diagonals && x + 1 < width) b.link(cell, cell - width + 1);
  }
}

void star(Builder& b, int hub) {
  for (int row = 0; row < b.n; ++row) b.link(row, hub);
}

void hubs(Builder& b, bool rows, bool columns) {
  b.random_entries(1);
  for (int k = 1 + b.draw.below(3); k > 0; --k)
    for (int hub = b.draw.below(b.n), other = 0; other < b.n; ++other) {
      if (rows) b.add(hub, other);
      if (columns) b.add(other, hub);
    }
}

void blocks(Builder& b, bool coupled) {
  const int size = b.draw.between(2, 40);
  for (int first = 0; first < b.n; first += size) {
    b.dense(first, std::min(b.n, first + size));
    if (coupled) b.link(first, first + size);
  }
}

void layers(Builder& b) {
  const int width = 1 + b.draw.below(std::max(1, b.n / 2));
  for (int row = width; row < b.n; ++row)
    for (int k = b.draw.between(1, 3); k > 0; --k) b.add(row, (row / width - 1) * width + b.draw.below(width));
}

void tree(Builder& b, bool forest) {
  for (int row = 1; row < b.n; ++row)
    if (!forest || !b.draw.chance(0.1)) b.link(row, forest ? b.draw.below(row) : (row - 1) / 2);
}

void one_sided(Builder& b, bool lower) {
  for (int row = 0; row < b.n; ++row)
    for (int k = b.draw.below(6); k > 0; --k) {
      const int other = b.draw.below(row + 1);
      lower ? b.add(row, other) : b.add(other, row);
    }
}

void power_law(Builder& b) {
  for (int row = 1; row < b.n; ++row)
    for (int k = b.draw.between(1, 3); k > 0; --k) b.link(row, static_cast<int>(row * std::pow(b.draw.uniform(), 3)));
}

void permuted_band(Builder& b) {
  std::vector<int> order(b.n);
  std::iota(order.begin(), order.end(), 0);
  for (int k = b.n - 1; k > 0; --k) std::swap(order[k], order[b.draw.below(k + 1)]);
  for (int k = 1; k < b.n; ++k) b.link(order[k], order[k - 1]);
}

void empty_rows(Builder& b) {
  for (int row = 0; row < b.n; ++row)
    if (b.draw.chance(0.3))
      for (int k = b.draw.below(8); k > 0; --k) b.add(row, b.draw.below(b.n));
}

void nearly_dense(Builder& b) {
  for (int row = 0; row < b.n; ++row)
    for (int column = 0; column < b.n; ++column)
      if (!b.draw.chance(0.1)) b.add(row, column);
}

void saddle(Builder& b) {
  const int first = b.n - b.n / 3;
  for (int row = 1; row < first; ++row) b.link(row, row - 1);
  for (int row = first; row < b.n; ++row)
    for (int k = 0; k < 3; ++k) b.link(row, b.draw.below(first));
}

void far_off(Builder& b) {
  for (int row = 0; row < b.n; ++row) b.add(row, b.n - 1 - row);
}

struct Kind {
  const char* name;
  void (*build)(Builder&);
  bool is_dense = false;  // entries grow with the square of n
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"diagonal", [](Builder&) {}},
                                     {"chain",
                                      [](Builder& b) {
                                        for (int row = 1; row < b.n; ++row) b.add(row, row - 1);
                                      }},
                                     {"backward-chain",
                                      [](Builder& b) {
                                        for (int row = 1; row < b.n; ++row) b.add(row - 1, row);
                                      }},
                                     {"tridiagonal", [](Builder& b) { b.chain(1); }},
                                     {"ring",
                                      [](Builder& b) {
                                        b.chain(1);
                                        b.link(0, b.n - 1);
                                      }},
                                     {"two-chains", [](Builder& b) { b.chain(2); }},
                                     {"star-first", [](Builder& b) { star(b, 0); }},
                                     {"star-last", [](Builder& b) { star(b, b.n - 1); }},
                                     {"star-middle", [](Builder& b) { star(b, b.n / 2); }},
                                     {"arrow",
                                      [](Builder& b) {
                                        b.chain(1);
                                        star(b, b.n - 1);
                                        star(b, b.n - 2);
                                      }},
                                     {"band",
                                      [](Builder& b) {
                                        for (int k = b.draw.between(2, 8); k > 0; --k) b.chain(k);
                                      }},
                                     {"sparse-band",
                                      [](Builder& b) {
                                        b.chain(1);
                                        b.chain(b.draw.between(2, 60));
                                      }},
                                     {"wide-band",
                                      [](Builder& b) {
                                        for (int k = b.draw.between(9, 40); k > 0; --k) b.chain(k);
                                      }},
                                     {"grid", [](Builder& b) { grid(b, false, false); }},
                                     {"grid-3d", [](Builder& b) { grid(b, false, true); }},
                                     {"grid-9-point", [](Builder& b) { grid(b, true, false); }},
                                     {"dense", [](Builder& b) { b.dense(0, b.n); }, true},
                                     {"nearly-dense", nearly_dense, true},
                                     {"dense-blocks", [](Builder& b) { blocks(b, false); }},
                                     {"coupled-blocks", [](Builder& b) { blocks(b, true); }},
                                     {"dense-end",
                                      [](Builder& b) {
                                        b.chain(1);
                                        b.dense(std::max(0, b.n - 60), b.n);
                                      }},
                                     {"hub-rows", [](Builder& b) { hubs(b, true, false); }},
                                     {"hub-columns", [](Builder& b) { hubs(b, false, true); }},
                                     {"hubs", [](Builder& b) { hubs(b, true, true); }},
                                     {"random", [](Builder& b) { b.random_entries(3); }},
                                     {"random-long", [](Builder& b) { b.random_entries(12); }},
                                     {"tree", [](Builder& b) { tree(b, false); }},
                                     {"forest", [](Builder& b) { tree(b, true); }},
                                     {"empty-rows", empty_rows},
                                     {"layers", layers},
                                     {"saddle", saddle},
                                     {"lower", [](Builder& b) { one_sided(b, true); }},
                                     {"upper", [](Builder& b) { one_sided(b, false); }},
                                     {"power-law", power_law},
                                     {"permuted-band", permuted_band},
                                     {"antidiagonal", far_off}};
  return all;
}

}  // namespace

Pattern draw_pattern(Draw& draw, int n, std::size_t max_entries) {
  const Kind& kind = kinds()[static_cast<std::size_t>(draw.below(static_cast<int>(kinds().size())))];
  const int rows = kind.is_dense ? std::min(n, 150) : n;
  draw.note(kind.name, " n=", rows);
  Builder builder(draw, rows, max_entries);
  if (rows > 0) kind.build(builder);
  return builder.finish();
}

}  // namespace terrace::fuzz
