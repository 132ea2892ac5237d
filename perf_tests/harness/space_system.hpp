// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear system in the memory of a Kokkos execution space. Nothing is copied when that is the host's.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <utility>

#include "harness/system.hpp"

namespace terrace::perf {

/// The vector's numbers in the memory of `Space`.
template <class Space, class T>
auto in_space(std::vector<T>& numbers) {
  const Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(numbers.data(),
                                                                                          numbers.size());
  return Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), host, "terrace::perf::system");
}

template <class Space>
class SpaceSystem final : public System {
 public:
  SpaceSystem(LowerTriangle matrix, bool is_upper, int columns)
      : matrix_(std::move(matrix)),
        is_upper_(is_upper),
        columns_of_b_(columns),
        row_map_(narrow_row_map(matrix_)),
        b_(make_right_hand_side(static_cast<std::size_t>(matrix_.n) * static_cast<std::size_t>(columns))),
        x_(b_.size()),
        rows_{in_space<Space>(row_map_), in_space<Space>(matrix_.entries), in_space<Space>(matrix_.values)},
        space_b_(in_space<Space>(b_)),
        space_x_(in_space<Space>(x_)) {}

  /// The rows of an upper triangle are the columns of its transpose.
  SystemViews views(Place place, Input input) override {
    const bool by_columns = (input == Input::Columns) != is_upper_;
    if (by_columns && !columns_) make_columns();
    MatrixView matrix{matrix_.n, matrix_.nnz(), nullptr, nullptr, nullptr, is_upper_, columns_of_b_};
    const auto point_to = [&](const auto& map, const auto& entries, const auto& values) {
      matrix.row_map = map.data();
      matrix.entries = entries.data();
      matrix.values = values.data();
    };
    if (place == Place::Space) {
      const Arrays& arrays = by_columns ? *columns_ : rows_;
      point_to(arrays.map, arrays.entries, arrays.values);
      return {matrix, space_b_.data(), space_x_.data()};
    }
    if (by_columns) point_to(host_columns_.column_map, host_columns_.entries, host_columns_.values);
    else point_to(row_map_, matrix_.entries, matrix_.values);
    return {matrix, b_.data(), x_.data()};
  }

  void forget_solution(Place place) override {
    if (place == Place::Host) x_.assign(x_.size(), not_a_solution);
    else Kokkos::deep_copy(space_x_, not_a_solution);
  }

  std::vector<Real> solution(Place place) override {
    if (place == Place::Host) return x_;
    std::vector<Real> copy(x_.size());
    const Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(copy.data(),
                                                                                               copy.size());
    Kokkos::deep_copy(host, space_x_);
    return copy;
  }

  const LowerTriangle& matrix() const override { return matrix_; }
  bool is_upper() const override { return is_upper_; }
  const std::vector<Real>& right_hand_side() const override { return b_; }

 private:
  using Indices = decltype(in_space<Space>(std::declval<std::vector<int>&>()));
  using Numbers = decltype(in_space<Space>(std::declval<std::vector<Real>&>()));
  struct Arrays {
    Indices map;
    Indices entries;
    Numbers values;
  };

  void make_columns() {
    host_columns_ = to_columns(matrix_);
    columns_ = Arrays{in_space<Space>(host_columns_.column_map), in_space<Space>(host_columns_.entries),
                      in_space<Space>(host_columns_.values)};
  }

  LowerTriangle matrix_;
  bool is_upper_;
  int columns_of_b_;
  std::vector<int> row_map_;
  std::vector<Real> b_, x_;
  Columns host_columns_;
  Arrays rows_;
  std::optional<Arrays> columns_;
  Numbers space_b_, space_x_;
};

template <class Space>
std::unique_ptr<System> make_system(LowerTriangle matrix, bool is_upper, int columns) {
  return std::make_unique<SpaceSystem<Space>>(std::move(matrix), is_upper, columns);
}

}  // namespace terrace::perf
