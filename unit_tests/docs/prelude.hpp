// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++ blocks of the documents may use without declaring it.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <terrace/block_numbers.hpp>
#include <terrace/matrix_market.hpp>
#include <terrace/terrace.hpp>
#include <vector>

using Space = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, int>;
using Vector = Kokkos::View<double*, Space>;
using Vectors = Kokkos::View<double**, Space>;

extern const Space space, another_space;
extern const Matrix A, L;
extern const Vector b, x, r, z, new_values;
extern const Vectors B, X;
extern const int n, nx, ny, nz;
extern const Vector center, to_east, to_north, to_top;

/// As in the program of the README.
template <class T>
Kokkos::View<T*, Space> to_space(const std::vector<T>& numbers);
