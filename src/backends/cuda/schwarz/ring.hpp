// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks on their way: a ring of buffers in shared memory. One thread copies chunk after chunk into the buffers, as
// soon as all warps that solve have left what was there; these wait for a chunk to come. The thread that copies holds
// no other thread up, and needs the next chunk's size alone, which it asks for a chunk ahead.
#pragma once

#include "backends/cuda/bulk_copy.hpp"
#include "backends/cuda/schwarz/stream.hpp"

namespace terrace::cuda::schwarz {

/// Where everything lies in the shared memory of a thread block: barriers, buffers, unknowns.
struct SharedShape {
  int buffers, slots_per_chunk;
  int bytes_of_value;

  static constexpr int bytes_of_heads = ChunkSize::heads_for(BlockTuning::slices_per_chunk) * int(head_bytes);
  KOKKOS_FUNCTION int bytes_of_columns() const { return slots_per_chunk * int(sizeof(Cell)); }
  KOKKOS_FUNCTION int bytes_of_buffer() const {
    return bytes_of_heads + bytes_of_columns() + slots_per_chunk * bytes_of_value;
  }
  static constexpr int bytes_of_barriers = 2 * BlockTuning::max_buffers * int(sizeof(CopyBarrier));
  KOKKOS_FUNCTION int begin_of_unknowns() const { return bytes_of_barriers + buffers * bytes_of_buffer(); }
};

/// A chunk in its buffer.
template <class Factor>
struct Chunk {
  const ChunkHead* head;
  const SliceHead* slices;
  const Cell* columns;
  const Factor* values;
};

template <class Factor>
class Ring {
 public:
  __device__ Ring(unsigned char* memory, const SharedShape& shape) : memory_(memory), shape_(shape) {}

  /// By one thread, before all meet. So many warps will leave each chunk.
  __device__ void make(int warps) const {
#pragma unroll 1
    for (int buffer = 0; buffer < shape_.buffers; ++buffer) {
      make_barrier(come(buffer), 1);
      make_barrier(left(buffer), static_cast<unsigned>(warps));
    }
    show_barriers_to_copies();
  }

  /// By one thread: copies the chunks of a block.
  __device__ void copy(const StreamStructure& stream, const Factor* values, const StreamPlace& begin,
                       std::int64_t end_chunk) {
    const uint4* heads = stream.heads + begin.heads;
    const Cell* columns = stream.columns + begin.slots;
    values += begin.slots;
    ChunkSize size = stream.chunks[begin.chunks];
#pragma unroll 1
    for (std::int64_t chunk = begin.chunks; chunk < end_chunk; ++chunk) {
      const ChunkSize next = chunk + 1 < end_chunk ? stream.chunks[chunk + 1] : size;
      wait_for_phase(left(buffer_), parity_ ^ 1u);
      copy_chunk(size, heads, columns, values);
      heads += size.heads();
      columns += size.slots;
      values += size.slots;
      size = next;
      advance();
    }
  }

  /// The chunk whose turn it is.
  __device__ Chunk<Factor> wait() const {
    wait_for_phase(come(buffer_), parity_);
    const unsigned char* at = buffer();
    const auto* head = reinterpret_cast<const ChunkHead*>(at);
    return {head, reinterpret_cast<const SliceHead*>(head + 1),
            reinterpret_cast<const Cell*>(at + SharedShape::bytes_of_heads),
            reinterpret_cast<const Factor*>(at + SharedShape::bytes_of_heads + shape_.bytes_of_columns())};
  }

  /// By whole warps that have done with it.
  __device__ void leave() {
    __syncwarp();
    if (threadIdx.x % warp_size == 0) arrive(left(buffer_));
    advance();
  }

 private:
  __device__ void advance() {
    if (++buffer_ < shape_.buffers) return;
    buffer_ = 0;
    parity_ ^= 1u;
  }

  __device__ CopyBarrier* come(int buffer) const { return reinterpret_cast<CopyBarrier*>(memory_) + 2 * buffer; }
  __device__ CopyBarrier* left(int buffer) const { return come(buffer) + 1; }
  __device__ unsigned char* buffer() const {
    return memory_ + SharedShape::bytes_of_barriers + buffer_ * shape_.bytes_of_buffer();
  }

  __device__ void copy_chunk(const ChunkSize& size, const uint4* heads, const Cell* columns,
                             const Factor* values) const {
    const auto bytes_of_heads = static_cast<unsigned>(size.heads() * int(head_bytes)),
               bytes_of_columns = size.slots * static_cast<unsigned>(sizeof(Cell)),
               bytes_of_values = size.slots * static_cast<unsigned>(sizeof(Factor));
    unsigned char* at = buffer();
    announce(come(buffer_), bytes_of_heads + bytes_of_columns + bytes_of_values);
    copy_bulk(at, heads, bytes_of_heads, come(buffer_));
    if (size.slots != 0) {
      at += SharedShape::bytes_of_heads;
      copy_bulk(at, columns, bytes_of_columns, come(buffer_));
      copy_bulk(at + shape_.bytes_of_columns(), values, bytes_of_values, come(buffer_));
    }
    all_copies_asked_for(come(buffer_));
  }

  unsigned char* memory_;
  SharedShape shape_;
  int buffer_ = 0;
  unsigned parity_ = 0;
};

}  // namespace terrace::cuda::schwarz
