// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's ILU(k) and ICC(k) of a sequential AIJ matrix in its natural order, and MatSolve with them.
#include <petscmat.h>

#include "incomplete/factor_problem.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed with code " + std::to_string(code));
}

/// While the process lives. PETSc's handlers of signals would hide where others fail.
void initialize_petsc() {
  static const struct Library {
    Library() {
      check(PetscInitializeNoArguments());
      check(PetscPopSignalHandler());
    }
    ~Library() { PetscFinalize(); }
  } library;
}

class PetscFactor final : public Method {
 public:
  PetscFactor(const FactorProblem& problem, MatFactorType type, int fill_level)
      : problem_(problem),
        type_(type),
        fill_level_(fill_level),
        row_map_(problem.A.row_map.begin(), problem.A.row_map.end()),
        entries_(problem.A.entries.begin(), problem.A.entries.end()),
        values_(problem.A.values.begin(), problem.A.values.end()) {
    initialize_petsc();
    const Rows& A = problem.A;
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, A.n, A.n, row_map_.data(), entries_.data(), values_.data(), &A_));
    check(ISCreateStride(PETSC_COMM_SELF, A.n, 0, 1, &order_));
    check(ISSetPermutation(order_));
    check(ISSetIdentity(order_));
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, A.n, problem.r.data(), &r_));
    check(VecDuplicate(r_, &z_));
  }
  PetscFactor(const PetscFactor&) = delete;
  PetscFactor& operator=(const PetscFactor&) = delete;
  ~PetscFactor() override {
    VecDestroy(&z_);
    VecDestroy(&r_);
    MatDestroy(&factor_);
    ISDestroy(&order_);
    MatDestroy(&A_);
  }

  void run(Phase phase, int) override {
    switch (phase) {
      case Phase::Symbolic: return symbolic();
      case Phase::Numeric: return numeric();
      default: check(MatSolve(factor_, r_, z_));
    }
  }

  std::vector<double> result(Phase phase) override {
    if (phase != Phase::Apply) return {};
    const PetscScalar* numbers = nullptr;
    check(VecGetArrayRead(z_, &numbers));
    std::vector<double> z(numbers, numbers + problem_.A.n);
    check(VecRestoreArrayRead(z_, &numbers));
    return z;
  }

 private:
  void symbolic() {
    check(MatDestroy(&factor_));
    check(MatGetFactor(A_, MATSOLVERPETSC, type_, &factor_));
    check(MatFactorInfoInitialize(&info_));
    info_.levels = fill_level_;
    info_.fill = fill_level_ + 1;  // guessed from above, so that it need not ask for memory again
    if (type_ == MAT_FACTOR_ILU) check(MatILUFactorSymbolic(factor_, A_, order_, order_, &info_));
    else check(MatICCFactorSymbolic(factor_, A_, order_, &info_));
  }

  void numeric() {
    if (type_ == MAT_FACTOR_ILU) check(MatLUFactorNumeric(factor_, A_, &info_));
    else check(MatCholeskyFactorNumeric(factor_, A_, &info_));
    MatFactorError error;
    check(MatFactorGetError(factor_, &error));
    if (error != MAT_FACTOR_NOERROR) throw std::runtime_error("PETSc met a bad pivot");
  }

  const FactorProblem& problem_;
  MatFactorType type_;
  int fill_level_;
  std::vector<PetscInt> row_map_, entries_;
  std::vector<PetscScalar> values_;
  Mat A_ = nullptr, factor_ = nullptr;
  IS order_ = nullptr;
  Vec r_ = nullptr, z_ = nullptr;
  MatFactorInfo info_{};
};

}  // namespace

Entry petsc_ilu(int fill_level) {
  const std::string algorithm = "ilu" + std::to_string(fill_level);
  return applied_factor_entry("petsc_" + algorithm, algorithm,
                              make_on<FactorProblem, PetscFactor>(MAT_FACTOR_ILU, fill_level));
}

Entry petsc_icc(int fill_level) {
  const std::string level = std::to_string(fill_level);
  return applied_factor_entry("petsc_icc" + level, "ic" + level,
                              make_on<FactorProblem, PetscFactor>(MAT_FACTOR_ICC, fill_level));
}

}  // namespace terrace::perf
