// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device and one thread of the host eliminate the same rows; whoever is first at the end has made the factor, which
// has the same bits (incomplete/threshold/rounded.hpp).
//
// Where each row needs the one before it, as in a band, or in a grid once it has filled in, one row is under way at a
// time, and a thread of a host takes a part of the 2.6 us for which rows on a device wait for each other. Which rows
// wait shows while they are eliminated. So nothing is predicted: the thread that would wait for the device has the
// matrix brought to it and begins as well, unless it is plain by then that the device will be faster than any host.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/incomplete/threshold/collect_rows.hpp"
#include "algorithms/incomplete/threshold/leave_work.hpp"
#include "algorithms/incomplete/threshold/rows_on_host.hpp"
#include "algorithms/incomplete/threshold/threshold_engine.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/runtime.hpp"
#include "backends/cuda/threshold/workers.hpp"
#include "parallel/host_array.hpp"

namespace terrace::cuda::threshold {

/// Copies beside a kernel that runs, on a stream of its own, of what was there at a moment before.
class CopiesBeside {
 public:
  CopiesBeside(const Kokkos::Cuda& space, const parallel::Moment<Kokkos::Cuda>& moment) {
    const OnDevice current(space.cuda_device());
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    moment.hold(stream_);
  }
  CopiesBeside(const CopiesBeside&) = delete;
  CopiesBeside& operator=(const CopiesBeside&) = delete;
  ~CopiesBeside() { static_cast<void>(succeeds(cudaStreamDestroy(stream_))); }

  template <class T>
  void copy(const T* from, std::size_t count, T* to) const {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Rows by the host, to which the matrix comes piece by piece, as it needs it: the device may be done meanwhile.
template <class Scalar, class Offset>
class HostSide {
  using Elimination = terrace::incomplete::ThresholdElimination<Scalar, int, Offset>;

 public:
  /// `values`: of the matrix that is factorized, on the device.
  HostSide(const Elimination& of, const Scalar* values, std::size_t entries, std::size_t capacity)
      : on_device_(of.pattern),
        values_on_device_(values),
        rows_of_piece_(std::max(ThresholdTuning::entries_of_piece * static_cast<std::size_t>(of.pattern.rows) / entries,
                                std::size_t(1))),
        row_map_(reserved<Offset>(static_cast<std::size_t>(of.pattern.rows) + 1)),
        columns_(reserved<int>(entries)),
        values_(reserved<Scalar>(entries)),
        rows_(on_host(of), capacity) {}

  auto& rows() { return rows_; }

  /// Whether so many rows more can be eliminated without asking for a piece.
  bool has(int rows) const { return brought_ - rows_.count_finished() >= std::min(rows, rows_left()); }

  void bring_piece(const CopiesBeside& copies) {
    const int first = brought_;
    brought_ += static_cast<int>(
        std::min(rows_of_piece_, static_cast<std::size_t>(on_device_.rows) - static_cast<std::size_t>(first)));
    const auto count = static_cast<std::size_t>(brought_ - first) + 1;
    row_map_.resize(static_cast<std::size_t>(brought_) + 1);
    copies.copy(on_device_.row_map + first, count, row_map_.data() + first);
    copies.wait();
    const auto begin = row_map_[static_cast<std::size_t>(first)], end = row_map_.back();
    columns_.resize(static_cast<std::size_t>(end));
    values_.resize(static_cast<std::size_t>(end));
    copies.copy(on_device_.entries + begin, static_cast<std::size_t>(end - begin), columns_.data() + begin);
    copies.copy(values_on_device_ + begin, static_cast<std::size_t>(end - begin), values_.data() + begin);
    copies.wait();
  }

 private:
  /// Capacity that is touched as it is used: complex numbers are zero at first.
  template <class T>
  static parallel::HostArray<T> reserved(std::size_t capacity) {
    parallel::HostArray<T> numbers;
    numbers.reserve(capacity);
    return numbers;
  }

  int rows_left() const { return on_device_.rows - rows_.count_finished(); }

  Elimination on_host(Elimination of) const {
    of.pattern.row_map = row_map_.data();
    of.pattern.diagonal = nullptr;  // not looked at
    of.pattern.entries = columns_.data();
    of.matrix = {values_.data(), nullptr, columns_.data(), nullptr, nullptr, of.matrix.hermitian, of.matrix.read_upper};
    return of;
  }

  sparse::TriangleView<int, Offset> on_device_;
  const Scalar* values_on_device_;
  std::size_t rows_of_piece_;
  int brought_ = 0;
  parallel::HostArray<Offset> row_map_;
  parallel::HostArray<int> columns_;
  parallel::HostArray<Scalar> values_;
  terrace::incomplete::RowsOnHost<Scalar, int, Offset> rows_;
};

/// Warps whose start returns when all is done, by them or by the host.
template <class Scalar, class Offset>
class WarpsBesideHost : public ThresholdWarps<Scalar, Offset> {
  using Warps = ThresholdWarps<Scalar, Offset>;
  using Elimination = terrace::incomplete::ThresholdElimination<Scalar, int, Offset>;
  using Clock = terrace::incomplete::HostSeconds;

 public:
  /// The host's store has this capacity at most at first, but grows.
  WarpsBesideHost(const Kokkos::Cuda& space, int rows, std::size_t entries, int fill, std::size_t capacity)
      : Warps(space, rows, entries, fill),
        rows_(rows),
        entries_(entries),
        capacity_(std::min(capacity, ThresholdTuning::entries_of_piece)) {
    static_cast<void>(PinnedMemory::of_this_thread());  // made before anything runs
  }

  void forget_rows(const Kokkos::Cuda& space, const Elimination& elimination) {
    Warps::forget_rows(space, elimination);
    host_.reset();
    values_ = elimination.matrix.values;
    helps_ = elimination.matrix.are_values() || is_memory_had_by([&] { evaluate(space, elimination); });
  }

  void start(const Kokkos::Cuda& space, const Elimination& elimination) {
    if (is_host_first()) return stop_next(space, elimination);
    parallel::Moment<Kokkos::Cuda> begin;  // when the matrix is there, which somebody may still be writing
    if (helps_) begin.mark(space);
    Warps::start(space, elimination);
    if (helps_) help(space, begin, elimination);
  }

  /// Whether the host has eliminated all rows; then the device has been stopped.
  bool is_host_first() const { return host_ && host_->rows().are_all_finished(); }
  auto& rows_of_host() { return host_->rows(); }

 private:
  /// What the matrix is, where it is not what the caller gave. Enqueued.
  void evaluate(const Kokkos::Cuda& space, const Elimination& elimination) {
    if (!own_values_) own_values_.emplace(space, "terrace::cuda::values_for_host", entries_);
    values_ = own_values_->data();
    terrace::incomplete::copy_by_row(
        space, "terrace::cuda::values_for_host", rows_, entries_, elimination.pattern.row_map,
        terrace::incomplete::CopyEntry<Scalar, int, Offset>{elimination.matrix, own_values_->data()});
  }

  void help(const Kokkos::Cuda& space, const parallel::Moment<Kokkos::Cuda>& begin, const Elimination& elimination) {
    parallel::Moment<Kokkos::Cuda> end;
    end.mark(space);
    const CopiesBeside copies(space, begin);
    if (!host_ && is_device_fast(end, copies)) return;
    if (!is_memory_had_by([&] { eliminate_beside(end, copies, elimination); })) helps_ = false;
    if (!helps_) host_.reset();
  }

  /// Until the host has eliminated all rows, or the device has done what it can, or is far ahead.
  void eliminate_beside(const parallel::Moment<Kokkos::Cuda>& end_on_device, const CopiesBeside& copies,
                        const Elimination& elimination) {
    if (!host_) host_ = std::make_unique<HostSide<Scalar, Offset>>(elimination, values_, entries_, capacity_);
    auto& rows = host_->rows();
    for (int portion = 1; !end_on_device.is_past();) {
      if (!host_->has(portion)) {
        const auto by_host = static_cast<unsigned>(rows.count_finished());
        helps_ = by_host == 0 || rows_finished(copies) / ThresholdTuning::times_ahead <= by_host;
        if (!helps_) return;
        host_->bring_piece(copies);
        continue;
      }
      const double begin = Clock::now();
      rows.eliminate(portion);
      if (is_host_first()) return stop(copies, elimination);
      const double seconds = Clock::now() - begin;
      if (seconds < ThresholdTuning::shortest_portion) portion *= 2;
      else if (seconds > ThresholdTuning::longest_portion) portion = std::max(portion / 2, 1);
    }
  }

  /// Calls it, and is false where it ran out of memory.
  template <class Call>
  static bool is_memory_had_by(const Call& call) {
    try {
      call();
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::OutOfMemory) throw;
    } catch (const std::bad_alloc&) {
    }
    return false;
  }

  /// Waits until the device is done, and is true, or until a host might have done a part of its work. Then it is known
  /// how many rows the device has finished: it is watched on for as long as it would end before a host that wastes
  /// nothing.
  bool is_device_fast(const parallel::Moment<Kokkos::Cuda>& end_on_device, const CopiesBeside& copies) const {
    const double begin = Clock::now();
    const double of_host = ThresholdTuning::seconds_of_host_per_entry * static_cast<double>(entries_);
    for (double pause = of_host / ThresholdTuning::part_before_host;; pause *= 2) {
      while (Clock::now() - begin < pause)
        if (end_on_device.is_past()) return true;
      const double finished = rows_finished(copies);
      if (end_on_device.is_past()) return true;
      if ((Clock::now() - begin) * rows_ > of_host * finished) return false;
    }
  }

  unsigned rows_finished(const CopiesBeside& copies) const {
    unsigned finished = 0;
    void* const pinned = PinnedMemory::of_this_thread();
    auto* const to = pinned ? static_cast<unsigned*>(pinned) : &finished;
    copies.copy(this->finished_rows(), 1, to);
    copies.wait();
    return *to;
  }

  static void stop(const CopiesBeside& copies, const Elimination& elimination) {
    const unsigned one = 1;
    copies.copy(&one, 1, &elimination.progress->stop);
    copies.wait();
  }
  static void stop_next(const Kokkos::Cuda& space, const Elimination& elimination) {
    check(cudaMemsetAsync(&elimination.progress->stop, 1, sizeof(unsigned), space.cuda_stream()), "cudaMemsetAsync");
  }

  int rows_;
  std::size_t entries_, capacity_;
  bool helps_ = false;  // the host, or might
  const Scalar* values_ = nullptr;
  std::optional<parallel::Scratch<Scalar, Kokkos::Cuda>> own_values_;
  std::unique_ptr<HostSide<Scalar, Offset>> host_;
};

/// With the store for the rows of whoever was first.
template <class Scalar, class Offset>
class EngineBesideHost final : public terrace::incomplete::ThresholdEngine<Scalar, int, Offset> {
  using Warps = WarpsBesideHost<Scalar, Offset>;
  using Run = terrace::incomplete::ThresholdRun<Scalar, int, Offset, Kokkos::Cuda, Warps>;

 public:
  using typename terrace::incomplete::ThresholdEngine<Scalar, int, Offset>::Elimination;

  EngineBesideHost(const Kokkos::Cuda& space, int rows, std::size_t entries, int fill, std::size_t capacity)
      : space_(space),
        warps_(space, rows, entries, fill, capacity),
        store_(space, rows, warps_.capacity_for(capacity)),
        run_(space, store_, warps_) {}

  std::int64_t run(const Elimination& elimination) override {
    if (const auto dropped = run_.run(elimination)) return *dropped;
    const auto& rows = warps_.rows_of_host();
    store_.take_from_host(space_, rows.finished(), rows.entries());
    const auto& found = rows.diagnostics();
    check(cudaMemcpyAsync(elimination.pivots.first, found.data(), sizeof found, cudaMemcpyHostToDevice,
                          space_.cuda_stream()),
          "cudaMemcpyAsync");
    return rows.dropped();
  }
  terrace::incomplete::FinishedRows<Scalar, int, Offset> finished_rows() const override { return store_.for_kernels(); }
  unsigned workers() const override { return was_host_first() ? 1 : warps_.workers(); }

  /// In the last run.
  bool was_host_first() const { return warps_.is_host_first(); }

 private:
  Kokkos::Cuda space_;
  Warps warps_;
  typename Run::Store store_;
  Run run_;
};

}  // namespace terrace::cuda::threshold
