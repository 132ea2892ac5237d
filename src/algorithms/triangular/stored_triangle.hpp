// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangle that an engine works on, with its values: the caller's own, or a copy that follows them.
#pragma once

#include <optional>

#include "algorithms/triangular/engine.hpp"
#include "parallel/loops.hpp"
#include "sparse/fill_values.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset>
struct CountStoredEntries {
  sparse::TriangleView<Ordinal, Offset> triangle;
  const Offset* source;  // of a copy, which has a place for a diagonal that is not stored
  bool diagonal;
  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& sum) const {
    sum += static_cast<std::int64_t>(triangle.end(row) - triangle.begin(row));
    if (diagonal && (!source || source[triangle.diagonal_position(row)] != sparse::no_source<Offset>)) ++sum;
  }
};

template <class ScalarType, class OrdinalType, class OffsetType, class SpaceType>
class StoredTriangle {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Space = SpaceType;
  using TriangleType = sparse::Triangle<Ordinal, Offset, Space>;
  using values_type = Kokkos::View<const Scalar*, parallel::Device<Space>>;

  /// `strict_entries`: of the strict triangle, where somebody has counted them.
  StoredTriangle(const Space& space, TriangleType triangle, const values_type& values, const TriangularOptions& options,
                 std::optional<std::int64_t> strict_entries = {})
      : triangle_(std::move(triangle)), options_(options) {
    if (triangle_.is_copy)
      copied_values_ = parallel::uninitialized<Scalar>(space, "terrace::sparse::values", triangle_.entries.extent(0));
    update_values(space, values);
    count_entries(space, strict_entries);
  }

  void update_values(const Space& space, const values_type& values) {
    if (!triangle_.is_copy) {
      values_ = values;
      return;
    }
    values_ = copied_values_;
    sparse::fill_values(space, "terrace::triangular::fill_values", values, triangle_.source, copied_values_);
  }

  /// Of the triangle, with the diagonal where it is used.
  std::int64_t entries() const { return entries_; }
  const TriangleType& structure() const { return triangle_; }
  const values_type& values() const { return values_; }  // of the rows, entry by entry
  const TriangularOptions& options() const { return options_; }

  bool gathers(Op op) const { return triangle_.gathers == ((op == Op::None) == (options_.op == Op::None)); }
  bool runs_backward(Op op) const { return sparse::runs_backward(options_.uplo, op); }

  /// Builds the kernels' view of the system and hands it to `solve`: one contiguous vector is a type of its own.
  template <class Solve>
  void with_system(const detail::MultiVector<const Scalar, Space>& b, const detail::MultiVector<Scalar, Space>& x,
                   Op op, const Solve& solve) const {
    if (b.columns == 1 && b.row_stride == 1 && x.row_stride == 1) solve(system<true>(b, x, op));
    else solve(system<false>(b, x, op));
  }

  std::size_t bytes_held() const { return triangle_.bytes_held() + copied_values_.span() * sizeof(Scalar); }

 private:
  template <bool Contiguous>
  System<Scalar, Ordinal, Offset, Contiguous> system(const detail::MultiVector<const Scalar, Space>& b,
                                                     const detail::MultiVector<Scalar, Space>& x, Op op) const {
    return {triangle_.view(),
            values_.data(),
            Vectors<const Scalar, Contiguous>(b),
            Vectors<Scalar, Contiguous>(x),
            static_cast<int>(b.columns),
            options_.diag == Diag::Unit,
            op == Op::ConjugateTranspose};
  }

  /// Where the caller's arrays hold the triangle and nothing else, there is nothing to count; and a copy alone may have
  /// a diagonal that the caller does not store.
  void count_entries(const Space& space, std::optional<std::int64_t> strict_entries) {
    const bool unit = options_.diag == Diag::Unit;
    if (!triangle_.is_copy && strict_entries) {
      entries_ = *strict_entries + (unit ? 0 : triangle_.count);
      return;
    }
    if (!triangle_.is_copy && triangle_.diagonal.extent(0) == 0) {
      const auto diagonal = static_cast<std::int64_t>(triangle_.skip_front + triangle_.skip_back) * triangle_.count;
      entries_ = static_cast<std::int64_t>(triangle_.entries.extent(0)) - (unit ? diagonal : 0);
      return;
    }
    parallel::reduce_range(
        "terrace::triangular::count_stored_entries", Kokkos::RangePolicy<Space>(space, 0, triangle_.count),
        CountStoredEntries<Ordinal, Offset>{triangle_.view(), triangle_.source.data(), options_.diag == Diag::NonUnit},
        entries_);
  }

  TriangleType triangle_;
  TriangularOptions options_;
  std::int64_t entries_ = 0;
  values_type values_;
  Kokkos::View<Scalar*, parallel::Device<Space>> copied_values_;
};

}  // namespace terrace::triangular
