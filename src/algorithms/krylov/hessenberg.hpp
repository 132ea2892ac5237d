// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small dense part of GMRES: the Hessenberg matrix, made triangular by rotations as its columns arrive (Saad 2003,
// section 6.5.3).
//
// It stays on the device, and one thread does its work inside the reduction that completes a column: at most `restart`
// rotations of two numbers, while a transfer to the host and back would make every step of the iteration wait.
#pragma once

#include "algorithms/krylov/each_column.hpp"

namespace terrace::krylov {

/// The kernels' side. The triangle R is stored by columns of length `restart`.
template <class Scalar>
struct Hessenberg {
  using Real = RealOf<Scalar>;

  int restart;
  Scalar* column;      // [restart + 1]: the new column
  Scalar* correction;  // [restart + 1]: what the second orthogonalization adds to it
  Scalar* triangle;    // R
  Real* cosines;
  Scalar* sines;
  Scalar* rhs;  // [restart + 1]: the rotated right-hand side
  Scalar* y;    // [restart]

  KOKKOS_FUNCTION Scalar& R(int row, int of_column) const {
    return triangle[static_cast<std::ptrdiff_t>(of_column) * restart + row];
  }

  KOKKOS_FUNCTION void rotate(int k, Scalar& upper, Scalar& lower) const {
    const Scalar rotated = cosines[k] * upper + sines[k] * lower;
    lower = cosines[k] * lower - conjugate(sines[k]) * upper;
    upper = rotated;
  }

  /// Takes column j, whose last number is the norm of what is left of the vector.
  KOKKOS_FUNCTION void append(int j, Real norm, Shared<Scalar> shared) const {
    auto& state = *shared.state;
    if (!state.is_running()) return;
    if (!Kokkos::isfinite(norm)) return state.stop(StopReason::NotFinite);
    column[j + 1] = Scalar(norm);
    for (int k = 0; k < j; ++k) rotate(k, column[k], column[k + 1]);
    const Real length = Kokkos::sqrt(square(column[j]) + norm * norm);
    if (length == Real(0)) return state.stop(StopReason::Breakdown);
    const Real upper = Kokkos::abs(column[j]);
    const Scalar phase = upper > Real(0) ? column[j] / upper : Scalar(1);
    cosines[j] = upper / length;
    sines[j] = phase * (norm / length);
    for (int k = 0; k < j; ++k) R(k, j) = column[k];
    R(j, j) = phase * length;
    rhs[j + 1] = Scalar(0);
    rotate(j, rhs[j], rhs[j + 1]);
    state.columns = j + 1;
    state.alpha = norm > Real(0) ? Scalar(Real(1) / norm) : Scalar(0);
    state.record(Kokkos::abs(rhs[j + 1]), shared.history_of(0));
  }

  /// y = 2^exponent R^-1 rhs for the columns that count.
  KOKKOS_FUNCTION void solve(int columns, int exponent) const {
    for (int row = columns - 1; row >= 0; --row) {
      Scalar sum = rhs[row];
      for (int k = row + 1; k < columns; ++k) sum -= R(row, k) * y[k];
      y[row] = sum / R(row, row);
    }
    for (int row = 0; row < columns; ++row) y[row] = parallel::scaled_by_power_of_two<Real>(y[row], exponent);
  }
};

/// Where the parts of the rows may leave their sums with several columns of the basis.
template <class Scalar>
struct PartialSums {
  static constexpr int max_columns = 32;
  static constexpr std::size_t size = static_cast<std::size_t>(max_columns) * Gathering<Scalar>::max_parts;
  Scalar* data;
};

/// The memory of it.
template <class Scalar, class Space>
class HessenbergMemory {
 public:
  HessenbergMemory(const Space& space, int restart)
      : restart_(restart),
        scalars_(parallel::zeros<Scalar>(space, "terrace::krylov::hessenberg",
                                         static_cast<std::size_t>(restart) * static_cast<std::size_t>(restart) +
                                             5 * static_cast<std::size_t>(restart) + 3)),
        cosines_(parallel::zeros<RealOf<Scalar>>(space, "terrace::krylov::cosines", restart)),
        partial_sums_(parallel::zeros<Scalar>(space, "terrace::krylov::partial_sums",
                                              parallel::is_host_space<Space> ? 0 : PartialSums<Scalar>::size)) {}

  Hessenberg<Scalar> for_kernels() const {
    const std::ptrdiff_t m = restart_;
    Scalar* const first = scalars_.data();
    Scalar* const vectors = first + m * m;
    return {restart_,
            vectors,
            vectors + (m + 1),
            first,
            cosines_.data(),
            vectors + 2 * (m + 1),
            vectors + 3 * m + 2,
            vectors + 4 * m + 3};
  }

  PartialSums<Scalar> partial_sums() const { return {partial_sums_.data()}; }

 private:
  int restart_;
  Kokkos::View<Scalar*, parallel::Device<Space>> scalars_;
  Kokkos::View<RealOf<Scalar>*, parallel::Device<Space>> cosines_;
  Kokkos::View<Scalar*, parallel::Device<Space>> partial_sums_;
};

}  // namespace terrace::krylov
