// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangular system in the memory of a Kokkos execution space. Nothing is copied when that is the host's.
#pragma once

#include "harness/upload.hpp"
#include "triangular/triangular_problem.hpp"

namespace terrace::perf {

/// The vector's numbers in the memory of `Space`.
template <class Space, class T>
auto in_space(std::vector<T>& numbers) {
  return Kokkos::create_mirror_view_and_copy(typename Space::memory_space(),
                                             HostView<T>(numbers.data(), numbers.size()), "terrace::perf::system");
}

template <class Space>
class ProblemOn final : public TriangularProblem {
 public:
  ProblemOn(LowerTriangle L, bool is_upper, int columns, Layout layout)
      : TriangularProblem(std::move(L), is_upper, columns, layout),
        rows_(L_),
        space_b_(in_space<Space>(b_)),
        space_x_(in_space<Space>(x_)) {}

  /// The rows of an upper triangle are the columns of its transpose.
  SystemView view(Place place, Input input) override {
    const bool by_columns = (input == Input::CompressedColumns) != is_upper_;
    if (by_columns && !columns_arrays_) {
      transposed_ = common::transpose(L_);
      columns_arrays_.emplace(transposed_);
    }
    const Rows& host = by_columns ? transposed_ : L_;
    const Arrays& arrays = by_columns ? *columns_arrays_ : rows_;
    const auto view_of = [&](const auto& map, const auto& entries, const auto& values, const auto& b, auto& x) {
      return SystemView{L_.n,      L_.nnz(), map.data(), entries.data(), values.data(),
                        is_upper_, columns_, layout_,    b.data(),       x.data()};
    };
    return place == Place::Host ? view_of(host.row_map, host.entries, host.values, b_, x_)
                                : view_of(arrays.map, arrays.entries, arrays.values, space_b_, space_x_);
  }

  void forget_solution(Place place) override {
    if (place == Place::Host) x_.assign(x_.size(), not_a_solution);
    else Kokkos::deep_copy(space_x_, not_a_solution);
  }

  std::vector<double> solution(Place place) override {
    return by_columns(place == Place::Host ? std::vector<double>(x_.begin(), x_.end()) : download(space_x_));
  }

 private:
  struct Arrays {
    explicit Arrays(Rows& A)
        : map(in_space<Space>(A.row_map)), entries(in_space<Space>(A.entries)), values(in_space<Space>(A.values)) {}
    decltype(in_space<Space>(std::declval<std::vector<int>&>())) map, entries;
    decltype(in_space<Space>(std::declval<std::vector<Real>&>())) values;
  };

  Rows transposed_;
  Arrays rows_;
  std::optional<Arrays> columns_arrays_;
  decltype(in_space<Space>(std::declval<std::vector<Real>&>())) space_b_, space_x_;
};

}  // namespace terrace::perf
