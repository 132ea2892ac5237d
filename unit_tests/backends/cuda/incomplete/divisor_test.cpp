// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division with a known inverse against the operator, bit by bit.
#include "backends/cuda/incomplete/divisor.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace terrace::test {
namespace {

template <class Real>
struct DivideBothWays {
  Kokkos::View<const Real*, Kokkos::CudaSpace> numerators, pivots;
  Kokkos::View<Real*, Kokkos::CudaSpace> by_inverse, by_operator;

  __device__ void operator()(int k) const {
    cuda::incomplete::Divisor<Real> divisor;
    divisor.pivot = pivots(k);
    divisor.inverse = Real(1) / pivots(k);
    by_inverse(k) = cuda::incomplete::divide(numerators(k), divisor);
    by_operator(k) = numerators(k) / pivots(k);
  }
};

/// Numbers of all magnitudes, mantissas near a power of two, and what is special.
template <class Real>
std::vector<Real> numbers(int count, unsigned seed) {
  using Limits = std::numeric_limits<Real>;
  const std::vector<Real> special = {Real(0),       -Real(0),          Limits::infinity(),   -Limits::infinity(),
                                     Limits::max(), Limits::min(),     Limits::denorm_min(), -Limits::denorm_min(),
                                     Real(1),       Limits::epsilon(), Limits::quiet_NaN(),  Real(-3)};
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<Real> mantissa(1, 2);
  std::uniform_int_distribution<int> near(-8, 8), far(Limits::min_exponent - 20, Limits::max_exponent), ulps(-3, 3);
  std::vector<Real> result;
  for (int k = 0; k < count; ++k) {
    const Real sign = generator() % 2 == 0 ? Real(1) : Real(-1);
    const Real value = generator() % 4 == 0 ? 1 + Real(ulps(generator)) * Limits::epsilon() : mantissa(generator);
    result.push_back(generator() % 64 == 0
                         ? special[generator() % special.size()]
                         : sign * std::ldexp(value, generator() % 8 == 0 ? far(generator) : near(generator)));
  }
  return result;
}

template <class Real>
void expect_the_same_bits() {
  constexpr int count = 1 << 22;
  const auto upload = [](const std::vector<Real>& values) {
    Kokkos::View<Real*, Kokkos::CudaSpace> view("values", values.size());
    Kokkos::deep_copy(view, Kokkos::View<const Real*, Kokkos::HostSpace>(values.data(), values.size()));
    return view;
  };
  const auto numerators = numbers<Real>(count, 1), pivots = numbers<Real>(count, 2);
  const Kokkos::View<Real*, Kokkos::CudaSpace> found("found", count), expected("expected", count);
  Kokkos::parallel_for("divide", Kokkos::RangePolicy<Kokkos::Cuda>(0, count),
                       DivideBothWays<Real>{upload(numerators), upload(pivots), found, expected});
  const auto bits = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (int k = 0; k < count; ++k) {
    if (std::isnan(wanted(k))) ASSERT_TRUE(std::isnan(bits(k))) << numerators[k] << " / " << pivots[k];
    else ASSERT_EQ(std::memcmp(&bits(k), &wanted(k), sizeof(Real)), 0) << numerators[k] << " / " << pivots[k];
  }
}

TEST(Cuda_Divisor, GivesTheBitsOfTheOperator) {
  expect_the_same_bits<double>();
  expect_the_same_bits<float>();
}

}  // namespace
}  // namespace terrace::test
