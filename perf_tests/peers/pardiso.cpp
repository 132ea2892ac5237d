// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PARDISO of MKL: L D L^T of real symmetric (-2) and complex symmetric (6) matrices in the order of METIS, which it
// finds in parallel when it has several threads; without matching and scaling, pivots inside supernodes.
#include <mkl.h>

#include <algorithm>
#include <array>

#include "peers/direct_peer.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

template <class Number>
class Pardiso final : public HostDirectSolver<Number> {
 public:
  Pardiso(const DirectProblem<Number>& problem, int threads)
      : HostDirectSolver<Number>(problem), upper_(upper_triangle(problem.A())), threads_(threads) {
    mkl_set_threading_layer(MKL_THREADING_GNU);  // counts in the first call only
    mkl_set_num_threads(threads);
    pardisoinit(handle_.data(), &type, options_.data());
    options_[0] = 1;                    // as set here
    options_[1] = threads > 1 ? 3 : 2;  // METIS
    options_[7] = 0;                    // no refinement, unless pivots were replaced
    options_[10] = options_[12] = 0;    // no scaling, no matching
    options_[17] = -1;                  // count the entries of the factor
    options_[27] = sizeof(Real) == sizeof(float) ? 1 : 0;
    options_[34] = 1;  // indices from 0
  }
  Pardiso(const Pardiso&) = delete;
  Pardiso& operator=(const Pardiso&) = delete;
  ~Pardiso() {
    try {
      call(-1, nullptr, nullptr);
    } catch (const std::exception&) {  // there is nobody to tell
    }
  }

  void analyze() { call(11, nullptr, nullptr); }
  void factorize() { call(22, nullptr, nullptr); }
  void refactorize() { factorize(); }
  void solve() { call(33, const_cast<Number*>(this->B().data()), this->x_.data()); }

  Facts facts() const {
    const double kept = 1024.0 * (options_[15] + options_[16]), once = 1024.0 * options_[14];
    return {"METIS; " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"),
            kept,
            {{"method_factor_entries", double(options_[17])}, {"peak_bytes", std::max(once, kept)}}};
  }

 private:
  void call(int phase, Number* b, Number* x) {
    const int one = 1, silent = 0, columns = std::max(1, this->columns_);
    int error = 0;
    ::pardiso(handle_.data(), &one, &one, &type, &phase, &upper_.n, upper_.values.data(), upper_.row_map.data(),
              upper_.entries.data(), nullptr, &columns, options_.data(), &silent, b, x, &error);
    if (error != 0)
      throw std::runtime_error("phase " + std::to_string(phase) + " of PARDISO says " + std::to_string(error));
  }

  static constexpr int type = is_complex<Number> ? 6 : -2;
  common::HostMatrix<Number, int> upper_;
  int threads_;
  std::array<void*, 64> handle_{};
  std::array<int, 64> options_{};
};

template <class Number>
using PardisoMethod = DirectPeer<Pardiso<Number>, Number>;

}  // namespace

Entry pardiso(int threads) { return {"pardiso", "same", direct_phases, on_direct_problem<PardisoMethod>(threads)}; }

}  // namespace terrace::perf
