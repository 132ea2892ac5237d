// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a factor applies the inverse of what it is the factor of, plain, transposed and conjugated.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <terrace/triangular_options.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

/// Each operation in place; `product(i, j)` is an entry of the n x n matrix that the factors are of.
template <class T, class Factor, class Product>
void expect_inverse_of_every_operation(const Factor& factor, int n, double tolerance, const Product& product) {
  const auto r = random_vector<typename T::Scalar>(n, 2);
  for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
    const auto z = to_device<typename T::Scalar, typename T::Device>(r);
    factor.apply(typename T::Space(), z, z, op);
    const auto solution = to_host(z);
    for (int i = 0; i < n; ++i) {
      std::complex<double> sum = 0;
      for (int j = 0; j < n; ++j) {
        const std::complex<double> entry = op == Op::None ? product(i, j) : product(j, i);
        sum += (op == Op::ConjugateTranspose ? std::conj(entry) : entry) * reference::widen(solution[j]);
      }
      EXPECT_LE(std::abs(sum - reference::widen(r[i])), tolerance) << to_string(op) << " row " << i;
    }
  }
}

}  // namespace terrace::test
