// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Reuse::Once on an NVIDIA GPU: the caller's arrays, and a list of tasks of consecutive rows.
//
// The operations of the other orientation are solved by one thread: anything faster needs memory, which is what this
// engine is asked to save (TriangularOptions::prepare_transpose gives them an engine).
#pragma once

#include <optional>

#include "algorithms/triangular/solve_sequentially.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "backends/cuda/analysis/list_tasks_at_once.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/solve_tasks.hpp"

namespace terrace::cuda::triangular {

template <class Scalar>
struct FillPending {
  Scalar* x;
  std::ptrdiff_t stride;
  KOKKOS_FUNCTION void operator()(int row) const {
    KOKKOS_IF_ON_DEVICE((x[row * stride] = pending<Scalar>();))
    KOKKOS_IF_ON_HOST(((void)row;))
  }
};

template <class Problem>
class OnceEngine : public terrace::triangular::Engine<typename Problem::Scalar, Kokkos::Cuda> {
  using Scalar = typename Problem::Scalar;
  using Offset = typename Problem::Offset;
  using Space = Kokkos::Cuda;
  using Base = terrace::triangular::Engine<Scalar, Space>;
  using Triangle = terrace::triangular::StoredTriangle<Scalar, int, Offset, Space>;

 public:
  OnceEngine(const Space& space, const Problem& problem)
      : triangle_(space, make_triangle(space, problem.input, sparse::Orientation::Gather), problem.values,
                  problem.options()) {
    const auto& structure = triangle_.structure();
    const std::size_t entries = structure.entries.extent(0);
    const bool backward = triangle_.runs_backward(problem.options().op);
    JoinedScratch memory(space, "terrace::cuda::once_engine::scratch", TaskScratch::bytes(structure.count));
    const TaskScratch scratch(memory, structure.count);
    if (!structure.may_have_long_rows && SmallMatrix::is(structure.count, entries))
      keep(space, list_tasks_at_once(space, structure.view(), backward, entries, scratch));
    else keep(space, listed(space, structure.view(), backward, entries, scratch));
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    if (!triangle_.gathers(op)) {
      triangle_.with_system(b, x, op, [&](const auto& system) {
        terrace::triangular::solve_sequentially(space, system, false, triangle_.runs_backward(op));
      });
      return;
    }
    for (std::size_t column = 0; column < b.columns; ++column)
      gather(space, system(b, x, static_cast<std::ptrdiff_t>(column), op == Op::ConjugateTranspose));
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
  }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::SyncFreeRows;
    info.reason = "for one solve rows are taken as they come, those that need the row before them by the same lanes";
    info.tasks = tasks_.tasks;
    info.kernels = 2;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + memory_.bytes_held();
    info.copies_matrix = triangle_.structure().is_copy;
  }

 private:
  static RowTasks<Offset> listed(const Space& space, const sparse::TriangleView<int, Offset>& pattern, bool backward,
                                 std::size_t entries, const TaskScratch& scratch) {
    auto tasks = list_tasks(space, pattern, backward, entries, scratch);
    count_tasks(space, tasks);
    return tasks;
  }

  /// The lists alone, without the memory that making them took, and what solves need.
  void keep(const Space& space, const RowTasks<Offset>& tasks) {
    const auto rows = static_cast<std::size_t>(tasks.pattern.rows), places = static_cast<std::size_t>(tasks.tasks) + 1,
               pieces = static_cast<std::size_t>(tasks.piece_count);
    memory_ = Arrays(space, "terrace::cuda::once_engine",
                     Arrays::bytes<int>(places + TaskScratch::counts) + Arrays::bytes<unsigned char>(rows) +
                         Arrays::bytes<RowPiece>(pieces) + TaskCounters<Scalar>::bytes(tasks.piece_count));
    tasks_ = tasks;
    auto* numbers = memory_.template take<int>(places + TaskScratch::counts);
    check(cudaMemcpyAsync(numbers, tasks.begins, (places + TaskScratch::counts) * sizeof(int), cudaMemcpyDeviceToDevice,
                          space.cuda_stream()),
          "cudaMemcpyAsync");
    tasks_.begins = numbers;
    tasks_.first_place = numbers + TaskScratch::counts;
    marks_ = memory_.template take<unsigned char>(rows);
    list_pieces(space, tasks_, memory_.template take<RowPiece>(pieces));
    counters_.emplace(memory_, tasks.piece_count);
  }

  TaskSystem<Scalar, Offset> system(const typename Base::const_vectors& b, const typename Base::vectors& x,
                                    std::ptrdiff_t column, bool conjugate) const {
    return {tasks_,
            triangle_.values().data(),
            triangle_.options().diag == Diag::Unit,
            conjugate,
            b.data + column * b.column_stride,
            x.data + column * x.column_stride,
            b.row_stride,
            x.row_stride,
            marks_,
            *counters_};
  }

  void gather(const Space& space, const TaskSystem<Scalar, Offset>& system) {
    const auto stream = space.cuda_stream();
    const auto rows = static_cast<std::size_t>(tasks_.pattern.rows);
    system.counters.reset(space, tasks_.piece_count);
    const bool in_place = system.x == system.b;
    if (in_place) check(cudaMemsetAsync(marks_, 0, rows, stream), "cudaMemsetAsync");
    else if (system.x_stride == 1)
      check(cudaMemsetAsync(system.x, 0xff, rows * sizeof(Scalar), stream), "cudaMemsetAsync");
    else
      Kokkos::parallel_for("terrace::cuda::fill_pending", Kokkos::RangePolicy<Space>(space, 0, tasks_.pattern.rows),
                           FillPending<Scalar>{system.x, system.x_stride});
    if (tasks_.piece_count > 0) run<true>(space, system, in_place);
    else run<false>(space, system, in_place);
  }

  template <bool HasPieces>
  void run(const Space& space, const TaskSystem<Scalar, Offset>& system, bool in_place) const {
    launch(space, "terrace::cuda::solve_tasks",
           in_place ? solve_tasks_in_place_kernel<Scalar, Offset, HasPieces>
                    : solve_tasks_kernel<Scalar, Offset, HasPieces>,
           tasks_.blocks(), threads_of_walk(HasPieces), system);
  }

  Triangle triangle_;
  RowTasks<Offset> tasks_;
  Arrays memory_;
  unsigned char* marks_ = nullptr;  // of rows that are solved, where x is b
  std::optional<TaskCounters<Scalar>> counters_;
};

}  // namespace terrace::cuda::triangular
