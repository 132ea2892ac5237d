// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors on their way into a factorization of P D A D P^T and back: z = D P^T M^-1 P D r, where M is the
// factorization. D is real and diagonal, so the transposed operations take the same way.
//
// A renumbering needs memory of its own, because z may be r. It is made once, for as many vectors as the caller said;
// more go through it in portions. Scaling alone is done in z.
#pragma once

#include <algorithm>
#include <terrace/detail/multi_vector.hpp>

#include "parallel/columns.hpp"
#include "parallel/loops.hpp"

namespace terrace::ordering {

/// to(place(i)) = scale(i) from(original(i)) on the way in, the reverse on the way out.
template <class Scalar, class Ordinal, class Space>
struct CopyVectors {
  using Real = decltype(Kokkos::abs(Scalar()));

  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<Scalar, Space> to;
  const Ordinal* original;  // null: natural
  const Real* scale;        // by place in the factorization; null: one
  bool inwards;

  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    const Ordinal row = original ? original[place] : place;
    const Real factor = scale ? scale[place] : Real(1);
    const auto columns = static_cast<std::ptrdiff_t>(to.columns);
    for (std::ptrdiff_t k = 0; k < columns; ++k) to(inwards ? place : row, k) = from(inwards ? row : place, k) * factor;
  }
};

template <class Scalar, class Ordinal, class Space>
class PermutedVectors {
  using Real = decltype(Kokkos::abs(Scalar()));
  using Read = detail::MultiVector<const Scalar, Space>;
  using Write = detail::MultiVector<Scalar, Space>;

 public:
  PermutedVectors() = default;

  /// `original` and `scale` may be empty; portions of `columns` vectors.
  PermutedVectors(const Space& space, const Kokkos::View<const Ordinal*, parallel::Device<Space>>& original,
                  const Kokkos::View<const Real*, parallel::Device<Space>>& scale, int columns)
      : original_(original), scale_(scale) {
    if (original.extent(0) > 0)
      buffer_ = parallel::uninitialized_columns<Scalar>(space, "terrace::ordering::vectors", original.extent(0),
                                                        static_cast<std::size_t>(columns));
  }

  /// The same with another scale, in the same memory.
  PermutedVectors with_scale(const Kokkos::View<const Real*, parallel::Device<Space>>& scale) const {
    PermutedVectors other = *this;
    other.scale_ = scale;
    return other;
  }

  /// Enqueues solve(r, z), or several of them, between the copies. Z may be R, also in `solve`.
  template <class Solve>
  void around(const Space& space, const Read& R, const Write& Z, const Solve& solve) const {
    if (original_.extent(0) == 0 && scale_.extent(0) == 0) return solve(R, Z);
    if (original_.extent(0) == 0) return walk(space, R, Z, Z, solve);
    for (std::size_t first = 0; first < R.columns; first += buffer_.extent(1)) {
      const std::size_t count = std::min(buffer_.extent(1), R.columns - first);
      using parallel::columns_of;
      walk(space, columns_of(R, first, count), columns_of(Z, first, count), columns_of(Write(buffer_), 0, count),
           solve);
    }
  }

  std::size_t bytes_held() const { return buffer_.span() * sizeof(Scalar); }

 private:
  template <class Solve>
  void walk(const Space& space, const Read& R, const Write& Z, const Write& inside, const Solve& solve) const {
    copy(space, "terrace::ordering::gather_vectors", R, inside, true);
    solve(Read(inside), inside);
    copy(space, "terrace::ordering::scatter_vectors", Read(inside), Z, false);
  }

  void copy(const Space& space, const char* label, const Read& from, const Write& to, bool inwards) const {
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, static_cast<Ordinal>(from.rows)),
                        CopyVectors<Scalar, Ordinal, Space>{from, to, original_.data(), scale_.data(), inwards});
  }

  Kokkos::View<const Ordinal*, parallel::Device<Space>> original_;
  Kokkos::View<const Real*, parallel::Device<Space>> scale_;
  parallel::Columns<Scalar, Space> buffer_;
};

}  // namespace terrace::ordering
