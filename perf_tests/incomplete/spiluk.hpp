// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' SPILUK, with its default algorithm (a kernel per level).
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <stdexcept>
#include <string>

#include "incomplete/device_matrix.hpp"
#include "incomplete/factor_method.hpp"

namespace terrace::perf {

template <class Space>
class Spiluk final : public FactorMethod {
  using Memory = typename Space::memory_space;
  using Device = Kokkos::Device<Space, Memory>;
  using Handle = ::KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Space, Memory, Memory>;
  using Indices = Kokkos::View<int*, Device>;
  using Numbers = Kokkos::View<double*, Device>;

 public:
  Spiluk(const FullMatrix& A, int fill_level) : A_(upload_matrix<Space>(A)), fill_level_(fill_level) {
    check_memory(A);
  }
  Spiluk(const Spiluk&) = delete;
  Spiluk& operator=(const Spiluk&) = delete;
  ~Spiluk() override { handle_.destroy_spiluk_handle(); }

  void symbolic() override {
    const int room = A_.nnz() * (fill_level_ + 1) * 2;
    handle_.destroy_spiluk_handle();
    handle_.create_spiluk_handle(KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1, A_.numRows(), room, room);
    L_map_ = Indices("L_map", A_.numRows() + 1);
    U_map_ = Indices("U_map", A_.numRows() + 1);
    L_entries_ = Indices("L_entries", room);
    U_entries_ = Indices("U_entries", room);
    KokkosSparse::Experimental::spiluk_symbolic(&handle_, fill_level_, A_.graph.row_map, A_.graph.entries, L_map_,
                                                L_entries_, U_map_, U_entries_);
    const auto* facts = handle_.get_spiluk_handle();
    Kokkos::resize(L_entries_, facts->get_nnzL());
    Kokkos::resize(U_entries_, facts->get_nnzU());
    L_values_ = Numbers("L_values", facts->get_nnzL());
    U_values_ = Numbers("U_values", facts->get_nnzU());
    Kokkos::fence("terrace::perf::spiluk");
  }

  void numeric() override {
    KokkosSparse::Experimental::spiluk_numeric(&handle_, fill_level_, A_.graph.row_map, A_.graph.entries, A_.values,
                                               L_map_, L_entries_, L_values_, U_map_, U_entries_, U_values_);
    Kokkos::fence("terrace::perf::spiluk");
  }

 private:
  /// Its work array holds a row of the matrix for each row of the widest level: 70 GB for a grid of 120^3.
  static void check_memory(const FullMatrix& A) {
    constexpr double most = 4e9;
    const double needed = 4.0 * widest_level(A) * A.n;
    if (needed > most)
      throw std::runtime_error("its work array would take " + std::to_string(static_cast<int>(1e-9 * needed)) + " GB");
  }

  MatrixOn<Space> A_;
  int fill_level_;
  Handle handle_;
  Indices L_map_, L_entries_, U_map_, U_entries_;
  Numbers L_values_, U_values_;
};

}  // namespace terrace::perf
