// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/subdomains.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::fuzz {

/// What each place is multiplied by on the way in (`inwards`), or out.
std::vector<double> Parts::weights(SchwarzVariant variant, bool inwards, std::size_t n) const {
  std::vector<double> copies(n, 0), result;
  for (const int row : rows) copies[row] += 1;
  for (int block = 0; block + 1 < static_cast<int>(first.size()); ++block)
    for (int place = first[block]; place < first[block + 1]; ++place) {
      const double owns = block_of[rows[place]] == block ? 1 : 0;
      switch (variant) {
        case SchwarzVariant::Restricted: result.push_back(inwards ? 1 : owns); break;
        case SchwarzVariant::Harmonic: result.push_back(inwards ? owns : 1); break;
        case SchwarzVariant::Additive: result.push_back(1); break;
        case SchwarzVariant::Weighted: result.push_back(inwards ? 1 : 1 / copies[rows[place]]); break;
        case SchwarzVariant::Symmetric: result.push_back(1 / std::sqrt(copies[rows[place]])); break;
      }
    }
  return result;
}

Numbers Parts::gather(const Numbers& r, SchwarzVariant variant, bool inwards) const {
  const auto weight = weights(variant, inwards, r.size());
  Numbers inner;
  for (std::size_t place = 0; place < rows.size(); ++place) inner.push_back(weight[place] * r[rows[place]]);
  return inner;
}

Numbers Parts::scatter(const Numbers& z, SchwarzVariant variant, bool inwards, int n) const {
  Numbers sums(static_cast<std::size_t>(n));
  const auto weight = weights(variant, inwards, sums.size());
  for (std::size_t place = 0; place < rows.size(); ++place) sums[rows[place]] += weight[place] * z[place];
  return sums;
}

void judge_members(const Parts& parts, const Rows& matrix, int layers) {
  const int n = static_cast<int>(matrix.size()), blocks = static_cast<int>(parts.first.size()) - 1;
  const Rows mirrored = transposed(matrix, n);
  std::vector<std::vector<int>> own(static_cast<std::size_t>(std::max(0, blocks)));
  for (int row = 0; row < n; ++row) {
    expect(parts.block_of[row] >= 0 && parts.block_of[row] < blocks, "row ", row, " is in block ", parts.block_of[row]);
    own[parts.block_of[row]].push_back(row);
  }
  std::vector<int> seen(matrix.size(), -1);
  for (int block = 0; block < blocks; ++block) {
    auto members = own[block];
    for (const int row : members) seen[row] = block;
    for (int layer = 0; layer < layers; ++layer)
      for (std::size_t k = 0, before = members.size(); k < before; ++k)
        for (const Rows* graph : {&matrix, &mirrored})
          for (const auto& entry : (*graph)[members[k]])
            if (seen[entry.first] != block) {
              seen[entry.first] = block;
              members.push_back(entry.first);
            }
    std::sort(members.begin(), members.end());
    const auto found =
        std::vector<int>(parts.rows.begin() + parts.first[block], parts.rows.begin() + parts.first[block + 1]);
    expect(found == members, "block ", block, " has other rows than a breadth-first search finds");
  }
}

Rows block_matrix(const Parts& parts, const Rows& matrix) {
  std::vector<int> place_of(matrix.size(), -1);
  Rows result;
  for (int block = 0; block + 1 < static_cast<int>(parts.first.size()); ++block) {
    for (int place = parts.first[block]; place < parts.first[block + 1]; ++place) place_of[parts.rows[place]] = place;
    for (int place = parts.first[block]; place < parts.first[block + 1]; ++place) {
      result.emplace_back();
      for (const auto& [column, value] : matrix[parts.rows[place]])
        if (place_of[column] >= 0) result.back().emplace_back(place_of[column], value);
    }
    for (int place = parts.first[block]; place < parts.first[block + 1]; ++place) place_of[parts.rows[place]] = -1;
  }
  return result;
}

}  // namespace terrace::fuzz
