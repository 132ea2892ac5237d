// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' SPILUK, with its default algorithm (a kernel per level).
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <string>

#include "harness/upload.hpp"
#include "incomplete/factor_problem.hpp"

namespace terrace::perf {

template <class Space>
class Spiluk final : public Method {
  using Memory = typename Space::memory_space;
  using Handle = ::KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Space, Memory, Memory>;
  using Indices = Kokkos::View<int*, DeviceOf<Space>>;
  using Numbers = Kokkos::View<double*, DeviceOf<Space>>;

 public:
  Spiluk(const FactorProblem& problem, int fill_level) : A_(upload_matrix<Space>(problem.A)), fill_level_(fill_level) {
    check_memory(problem.A);
  }
  Spiluk(const Spiluk&) = delete;
  Spiluk& operator=(const Spiluk&) = delete;
  ~Spiluk() override { handle_.destroy_spiluk_handle(); }

  void run(Phase phase, int) override { phase == Phase::Symbolic ? symbolic() : numeric(); }
  void wait() override { Kokkos::fence("terrace::perf::Spiluk"); }

 private:
  void symbolic() {
    const int capacity = A_.nnz() * (fill_level_ + 1) * 2;
    handle_.destroy_spiluk_handle();
    handle_.create_spiluk_handle(KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1, A_.numRows(), capacity,
                                 capacity);
    L_map_ = Indices("L_map", A_.numRows() + 1);
    U_map_ = Indices("U_map", A_.numRows() + 1);
    L_entries_ = Indices("L_entries", capacity);
    U_entries_ = Indices("U_entries", capacity);
    KokkosSparse::Experimental::spiluk_symbolic(&handle_, fill_level_, A_.graph.row_map, A_.graph.entries, L_map_,
                                                L_entries_, U_map_, U_entries_);
    const auto* facts = handle_.get_spiluk_handle();
    Kokkos::resize(L_entries_, facts->get_nnzL());
    Kokkos::resize(U_entries_, facts->get_nnzU());
    L_values_ = Numbers("L_values", facts->get_nnzL());
    U_values_ = Numbers("U_values", facts->get_nnzU());
  }

  void numeric() {
    KokkosSparse::Experimental::spiluk_numeric(&handle_, fill_level_, A_.graph.row_map, A_.graph.entries, A_.values,
                                               L_map_, L_entries_, L_values_, U_map_, U_entries_, U_values_);
  }

  /// Its work array holds a row of the matrix for each row of the widest level: 70 GB for a grid of 120^3, which a
  /// host does not have to spare.
  static void check_memory(const Rows& A) {
    constexpr double most = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? 4e9 : 80e9;
    const double needed = 4.0 * count_levels_of_lower_triangle(A).widest * A.n;
    if (needed > most)
      throw LeftOut("its work array would take " + std::to_string(static_cast<int>(1e-9 * needed)) + " GB");
  }

  MatrixOn<Space> A_;
  int fill_level_;
  Handle handle_;
  Indices L_map_, L_entries_, U_map_, U_entries_;
  Numbers L_values_, U_values_;
};

}  // namespace terrace::perf
