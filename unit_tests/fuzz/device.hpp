// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between what a draw makes on the host and the space under test: matrices, vectors of any strides, instances, and
// calls that must fail.
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <memory>
#include <terrace/error.hpp>
#include <vector>

#include "algorithms/ordering/orderings.hpp"
#include "fuzz/matrix.hpp"
#include "fuzz/options.hpp"
#include "parallel/spaces.hpp"

namespace terrace::fuzz {

template <class ScalarType, class OffsetType, class SpaceType>
struct Types {
  using Scalar = ScalarType;
  using Offset = OffsetType;
  using Space = SpaceType;
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Vector = Kokkos::View<Scalar*, Device>;
};

template <class Scalar>
inline constexpr bool is_complex_v = !std::is_floating_point_v<Scalar>;

template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Scalar>
requires is_complex_v<Scalar>
struct RealOf<Scalar> {
  using type = typename Scalar::value_type;
};

template <class Scalar>
ScalarTraits traits_of() {
  using Real = typename RealOf<Scalar>::type;
  using Limits = std::numeric_limits<Real>;
  const bool is_double = sizeof(Real) == 8, is_complex = is_complex_v<Scalar>;
  return {is_complex,           Limits::epsilon(), Limits::min(),
          Limits::denorm_min(), Limits::max(),     is_double ? (is_complex ? 100 : 300) : (is_complex ? 10 : 40)};
}

/// Of sums that a device may add to in the order of arrival: NVIDIA's atomic additions of single precision take numbers
/// below the least normal one for zero (PTX ISA, "atom").
template <class Space>
ScalarTraits of_atomic_sums(ScalarTraits traits) {
  if (!parallel::is_host_space<Space>) traits.least = traits.least_normal;
  return traits;
}

template <class Scalar>
Scalar narrow(const Number& value) {
  if constexpr (!is_complex_v<Scalar>) return static_cast<Scalar>(value.real());
  else {
    using Real = typename Scalar::value_type;
    return Scalar(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
  }
}

template <class Scalar>
Number widen(const Scalar& value) {
  if constexpr (!is_complex_v<Scalar>) return static_cast<double>(value);
  else return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
}

template <class Space>
Offers offers_of() {
  const bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  return {ordering::has_nested_dissection(), ordering::has_minimum_degree(), !is_host, is_host};
}

/// The default instance, or at times another one.
template <class Space>
Space draw_instance(Draw& draw) {
  static const auto others = [] {
    std::vector<Space> instances;
    if (Space().concurrency() > 1)
      for (const auto& instance : Kokkos::Experimental::partition_space(Space(), 1, 1)) instances.push_back(instance);
    return std::make_unique<std::vector<Space>>(instances).release();  // outlives Kokkos, as its static objects do
  }();
  if (others->empty() || draw.chance(0.6)) return Space();
  draw.note("on-another-instance");
  return (*others)[draw.below(static_cast<int>(others->size()))];
}

template <class To, class Device, class From, class Convert>
Kokkos::View<To*, Device> upload(const std::vector<From>& from, const Convert& convert) {
  Kokkos::View<To*, Device> view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "terrace::fuzz"), from.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < from.size(); ++i) host(i) = convert(from[i]);
  Kokkos::deep_copy(view, host);
  return view;
}

template <class T>
typename T::Vector upload_numbers(const Numbers& numbers) {
  return upload<typename T::Scalar, typename T::Device>(numbers, narrow<typename T::Scalar>);
}

template <class View>
auto download(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> values(view.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = host(i);
  return values;
}

template <class View>
Numbers download_numbers(const View& view) {
  Numbers numbers;
  for (const auto& value : download(view)) numbers.push_back(widen(value));
  return numbers;
}

template <class T>
struct DeviceMatrix {
  Kokkos::View<typename T::Offset*, typename T::Device> row_map;
  Kokkos::View<int*, typename T::Device> entries;
  typename T::Vector values;

  explicit DeviceMatrix(const Arrays& from)
      : row_map(upload<typename T::Offset, typename T::Device>(
            from.row_map, [](std::size_t value) { return static_cast<typename T::Offset>(value); })),
        entries(upload<int, typename T::Device>(from.entries, [](int value) { return value; })),
        values(upload_numbers<T>(from.values)) {}
};

/// n x m numbers with strides of its own, between numbers that must stay as they are.
template <class T>
class StridedColumns {
 public:
  using Scalar = typename T::Scalar;
  using View = Kokkos::View<Scalar**, Kokkos::LayoutStride, typename T::Device, Kokkos::MemoryUnmanaged>;
  using Rank1 = Kokkos::View<Scalar*, Kokkos::LayoutStride, typename T::Device, Kokkos::MemoryUnmanaged>;

  StridedColumns(Draw& draw, std::size_t n, std::size_t m) : n_(n), m_(m) {
    const auto padding = [&] { return draw.chance(0.5) ? std::size_t(0) : static_cast<std::size_t>(draw.below(4)); };
    const std::size_t gap = draw.chance(0.8) ? 1 : static_cast<std::size_t>(draw.between(2, 3));
    const bool by_rows = draw.chance(0.4);
    row_stride_ = by_rows ? gap * m + padding() : gap;
    column_stride_ = by_rows ? gap : gap * n + padding();
    row_stride_ = row_stride_ == 0 ? 1 : row_stride_;
    first_ = padding();
    draw.note(by_rows ? "right" : "left", '(', row_stride_, ',', column_stride_, ")x", m);
    buffer_ = typename T::Vector("terrace::fuzz", first_ + row_stride_ * n + column_stride_ * m + 3);
  }

  void fill(const std::vector<Numbers>& columns) {
    const auto host = Kokkos::create_mirror_view(buffer_);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = guard();
    for (std::size_t k = 0; k < m_; ++k)
      for (std::size_t i = 0; i < n_; ++i) host(place(i, k)) = narrow<Scalar>(columns[k][i]);
    Kokkos::deep_copy(buffer_, host);
  }

  /// \throws Failed where something beside the columns was written.
  std::vector<Numbers> read() const {
    auto all = download(buffer_);
    std::vector<Numbers> columns(m_, Numbers(n_));
    for (std::size_t k = 0; k < m_; ++k)
      for (std::size_t i = 0; i < n_; ++i) {
        columns[k][i] = widen(all[place(i, k)]);
        all[place(i, k)] = guard();
      }
    for (const auto& value : all) expect(value == guard(), "something beside the vectors was written");
    return columns;
  }

  View view() const { return View(buffer_.data() + first_, Kokkos::LayoutStride(n_, row_stride_, m_, column_stride_)); }
  Rank1 rank1() const { return Rank1(buffer_.data() + first_, Kokkos::LayoutStride(n_, row_stride_)); }
  bool is_one() const { return m_ == 1; }

 private:
  static Scalar guard() { return Scalar(-7.25f); }
  std::size_t place(std::size_t i, std::size_t k) const { return first_ + i * row_stride_ + k * column_stride_; }

  std::size_t n_, m_, row_stride_ = 1, column_stride_ = 1, first_ = 0;
  typename T::Vector buffer_;
};

/// Calls solve(space, B, X) with vectors of some layout, in place at times, and returns X.
template <class T, class Solve>
std::vector<Numbers> solve_columns(Draw& draw, const std::vector<Numbers>& b, std::size_t n, const Solve& solve) {
  const auto space = draw_instance<typename T::Space>(draw);
  Kokkos::fence();
  StridedColumns<T> B(draw, n, b.size());
  B.fill(b);
  const bool in_place = draw.chance(0.25), has_rank_1 = b.size() == 1 && draw.chance(0.5);
  if (in_place) {
    draw.note("in-place");
    has_rank_1 ? solve(space, B.rank1(), B.rank1()) : solve(space, B.view(), B.view());
    space.fence();
    return B.read();
  }
  StridedColumns<T> X(draw, n, b.size());
  X.fill(std::vector<Numbers>(b.size(), Numbers(n, 3.5)));
  has_rank_1 ? solve(space, B.rank1(), X.rank1()) : solve(space, B.view(), X.view());
  space.fence();
  B.read();
  return X.read();
}

inline std::vector<Numbers> draw_columns(Draw& draw, int n, const ScalarTraits& traits, bool may_have_nonfinite) {
  const int count = draw.chance(0.02) ? 0 : draw.chance(0.6) ? 1 : draw.between(2, draw.chance(0.9) ? 9 : 40);
  std::vector<Numbers> columns;
  for (int k = 0; k < count; ++k) columns.push_back(draw_vector(draw, n, traits, may_have_nonfinite));
  return columns;
}

/// What is moved away and back is what it was.
template <class Object>
void move_at_times(Draw& draw, Object& object) {
  if (!draw.chance(0.2)) return;
  draw.note("moved");
  Object other(std::move(object));
  object = std::move(other);
}

/// What a factor has to bear: it is judged, moved, and given other values, some times over.
template <class Factor, class Refactorize, class Judge>
void use_for_a_while(Draw& draw, Factor& factor, const Refactorize& refactorize, const Judge& judge) {
  for (int step = draw.below(3); step > 0; --step) {
    move_at_times(draw, factor);
    if (draw.chance(0.5)) refactorize();
    judge();
  }
}

template <class Action>
void expect_error(ErrorCode code, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    expect(error.code() == code, "an Error with the code ", to_string(error.code()), ", not ", to_string(code), ": ",
           error.what());
    return;
  }
  throw Failed(std::string("no Error with the code ") + to_string(code));
}

/// The same numbers, bit by bit but for the sign of zeros and the payload of NaNs.
inline bool are_same(const std::vector<Numbers>& a, const std::vector<Numbers>& b) {
  const auto same = [](double x, double y) { return x == y || (x != x && y != y); };
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < a[k].size(); ++i)
      if (!same(a[k][i].real(), b[k][i].real()) || !same(a[k][i].imag(), b[k][i].imag())) return false;
  return true;
}

}  // namespace terrace::fuzz
