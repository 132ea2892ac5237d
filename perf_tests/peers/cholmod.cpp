// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHOLMOD's supernodal L L^T of positive definite matrices in double, with the order that it finds best (AMD, or METIS
// where that fills too much). With the BLAS that it is linked to, whose threads are its threads.
#include <cholmod.h>

#include "peers/direct_peer.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

template <class Number>
class Cholmod final : public HostDirectSolver<Number> {
 public:
  explicit Cholmod(const DirectProblem<Number>& problem) : HostDirectSolver<Number>(problem) {
    if (!std::is_same_v<Number, double> || !this->A().is_positive_definite)
      throw LeftOut("CHOLMOD factorizes positive definite matrices in double");
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.print = 0;
    const auto& A = this->A();
    matrix_ = {.nrow = this->rows(),
               .ncol = this->rows(),
               .nzmax = A.nnz(),
               .p = const_cast<int*>(A.row_map.data()),
               .i = const_cast<int*>(A.entries.data()),
               .nz = nullptr,
               .x = const_cast<Number*>(A.values.data()),
               .z = nullptr,
               .stype = 1,  // rows of the lower triangle are columns of the upper one
               .itype = CHOLMOD_INT,
               .xtype = CHOLMOD_REAL,
               .dtype = CHOLMOD_DOUBLE,
               .sorted = 1,
               .packed = 1};
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() {
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_dense(&found_, &common_);
    cholmod_free_dense(&Y_, &common_);
    cholmod_free_dense(&E_, &common_);
    cholmod_finish(&common_);
  }

  void analyze() {
    cholmod_free_factor(&factor_, &common_);
    factor_ = cholmod_analyze(&matrix_, &common_);
    require("cholmod_analyze");
    facts_.counters["method_factor_entries"] = common_.lnz;
    facts_.counters["method_operations"] = common_.fl;
    facts_.label = common_.method[common_.selected].ordering == CHOLMOD_METIS ? "METIS" : "AMD";
  }
  void factorize() {
    cholmod_factorize(&matrix_, factor_, &common_);
    require("cholmod_factorize");
  }
  void refactorize() { factorize(); }

  void solve() {
    cholmod_dense b{.nrow = this->rows(),
                    .ncol = static_cast<std::size_t>(this->columns_),
                    .nzmax = this->rows() * this->columns_,
                    .d = this->rows(),
                    .x = const_cast<Number*>(this->B().data()),
                    .z = nullptr,
                    .xtype = CHOLMOD_REAL,
                    .dtype = CHOLMOD_DOUBLE};
    cholmod_solve2(CHOLMOD_A, factor_, &b, nullptr, &found_, nullptr, &Y_, &E_, &common_);
    require("cholmod_solve2");
  }

  const std::vector<Number>& solution() {
    const auto* x = static_cast<const Number*>(found_->x);
    this->x_.assign(x, x + this->rows() * this->columns_);
    return this->x_;
  }

  Facts facts() const {
    Facts facts = facts_;
    facts.bytes_held = static_cast<double>(common_.memory_inuse);
    facts.counters["peak_bytes"] = static_cast<double>(common_.memory_usage);
    return facts;
  }

 private:
  void require(const char* call) const {
    if (common_.status != CHOLMOD_OK)
      throw std::runtime_error(std::string(call) + " says " + std::to_string(common_.status));
  }

  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *found_ = nullptr, *Y_ = nullptr, *E_ = nullptr;
  Facts facts_;
};

template <class Number>
using CholmodMethod = DirectPeer<Cholmod<Number>, Number>;

}  // namespace

Entry cholmod() { return {"cholmod", "same", direct_phases, on_direct_problem<CholmodMethod>()}; }

}  // namespace terrace::perf
