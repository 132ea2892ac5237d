// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every engine is to the solver: the small abstract interface behind the seam.
#pragma once

#include <memory>
#include <terrace/triangular_info.hpp>

#include "algorithms/triangular/row_kernels.hpp"
#include "sparse/make_triangle.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset, class Space>
class TrianglePlan;

/// A checked matrix on its way into an engine.
template <class ScalarType, class OrdinalType, class OffsetType, class SpaceType>
struct Problem {
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Space = SpaceType;

  sparse::CheckedInput<Ordinal, Offset, Space> input;
  Kokkos::View<const Scalar*, parallel::Device<Space>> values;
  std::shared_ptr<TrianglePlan<Ordinal, Offset, Space>> plan;  // of the gathering rows of options().op, or none

  const TriangularOptions& options() const { return input.options; }
};

template <class Scalar, class Space>
class Engine {
 public:
  using const_vectors = detail::MultiVector<const Scalar, Space>;
  using vectors = detail::MultiVector<Scalar, Space>;
  using values_type = Kokkos::View<const Scalar*, parallel::Device<Space>>;

  virtual ~Engine() = default;

  /// Enqueues the solve; no fence, no allocation.
  virtual void solve(const Space& space, const const_vectors& b, const vectors& x, Op op) = 0;

  /// Enqueues whatever new values of the same pattern need.
  virtual void update_values(const Space& space, const values_type& values) = 0;

  /// Whether it takes new values together with another engine that does. The engines of a space that do are of one
  /// class, so that each may cast the other statically (ADR 2).
  virtual bool updates_in_pairs() const { return false; }

  /// update_values for this engine and for another one, of a triangle of the same types.
  virtual void update_values_with(const Space& space, Engine& other, const values_type& values) {
    update_values(space, values);
    other.update_values(space, values);
  }

  /// What it consists of where it is a pair (paired_engine.hpp): the engine for the operation that it was made for, and
  /// that for the transpose, or none.
  virtual Engine& direct() { return *this; }
  virtual Engine* transpose() { return nullptr; }

  /// Whether it solves an operation and its transpose equally fast, and with the same bits each time.
  virtual bool is_made_for_transpose() const { return false; }

  /// Fills in what the engine knows: algorithm, levels, tasks, bytes.
  virtual void describe(TriangularInfo& info) const = 0;

  /// Brings up to date what solves may have changed of that: algorithm and reason.
  virtual void describe_changes(TriangularInfo&) const {}
};

}  // namespace terrace::triangular
