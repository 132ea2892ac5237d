// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation that is captured in a graph gives, when the graph is replayed, what it gives when it is called.
#pragma once

#include <algorithm>

#include "reference/differences.hpp"
#include "support/captured_graph.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

/// Vectors of one rank and layout, filled anew as often as a test likes.
template <class T, class View>
class CapturedApply {
  using Scalar = typename T::Scalar;

 public:
  CapturedApply(int rows, int columns) : rows_(rows), columns_(columns), in_(make()), out_(make()), direct_(make()) {}

  /// apply(in, out) on `space`, captured with some right-hand sides, replayed with others.
  void check(const Kokkos::Cuda& space, const auto& apply) const {
    fill(11);
    const CapturedGraph graph(space, [&] { apply(in_, out_); });
    ASSERT_EQ(graph.failure(), "");
    EXPECT_GE(graph.kernels(), 1);
    fill(70);
    Kokkos::deep_copy(out_, Scalar(0));
    Kokkos::deep_copy(direct_, Scalar(0));
    apply(in_, direct_);
    Kokkos::fence();
    for (int replay = 0; replay < 3; ++replay) graph.replay();
    space.fence();
    expect_alike();
  }

  /// What lies in the output after something else was replayed.
  void expect_alike() const {
    const double tolerance = 1000 * double(std::numeric_limits<reference::Real<Scalar>>::epsilon());
    for (int k = 0; k < columns_; ++k)
      EXPECT_LE(reference::relative_difference(column(out_, k), column(direct_, k)), tolerance) << "column " << k;
  }

  void fill(unsigned seed) const {
    const auto host = Kokkos::create_mirror_view(in_);
    for (int k = 0; k < columns_; ++k) {
      const auto numbers = random_vector<Scalar>(rows_, seed + static_cast<unsigned>(k));
      for (int row = 0; row < rows_; ++row) at(host, row, k) = numbers[static_cast<std::size_t>(row)];
    }
    Kokkos::deep_copy(in_, host);
    Kokkos::fence();
  }

  const View& in() const { return in_; }
  const View& out() const { return out_; }
  const View& direct() const { return direct_; }

 private:
  View make() const {
    if constexpr (View::rank() == 1) return View("terrace::test", rows_);
    else return View("terrace::test", rows_, columns_);
  }
  static Scalar& at(const auto& host, int row, int column) {
    if constexpr (View::rank() == 1) return host(row);
    else return host(row, column);
  }
  static std::vector<Scalar> column(const View& view, int k) {
    if constexpr (View::rank() == 1) return to_host(view);
    else return column_to_host(view, static_cast<std::size_t>(k));
  }

  int rows_, columns_;
  View in_, out_, direct_;
};

/// apply(in, out) for one vector, and for several in both layouts.
template <class T>
void expect_captured_in_every_rank(const Kokkos::Cuda& space, int rows, int columns, const auto& apply) {
  using Scalar = typename T::Scalar;
  using Device = typename T::Device;
  CapturedApply<T, Kokkos::View<Scalar*, Device>>(rows, 1).check(space, apply);
  CapturedApply<T, Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>>(rows, columns).check(space, apply);
  CapturedApply<T, Kokkos::View<Scalar**, Kokkos::LayoutRight, Device>>(rows, columns).check(space, apply);
}

}  // namespace terrace::test
