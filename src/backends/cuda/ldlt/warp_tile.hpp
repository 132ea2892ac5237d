// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of 16 x 8 sums that a warp holds, four in each lane: those of rows lane / 4 and 8 more, and of columns
// 2 (lane % 4) and 1 more. Tensor cores add products of double precision, complex ones in four parts (PTX ISA:
// mma.m16n8k8 and mma.m8n8k4 for .f64).
//
// Numbers in single precision are converted and summed there too, where tensor cores multiply doubles as fast as lanes
// multiply floats: on Hopper. A sum in double precision costs nothing then. Elsewhere lanes sum in single precision;
// GPUs whose tensor cores are for graphics would take sixty times as long for doubles.
#pragma once

#include <Kokkos_Complex.hpp>
#include <nv/target>
#include <type_traits>

#include "backends/cuda/architecture.hpp"

namespace terrace::cuda::ldlt {

/// What fronts, and vectors with them, are computed in: in double precision, where that takes no longer.
template <class Scalar>
struct HeldAs {
  using Type = std::conditional_t<doubles_take_no_longer, double, Scalar>;
};
template <class Real>
struct HeldAs<Kokkos::complex<Real>> {
  using Type = Kokkos::complex<typename HeldAs<Real>::Type>;
};

struct LaneOfTile {
  static __device__ int row(int number) { return static_cast<int>(threadIdx.x % 32 / 4) + number / 2 * 8; }
  static __device__ int column(int number) { return static_cast<int>(threadIdx.x % 4 * 2) + number % 2; }
};

/// Adds A B^T for `depth` columns of A (16 rows) and B (8 rows); by the lanes.
template <class Scalar>
struct TileOfLanes {
  static constexpr int depth = 4;

  struct Left {
    Scalar values[2][depth];
    template <class Read>
    __device__ void load(const Read& read) {
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < depth; ++k) values[i][k] = read(LaneOfTile::row(2 * i), k);
    }
  };
  struct Right {
    Scalar values[2][depth];
    template <class Read>
    __device__ void load(const Read& read) {
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < depth; ++k) values[j][k] = read(LaneOfTile::column(j), k);
    }
  };

  Scalar sums[4];

  __device__ void clear() {
    for (auto& sum : sums) sum = Scalar(0);
  }
  __device__ Scalar get(int number) const { return sums[number]; }
  __device__ void set(int number, const Scalar& value) { sums[number] = value; }
  __device__ void add(const Left& left, const Right& right) {
#pragma unroll
    for (int number = 0; number < 4; ++number)
#pragma unroll
      for (int k = 0; k < depth; ++k) sums[number] += left.values[number / 2][k] * right.values[number % 2][k];
  }
};

/// 8 x 8 sums, two in each lane, and four columns of the factors, of which a lane brings one number each.
__device__ inline void multiply_add_quarter(double& sum, double& next_sum, double left, double right) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum), "+d"(next_sum)
      : "d"(left), "d"(right));
}

/// Compute capability 8.0 multiplies quarters.
__device__ inline void multiply_add(double (&sums)[4], const double (&left)[4], const double (&right)[2]) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
                    (asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                         : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]), "d"(right[1]));),
                    (for (int k = 0; k < 2; ++k) {
                      multiply_add_quarter(sums[0], sums[1], left[2 * k], right[k]);
                      multiply_add_quarter(sums[2], sums[3], left[2 * k + 1], right[k]);
                    }))
}

/// Which elements of the factors a lane brings along.
struct LaneOfFactors {
  static __device__ int row(int number) { return static_cast<int>(threadIdx.x % 32 / 4) + number % 2 * 8; }
  static __device__ int left_depth(int number) { return static_cast<int>(threadIdx.x % 4) + number / 2 * 4; }
  static __device__ int right_depth(int number) { return static_cast<int>(threadIdx.x % 4) + number * 4; }
};

/// The same by tensor cores.
template <class Real>
struct TileOfTensorCores {
  static constexpr int depth = 8;

  struct Left {
    double values[4];
    template <class Read>
    __device__ void load(const Read& read) {
#pragma unroll
      for (int n = 0; n < 4; ++n) values[n] = read(LaneOfFactors::row(n), LaneOfFactors::left_depth(n));
    }
  };
  struct Right {
    double values[2];
    template <class Read>
    __device__ void load(const Read& read) {
#pragma unroll
      for (int n = 0; n < 2; ++n) values[n] = read(LaneOfFactors::row(0), LaneOfFactors::right_depth(n));
    }
  };

  double sums[4];

  __device__ void clear() {
    for (auto& sum : sums) sum = 0;
  }
  __device__ Real get(int number) const { return static_cast<Real>(sums[number]); }
  __device__ void set(int number, Real value) { sums[number] = value; }
  __device__ void add(const Left& left, const Right& right) { multiply_add(sums, left.values, right.values); }
};

template <class Real>
struct TileOfTensorCores<Kokkos::complex<Real>> {
  using Scalar = Kokkos::complex<Real>;
  static constexpr int depth = 8;

  struct Left {
    double real[4], imag[4];
    template <class Read>
    __device__ void load(const Read& read) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const Scalar value = read(LaneOfFactors::row(n), LaneOfFactors::left_depth(n));
        real[n] = value.real();
        imag[n] = value.imag();
      }
    }
  };
  struct Right {
    double real[2], imag[2], minus_imag[2];
    template <class Read>
    __device__ void load(const Read& read) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const Scalar value = read(LaneOfFactors::row(0), LaneOfFactors::right_depth(n));
        real[n] = value.real();
        imag[n] = value.imag();
        minus_imag[n] = -imag[n];
      }
    }
  };

  double real[4], imag[4];

  __device__ void clear() {
    for (int n = 0; n < 4; ++n) real[n] = imag[n] = 0;
  }
  __device__ Scalar get(int number) const { return {static_cast<Real>(real[number]), static_cast<Real>(imag[number])}; }
  __device__ void set(int number, const Scalar& value) {
    real[number] = value.real();
    imag[number] = value.imag();
  }
  __device__ void add(const Left& left, const Right& right) {
    multiply_add(real, left.real, right.real);
    multiply_add(imag, left.real, right.imag);
    multiply_add(real, left.imag, right.minus_imag);
    multiply_add(imag, left.imag, right.real);
  }
};

/// Whether tensor cores add the products of such numbers.
template <class Scalar>
inline constexpr bool is_for_tensor_cores =
    doubles_take_no_longer || std::is_same_v<Scalar, double> || std::is_same_v<Scalar, Kokkos::complex<double>>;

template <class Scalar>
using WarpTile = std::conditional_t<is_for_tensor_cores<Scalar>, TileOfTensorCores<Scalar>, TileOfLanes<Scalar>>;

}  // namespace terrace::cuda::ldlt
