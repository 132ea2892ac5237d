// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pair behind the seam of direct factorizations: a plan knows the pattern, and serves any number of engines; an
// engine holds the numbers of L and D. make_ldlt_plan and make_ldlt_engine are overloaded by space (backends/ldlt.hpp).
//
// An engine works in the order of elimination, on a matrix that is scaled already and in its own precision; what comes
// before and after (permutation, scaling, refinement) is not its business.
#pragma once

#include <limits>
#include <memory>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/ldlt_info.hpp>

#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/incomplete/pivots.hpp"
#include "algorithms/ldlt/front_plan.hpp"

namespace terrace::ldlt {

using incomplete::RealOf;

/// What became of a factorization, in memory of the execution space. Rows in the order of elimination; `rows` where
/// there is none of the kind.
template <class Real>
struct PivotRecord {
  int first_zero;
  int first_tiny;
  int first_nonfinite;
  int replaced;
  Real smallest_pivot;  // moduli
  Real largest_pivot;
  Real largest_entry;  // of the matrix: known before the factorization starts
  Real growth;

  KOKKOS_FUNCTION void forget(int rows) {
    first_zero = first_tiny = first_nonfinite = rows;
    replaced = 0;
    smallest_pivot = Kokkos::Experimental::infinity_v<Real>;
    largest_pivot = largest_entry = growth = 0;
  }
};

/// For kernels. The modulus of a complex number is |re| + |im| (incomplete::magnitude).
template <class Scalar>
struct PivotRule {
  using Real = RealOf<Scalar>;

  Real threshold;  // relative to the largest entry
  bool replace;
  PivotRecord<Real>* record;

  KOKKOS_FUNCTION Real least() const { return threshold * record->largest_entry; }

  /// The pivot as it is to be used; writes what it is into the record. In place of one that is not finite stands a NaN:
  /// solutions must not look like numbers, and division by Inf would leave zeros.
  KOKKOS_FUNCTION Scalar settle(int row, const Scalar& pivot) const {
    if (!triangular::is_finite(pivot)) {
      parallel::atomic_lower(record->first_nonfinite, row);
      return Scalar(Kokkos::Experimental::quiet_NaN_v<Real>);
    }
    const Real found = incomplete::magnitude(pivot);
    const bool is_large = found > least();
    if (!is_large) parallel::atomic_lower(found == Real(0) ? record->first_zero : record->first_tiny, row);
    const bool is_replaced = !is_large && replace;
    if (is_replaced) parallel::fetch_increment(record->replaced);
    const Real used = is_replaced ? replacement() : found;
    parallel::atomic_lower(record->smallest_pivot, used);
    parallel::atomic_raise(record->largest_pivot, used);
    if (!is_replaced) return pivot;
    return found > Real(0) ? pivot / found * used : Scalar(used);  // the quotient of both may overflow
  }

 private:
  /// Its modulus. Where the matrix is zero, so is every threshold.
  KOKKOS_FUNCTION Real replacement() const { return least() > Real(0) ? least() : Real(1); }
};

/// What plans and engines share, on the host and in the space.
template <class Space>
struct SymbolicFronts {
  FrontPlan plan;
  FrontArrays<Space> arrays;
};

/// Which engine works by a plan: one of the generic ones, or the one that was made for the space.
enum class EngineKind { Levels, Columns, OfSpace };

/// What is known of the pattern.
template <class Space>
class LdltPlan {
 public:
  virtual ~LdltPlan() = default;

  virtual EngineKind kind() const { return EngineKind::OfSpace; }

  /// Beyond the FrontPlan: bytes that this plan holds, and those that an engine will allocate for numbers of so many
  /// bytes and so many right-hand sides.
  virtual std::size_t bytes_held() const = 0;
  virtual std::size_t bytes_of_engine(std::size_t scalar_bytes, int right_hand_sides) const = 0;
  /// Of so many right-hand sides those that an engine solves with at once.
  virtual int columns_at_once(int right_hand_sides) const { return right_hand_sides; }
};

template <class Space>
using LdltPlanPointer = std::shared_ptr<const LdltPlan<Space>>;

template <class Scalar, class Space>
class LdltEngine {
 public:
  using vectors = detail::MultiVector<Scalar, Space>;

  virtual ~LdltEngine() = default;

  /// Enqueues the factorization of the matrix with these entries, in the order of FrontPlan::entries: no fence, no
  /// allocation. The record has been forgotten but for largest_entry.
  virtual void factorize(const Space& space, const Scalar* entries, const PivotRule<Scalar>& pivots) = 0;

  /// Whether it wants vectors side by side: rows of Y follow one another, each contiguous. Otherwise columns do.
  virtual bool solves_by_rows() const { return false; }

  /// Enqueues Y = L^-T D^-1 L^-1 Y, or a part of it: no fence, no allocation. Y has a row for each column of L, in the
  /// order of elimination, and at most as many columns as the engine was made for.
  virtual void solve(const Space& space, const vectors& Y, LdltPart part) = 0;

  virtual std::size_t bytes_held() const = 0;
};

template <class Scalar, class Space>
using LdltEnginePointer = std::unique_ptr<LdltEngine<Scalar, Space>>;

}  // namespace terrace::ldlt
