// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UMFPACK's L U of the whole matrix in double, without the refinement that its solves have by default. One right-hand
// side after the other.
#include <umfpack.h>

#include <array>

#include "peers/direct_peer.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

/// Its functions for a kind of numbers: for double ones, and complex ones, whose pointers to imaginary parts are null
/// since the parts lie side by side.
template <class Number>
struct Functions {
  static void defaults(double*) { throw LeftOut("UMFPACK computes in double"); }
  static int symbolic(int, const int*, const int*, const Number*, void**, const double*, double*) { return 0; }
  static int numeric(const int*, const int*, const Number*, void*, void**, const double*, double*) { return 0; }
  static int solve(const int*, const int*, const Number*, Number*, const Number*, void*, const double*, double*) {
    return 0;
  }
  static void forget_symbolic(void**) {}
  static void forget_numeric(void**) {}
};

template <>
struct Functions<double> {
  static void defaults(double* control) { umfpack_di_defaults(control); }
  static int symbolic(int n, const int* p, const int* i, const double* x, void** found, const double* control,
                      double* info) {
    return umfpack_di_symbolic(n, n, p, i, x, found, control, info);
  }
  static int numeric(const int* p, const int* i, const double* x, void* symbolic, void** found, const double* control,
                     double* info) {
    return umfpack_di_numeric(p, i, x, symbolic, found, control, info);
  }
  static int solve(const int* p, const int* i, const double* a, double* x, const double* b, void* numeric,
                   const double* control, double* info) {
    return umfpack_di_solve(UMFPACK_A, p, i, a, x, b, numeric, control, info);
  }
  static void forget_symbolic(void** found) { umfpack_di_free_symbolic(found); }
  static void forget_numeric(void** found) { umfpack_di_free_numeric(found); }
};

template <>
struct Functions<std::complex<double>> {
  using Number = std::complex<double>;
  static const double* parts(const Number* numbers) { return reinterpret_cast<const double*>(numbers); }
  static void defaults(double* control) { umfpack_zi_defaults(control); }
  static int symbolic(int n, const int* p, const int* i, const Number* x, void** found, const double* control,
                      double* info) {
    return umfpack_zi_symbolic(n, n, p, i, parts(x), nullptr, found, control, info);
  }
  static int numeric(const int* p, const int* i, const Number* x, void* symbolic, void** found, const double* control,
                     double* info) {
    return umfpack_zi_numeric(p, i, parts(x), nullptr, symbolic, found, control, info);
  }
  static int solve(const int* p, const int* i, const Number* a, Number* x, const Number* b, void* numeric,
                   const double* control, double* info) {
    return umfpack_zi_solve(UMFPACK_A, p, i, parts(a), nullptr, reinterpret_cast<double*>(x), nullptr, parts(b),
                            nullptr, numeric, control, info);
  }
  static void forget_symbolic(void** found) { umfpack_zi_free_symbolic(found); }
  static void forget_numeric(void** found) { umfpack_zi_free_numeric(found); }
};

template <class Number>
class Umfpack final : public HostDirectSolver<Number> {
  using Call = Functions<Number>;

 public:
  explicit Umfpack(const DirectProblem<Number>& problem)
      : HostDirectSolver<Number>(problem), whole_(both_triangles(problem.A())) {
    Call::defaults(control_.data());
    control_[UMFPACK_IRSTEP] = 0;
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;
  ~Umfpack() {
    Call::forget_symbolic(&symbolic_);
    Call::forget_numeric(&numeric_);
  }

  void analyze() {
    Call::forget_symbolic(&symbolic_);
    require("symbolic", Call::symbolic(whole_.n, whole_.row_map.data(), whole_.entries.data(), whole_.values.data(),
                                       &symbolic_, control_.data(), info_.data()));
  }
  void factorize() {
    Call::forget_numeric(&numeric_);
    require("numeric", Call::numeric(whole_.row_map.data(), whole_.entries.data(), whole_.values.data(), symbolic_,
                                     &numeric_, control_.data(), info_.data()));
    const double unit = info_[UMFPACK_SIZE_OF_UNIT];
    facts_ = {
        info_[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC ? "symmetric strategy" : "unsymmetric strategy",
        info_[UMFPACK_NUMERIC_SIZE] * unit,
        {{"method_factor_entries", info_[UMFPACK_LNZ]},
         {"method_operations", info_[UMFPACK_FLOPS]},
         {"peak_bytes", info_[UMFPACK_PEAK_MEMORY] * unit}}};
  }
  void refactorize() { factorize(); }

  void solve() {
    const std::size_t n = this->rows();
    for (int column = 0; column < this->columns_; ++column)
      require("solve", Call::solve(whole_.row_map.data(), whole_.entries.data(), whole_.values.data(),
                                   this->x_.data() + column * n, this->B().data() + column * n, numeric_,
                                   control_.data(), info_.data()));
  }

  Facts facts() const { return facts_; }

 private:
  static void require(const char* phase, int status) {
    if (status != UMFPACK_OK)
      throw std::runtime_error(std::string("umfpack's ") + phase + " phase says " + std::to_string(status));
  }

  common::HostMatrix<Number, int> whole_;
  std::array<double, UMFPACK_CONTROL> control_{};
  std::array<double, UMFPACK_INFO> info_{};
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  Facts facts_;
};

template <class Number>
using UmfpackMethod = DirectPeer<Umfpack<Number>, Number>;

}  // namespace

Entry umfpack() { return {"umfpack", "same", direct_phases, on_direct_problem<UmfpackMethod>()}; }

}  // namespace terrace::perf
