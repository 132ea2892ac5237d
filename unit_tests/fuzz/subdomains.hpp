// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enlarged blocks on the host: who belongs to them, their matrix, and how vectors go in and come out.
#pragma once

#include <terrace/schwarz_options.hpp>

#include "fuzz/matrix.hpp"

namespace terrace::fuzz {

struct Parts {
  std::vector<int> block_of;  ///< of each row
  std::vector<int> first;     ///< place of each block, and their number
  std::vector<int> rows;      ///< of each place
  Rows matrix;                ///< block-diagonal

  Numbers gather(const Numbers& r, SchwarzVariant variant, bool inwards) const;
  Numbers scatter(const Numbers& z, SchwarzVariant variant, bool inwards, int n) const;

 private:
  std::vector<double> weights(SchwarzVariant variant, bool inwards, std::size_t n) const;
};

/// Each block has its own rows and so many layers of neighbours in the graph of A + A^T, ascending.
void judge_members(const Parts& parts, const Rows& matrix, int layers);

/// diag(A_1, ..., A_k), with the entries in the order of A's rows.
Rows block_matrix(const Parts& parts, const Rows& matrix);

}  // namespace terrace::fuzz
