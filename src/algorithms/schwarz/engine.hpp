// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solves with the factorized blocks of a Schwarz method: the pair behind the seam. A plan knows the pattern of L
// and U, and serves any number of engines; an engine holds what the values need (backends/schwarz.hpp).
//
// M = diag(A_1, ..., A_k) is factorized as one matrix, M ~ L U, in one merged pattern. Its rows are called places: the
// places of a block are consecutive, and no entry leaves its block. A row of A has a place in each block that it
// belongs to; one of these blocks owns it.
//
// One application, for op = None:  y_p = in_p r(row_p);  y = (L U)^-1 y;  z(row_p) or z(p) = out_p y_p.
#pragma once

#include <memory>
#include <span>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/schwarz_info.hpp>
#include <terrace/triangular_options.hpp>

#include "algorithms/incomplete/pivot_numbers.hpp"
#include "algorithms/schwarz/block_of.hpp"

namespace terrace::schwarz {

/// L and U of all blocks. Columns are places and ascend in each row; the diagonal stands at diagonal(p).
template <class Ordinal, class Offset, class Space>
struct BlockPattern {
  Kokkos::View<const Ordinal*, parallel::Device<Space>> block_map;  // where each block begins; one more than blocks
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<const Offset*, parallel::Device<Space>> diagonal;
  Ordinal largest_block = 0;
  bool unit_lower = true;  // L has ones on its diagonal, which are not stored; else the diagonal serves both triangles

  Ordinal blocks() const { return static_cast<Ordinal>(block_map.extent(0)) - 1; }
  BlockOf<Ordinal> block_of() const { return {block_map.data(), blocks()}; }
  Ordinal places() const { return static_cast<Ordinal>(row_map.extent(0)) - 1; }
};

/// How vectors get into the blocks and out of them. For kernels: plain pointers.
template <class Scalar, class Ordinal>
struct Transfer {
  using Real = incomplete::RealOf<Scalar>;

  const Ordinal* row;  // of each place; ~row where another block owns it
  const Real* in;      // weights by place; null: ones
  const Real* out;
  bool reads_owned_only;   // the other places read zero
  bool writes_owned_only;  // z(row) is written by its owner; else every place writes z(p), and z has a row for each

  KOKKOS_FUNCTION static bool owns(Ordinal row) { return row >= 0; }

  template <class Vectors>
  KOKKOS_FUNCTION Scalar read(const Vectors& r, Ordinal place, std::ptrdiff_t column) const {
    return read(r, place, row[place], column);
  }
  template <class Vectors>
  KOKKOS_FUNCTION void write(const Vectors& z, Ordinal place, std::ptrdiff_t column, const Scalar& solved) const {
    write(z, place, row[place], column, solved);
  }

  /// The same with the place's `row`, for who looks up several side by side.
  template <class Vectors>
  KOKKOS_FUNCTION Scalar read(const Vectors& r, Ordinal place, Ordinal from, std::ptrdiff_t column) const {
    if (reads_owned_only && !owns(from)) return Scalar(0);
    const Scalar value = r(plain_row(from), column);
    return in ? value * in[place] : value;
  }
  template <class Vectors>
  KOKKOS_FUNCTION void write(const Vectors& z, Ordinal place, Ordinal to, std::ptrdiff_t column,
                             const Scalar& solved) const {
    const Scalar value = out ? solved * out[place] : solved;
    if (!writes_owned_only) z(place, column) = value;
    else if (owns(to)) z(to, column) = value;
  }
};

/// What is known of the pattern.
template <class Ordinal, class Offset, class Space>
class BlockPlan {
 public:
  virtual ~BlockPlan() = default;

  /// Fills in algorithm, reason, levels, and adds to the bytes.
  virtual void describe(SchwarzInfo& info) const = 0;

  /// Whether the generic engine works by it, on a backend that has one of its own.
  virtual bool is_generic() const { return false; }
};

template <class Ordinal, class Offset, class Space>
using BlockPlanPointer = std::shared_ptr<const BlockPlan<Ordinal, Offset, Space>>;

template <class Scalar, class Ordinal, class Offset, class Space>
class BlockEngine {
 public:
  using const_vectors = detail::MultiVector<const Scalar, Space>;
  using vectors = detail::MultiVector<Scalar, Space>;
  using values_type = Kokkos::View<const Scalar*, parallel::Device<Space>>;
  using Elimination = incomplete::Elimination<Scalar, Ordinal, Offset, Space>;
  using PivotNumbers = incomplete::PivotNumbers<Scalar, Ordinal, Offset, Space>;

  virtual ~BlockEngine() = default;

  /// New numbers of L and U, one for each entry of the pattern. Enqueued. An engine may keep a reference to them: they
  /// live as long as it does, or until the next call.
  virtual void update_values(const Space& space, const values_type& values) = 0;

  /// Enqueues the application: no fence, no allocation. R and Z are different memory.
  virtual void apply(const Space& space, const const_vectors& R, const vectors& Z, Op op,
                     const Transfer<Scalar, Ordinal>& transfer) = 0;

  virtual std::size_t bytes_held() const = 0;

  /// Where elimination changes only the diagonal, an engine may find the pivots by itself, and hold the only copy of L
  /// and U: whether it does. Waits for the space.
  virtual bool finds_pivots(const Space&) const { return false; }

  /// Then, in place of an elimination and update_values: the pivots by place, which the next call reads. Enqueued.
  virtual void find_pivots(const Space&, const Elimination&, Scalar*) {}
  virtual void update_by_pivots(const Space&, const PivotNumbers&) {}

  /// Memory that update_values writes anew: whoever makes the values may use it before. Its address stays.
  virtual std::span<char> overwritten_memory() const { return {}; }
};

template <class Scalar, class Ordinal, class Offset, class Space>
using BlockEnginePointer = std::unique_ptr<BlockEngine<Scalar, Ordinal, Offset, Space>>;

}  // namespace terrace::schwarz
