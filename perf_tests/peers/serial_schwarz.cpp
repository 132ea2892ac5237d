// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers/serial_schwarz.hpp"

#include <algorithm>

#include "common/host_matrix.hpp"

namespace terrace::perf {

SerialSchwarz::SerialSchwarz(const Rows& A, std::vector<int> block_numbers, int blocks, int overlap,
                             const BlockKind& kind)
    : A_(A), block_numbers_(std::move(block_numbers)), blocks_(blocks), overlap_(overlap), kind_(kind) {}

void SerialSchwarz::find_subdomains() {
  const auto n = static_cast<std::size_t>(A_.n);
  std::vector<std::vector<int>> members(static_cast<std::size_t>(blocks_));
  for (int row = 0; row < A_.n; ++row) members[block_numbers_[row]].push_back(row);
  if (overlap_ > 0) T_ = common::transpose(A_);
  mark_.assign(n, -1);
  place_.assign(n, 0);
  owner_.assign(n, 0);
  block_map_.assign(1, 0);
  rows_.clear();
  source_.clear();
  M_ = Rows{};
  ilu0_.reset();
  ilut_.reset();
  for (int block = 0; block < blocks_; ++block) {
    const std::vector<int> all = enlarged(block, members);
    add_block(all);
    for (const int row : all)
      if (block_numbers_[row] == block) owner_[row] = place_[row];
  }
  M_.n = static_cast<int>(rows_.size());
}

std::vector<int> SerialSchwarz::enlarged(int block, const std::vector<std::vector<int>>& members) {
  std::vector<int> all = members[block];
  for (const int row : all) mark_[row] = block;
  std::size_t first = 0;
  for (int layer = 0; layer < overlap_; ++layer) {
    const std::size_t last = all.size();
    for (; first < last; ++first)
      for (const Rows* graph : {&A_, static_cast<const Rows*>(&T_)})
        for (int k = graph->row_map[all[first]]; k < graph->row_map[all[first] + 1]; ++k) {
          const int neighbor = graph->entries[k];
          if (mark_[neighbor] == block) continue;
          mark_[neighbor] = block;
          all.push_back(neighbor);
        }
  }
  std::sort(all.begin(), all.end());
  return all;
}

void SerialSchwarz::add_block(const std::vector<int>& members) {
  const int block = static_cast<int>(block_map_.size()) - 1;
  int place = static_cast<int>(rows_.size());
  for (const int row : members) place_[row] = place++;
  for (const int row : members) {
    rows_.push_back(row);
    for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) {
      if (mark_[A_.entries[k]] != block) continue;
      M_.entries.push_back(place_[A_.entries[k]]);
      source_.push_back(k);
    }
    M_.row_map.push_back(static_cast<int>(M_.entries.size()));
  }
  block_map_.push_back(place);
}

void SerialSchwarz::factorize() {
  M_.values.resize(source_.size());
  for (std::size_t k = 0; k < source_.size(); ++k) M_.values[k] = A_.values[source_[k]];
  if (kind_.is_ilut()) {
    if (!ilut_) ilut_ = std::make_unique<SerialIlut>(M_, kind_.fill, kind_.drop_tolerance);
    ilut_->factorize();
  } else {
    if (!ilu0_) ilu0_ = std::make_unique<SerialIlu0>(M_);
    ilu0_->factorize();
  }
  y_.resize(rows_.size());
}

void SerialSchwarz::apply(const double* r, double* z) {
  for (std::size_t place = 0; place < rows_.size(); ++place) y_[place] = r[rows_[place]];
  factor().solve(y_.data(), y_.data());
  for (int row = 0; row < A_.n; ++row) z[row] = y_[owner_[row]];
}

}  // namespace terrace::perf
