// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILUT(p, tau) as Saad writes it (Iterative Methods for Sparse Linear Systems, 2003, algorithm 10.6), in one thread: a
// full array for the working row, the columns that wait in a heap of the standard library, its nth_element for the
// largest.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "matrices/lower_triangle.hpp"
#include "peers/serial_factor.hpp"

namespace terrace::perf {

/// Of A, which outlives it.
class SerialIlut {
 public:
  SerialIlut(const Rows& A, int fill, double drop_tolerance)
      : A_(A),
        fill_(fill),
        drop_tolerance_(drop_tolerance),
        w_(A_.n, 0.0),
        is_listed_(A_.n, 0),
        diagonal_(A_.n) {}

  void factorize() {
    row_map_.assign(1, 0);
    entries_.clear();
    values_.clear();
    for (int row = 0; row < A_.n; ++row) {
      const double bound = drop_tolerance_ * load(row);
      while (!waiting_.empty()) eliminate(row, bound);
      store(row, bound);
    }
  }

  SerialFactor factor() const {
    return {A_.n, row_map_.data(), entries_.data(), diagonal_.data(), values_.data()};
  }
  const std::vector<double>& values() const { return values_; }

 private:
  double load(int row) {
    double squares = 0;
    for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) {
      add(A_.entries[k], A_.values[k], row);
      squares += A_.values[k] * A_.values[k];
    }
    return std::sqrt(squares);
  }

  void add(int column, double value, int row) {
    w_[column] += value;
    if (is_listed_[column]) return;
    is_listed_[column] = 1;
    if (column < row) {
      left_.push_back(column);
      waiting_.push_back(column);
      std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    } else if (column > row) right_.push_back(column);
  }

  void eliminate(int row, double bound) {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    const int k = waiting_.back();
    waiting_.pop_back();
    const double factor = w_[k] / values_[diagonal_[k]];
    w_[k] = std::abs(factor) < bound ? 0.0 : factor;
    if (w_[k] == 0.0) return;
    for (int p = diagonal_[k] + 1; p < row_map_[k + 1]; ++p) add(entries_[p], -(factor * values_[p]), row);
  }

  void keep_largest(std::vector<int>& columns, double bound) {
    for (const int column : columns) is_listed_[column] = 0;
    const auto is_small = [&](int column) { return std::abs(w_[column]) < bound || w_[column] == 0.0; };
    for (const int column : columns)
      if (is_small(column)) w_[column] = 0.0;
    std::erase_if(columns, is_small);
    if (columns.size() > static_cast<std::size_t>(fill_)) {
      std::nth_element(columns.begin(), columns.begin() + fill_, columns.end(), [&](int a, int b) {
        const double sizes[] = {std::abs(w_[a]), std::abs(w_[b])};
        return sizes[0] != sizes[1] ? sizes[0] > sizes[1] : a < b;
      });
      for (auto column = columns.begin() + fill_; column != columns.end(); ++column) w_[*column] = 0.0;
      columns.resize(static_cast<std::size_t>(fill_));
    }
    std::sort(columns.begin(), columns.end());
  }

  void move(int column) {
    entries_.push_back(column);
    values_.push_back(w_[column]);
    w_[column] = 0.0;
  }

  void store(int row, double bound) {
    keep_largest(left_, bound);
    keep_largest(right_, bound);
    for (const int column : left_) move(column);
    diagonal_[row] = static_cast<int>(entries_.size());
    move(row);
    is_listed_[row] = 0;
    for (const int column : right_) move(column);
    row_map_.push_back(static_cast<int>(entries_.size()));
    left_.clear();
    right_.clear();
  }

  const Rows& A_;
  int fill_;
  double drop_tolerance_;
  std::vector<double> w_;
  std::vector<char> is_listed_;
  std::vector<int> left_, right_, waiting_;
  std::vector<int> row_map_, entries_, diagonal_;
  std::vector<double> values_;
};

}  // namespace terrace::perf
