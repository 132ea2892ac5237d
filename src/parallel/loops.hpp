// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos::parallel_for, parallel_reduce and parallel_scan over a range, which the calling thread of a host takes alone
// where its threads do not come (patient_loops.hpp). Each iteration computes the same, whoever takes it; sums are of
// integers, or are maxima.
#pragma once

#include <concepts>
#include <tuple>

#include "parallel/patient_loops.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::parallel {

namespace detail {

/// Where one thread gathers what Kokkos would have reduced: for a reducer of Kokkos, a view or a number.
template <class Result>
struct Gathered {
  Result& result;
  Result value{};
  void store() const { result = value; }
};

template <class Reducer>
requires Kokkos::is_reducer<std::remove_const_t<Reducer>>::value struct Gathered<Reducer> {
  const Reducer& result;
  typename Reducer::value_type value;
  explicit Gathered(const Reducer& reducer) : result(reducer) { result.init(value); }
  void store() const { result.reference() = value; }
};

template <class View>
requires Kokkos::is_view<std::remove_const_t<View>>::value struct Gathered<View> {
  const View& result;
  typename View::non_const_value_type value{};
  explicit Gathered(const View& view) : result(view) {}
  void store() const { *result.data() = value; }
};

/// An index of a range in whatever type the body of the loop counts with, which can count them.
template <class Index>
struct AnyIndex {
  Index value;
  template <std::integral Counted>
  operator Counted() const {
    return static_cast<Counted>(value);
  }
};

/// For bodies that take any type, as it is.
template <class Functor, class Index>
auto index_for(Index index) {
  if constexpr (requires { &Functor::operator(); }) return AnyIndex<Index>{index};
  else return index;
}

/// functor(i, gathered...) for each i of the range, by the calling thread.
template <class Policy, class Functor, class... Values>
void run_range_alone(const char* label, const Policy& policy, const Functor& functor, Values&... values) {
  run_alone(policy.space(), label, [&](int) {
    for (auto i = policy.begin(); i < policy.end(); ++i) functor(index_for<Functor>(i), values...);
  });
}

}  // namespace detail

template <class Policy, class Functor>
void for_range(const char* label, const Policy& policy, const Functor& functor) {
  using Space = typename Policy::execution_space;
  if constexpr (is_host_space<Space>)
    if (PatientLoops::want_one_thread()) return detail::run_range_alone(label, policy, functor);
  const PatientLoops::Wait<Space> wait;
  Kokkos::parallel_for(label, policy, functor);
}

/// Into numbers, views of one number, or reducers of Kokkos. A number starts at zero.
template <class Policy, class Functor, class... Results>
void reduce_range(const char* label, const Policy& policy, const Functor& functor, Results&&... results) {
  using Space = typename Policy::execution_space;
  if constexpr (is_host_space<Space>)
    if (PatientLoops::want_one_thread()) {
      std::tuple<detail::Gathered<std::remove_reference_t<Results>>...> gathered{
          detail::Gathered<std::remove_reference_t<Results>>{results}...};
      return std::apply(
          [&](auto&... of) {
            detail::run_range_alone(label, policy, functor, of.value...);
            (of.store(), ...);
          },
          gathered);
    }
  const PatientLoops::Wait<Space> wait;
  Kokkos::parallel_reduce(label, policy, functor, results...);
}

/// Of prefix sums: functor(i, sum, final), with the sum of all in `total`, for which the host waits.
template <class Policy, class Functor, class Total>
void scan_range(const char* label, const Policy& policy, const Functor& functor, Total& total) {
  using Space = typename Policy::execution_space;
  if constexpr (is_host_space<Space>)
    if (PatientLoops::want_one_thread()) {
      total = {};
      const bool final = true;
      return detail::run_range_alone(label, policy, functor, total, final);
    }
  const PatientLoops::Wait<Space> wait;
  Kokkos::parallel_scan(label, policy, functor, total);
}

/// The same without the sum of all.
template <class Sum, class Policy, class Functor>
void scan_range(const char* label, const Policy& policy, const Functor& functor) {
  if constexpr (is_host_space<typename Policy::execution_space>) {
    Sum total;
    scan_range(label, policy, functor, total);
  } else {
    Kokkos::parallel_scan(label, policy, functor);
  }
}

}  // namespace terrace::parallel
