// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MUMPS without MPI: L D L^T in the order of METIS, without matching, scaling and refinement; positive definite
// matrices by its path for them. A solve replaces the right-hand sides, which are copied as part of it.
#include <cmumps_c.h>
#include <dmumps_c.h>
#include <smumps_c.h>
#include <zmumps_c.h>

#include <algorithm>

#include "peers/direct_peer.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

/// Its functions and structures for a kind of numbers.
template <class Number>
struct Library;
template <>
struct Library<float> {
  using State = SMUMPS_STRUC_C;
  using Value = float;
  static void call(State* state) { smumps_c(state); }
};
template <>
struct Library<double> {
  using State = DMUMPS_STRUC_C;
  using Value = double;
  static void call(State* state) { dmumps_c(state); }
};
template <>
struct Library<std::complex<float>> {
  using State = CMUMPS_STRUC_C;
  using Value = mumps_complex;
  static void call(State* state) { cmumps_c(state); }
};
template <>
struct Library<std::complex<double>> {
  using State = ZMUMPS_STRUC_C;
  using Value = mumps_double_complex;
  static void call(State* state) { zmumps_c(state); }
};

template <class Number>
class Mumps final : public HostDirectSolver<Number> {
  using Value = typename Library<Number>::Value;

 public:
  Mumps(const DirectProblem<Number>& problem, int threads) : HostDirectSolver<Number>(problem) {
    const auto& A = this->A();
    for (int row = 0; row < A.n; ++row)
      for (int k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
        row_.push_back(row + 1);
        column_.push_back(A.entries[k] + 1);
      }
    state_.par = 1;
    state_.sym = A.is_positive_definite ? 1 : 2;
    state_.comm_fortran = -987654;  // its word for the communicator of all
    call(-1, "start");
    for (const int unit : {1, 2, 3}) option(unit) = -1;  // no output
    option(4) = 0;
    option(6) = 0;    // no matching
    option(7) = 5;    // METIS
    option(8) = 0;    // no scaling
    option(10) = 0;   // no refinement
    option(12) = 1;   // the usual order of symmetric matrices
    option(14) = 50;  // percent of memory beyond the estimate
    option(16) = threads;
    state_.n = A.n;
    state_.nnz = static_cast<MUMPS_INT8>(A.nnz());
    state_.irn = row_.data();
    state_.jcn = column_.data();
    state_.a = reinterpret_cast<Value*>(const_cast<Number*>(A.values.data()));
    label_ = "METIS; " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;
  ~Mumps() {
    state_.job = -2;
    Library<Number>::call(&state_);
  }

  void analyze() { call(1, "analysis"); }
  void factorize() { call(2, "factorization"); }
  void refactorize() { factorize(); }

  void solve() {
    std::copy_n(this->B().data(), this->x_.size(), this->x_.data());
    state_.rhs = reinterpret_cast<Value*>(this->x_.data());
    state_.nrhs = this->columns_;
    state_.lrhs = state_.n;
    option(27) = this->columns_;  // in one block
    call(3, "solve");
  }

  Facts facts() const {
    const auto millions_if_negative = [](int entries) { return entries < 0 ? -1e6 * entries : entries; };
    return {label_,
            1e6 * state_.infog[21],
            {{"method_factor_entries", millions_if_negative(state_.infog[28])},
             {"method_operations", state_.rinfog[2]},
             {"peak_bytes", 1e6 * state_.infog[21]}}};
  }

 private:
  int& option(int number) { return state_.icntl[number - 1]; }

  void call(int job, const char* phase) {
    state_.job = job;
    Library<Number>::call(&state_);
    if (state_.infog[0] < 0)
      throw std::runtime_error(std::string("the ") + phase + " of MUMPS says " + std::to_string(state_.infog[0]));
  }

  std::vector<int> row_, column_;
  typename Library<Number>::State state_{};
  std::string label_;
};

template <class Number>
using MumpsMethod = DirectPeer<Mumps<Number>, Number>;

}  // namespace

Entry mumps(int threads) { return {"mumps", "same", direct_phases, on_direct_problem<MumpsMethod>(threads)}; }

}  // namespace terrace::perf
