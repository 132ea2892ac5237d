// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Schwarz preconditioner as one writes it with cuSPARSE: csrilu02 of the matrix of all blocks, gather, two SpSV,
// gather; and GMRES with SpMV and cuBLAS's gemv. The subdomains are those of the serial loops, and so is the factor of
// ILUT, for which cuSPARSE has nothing.
#include "peers/cusparse_factorization.hpp"
#include "peers/cusparse_tools.hpp"
#include "peers/peers.hpp"
#include "peers/schwarz_peer.hpp"

namespace terrace::perf {
namespace {

/// The matrix of all blocks, or the factor of it where cuSPARSE does not compute it.
Rows rows_of_blocks(const SchwarzProblem& problem) {
  if (!problem.settings().kind.is_ilut()) return problem.serial().M();
  const SerialFactor LU = problem.serial().factor();
  const int entries = LU.row_map[LU.n];
  return {
      LU.n, {LU.row_map, LU.row_map + LU.n + 1}, {LU.entries, LU.entries + entries}, {LU.values, LU.values + entries}};
}

class CusparseSchwarzTools : public CusparseTools {
 public:
  /// Columns one after the other.
  struct Basis {
    Basis(std::size_t rows, int columns)
        : numbers(rows * static_cast<std::size_t>(columns)),
          coefficients(static_cast<std::size_t>(columns)),
          n(rows),
          column(rows, numbers.get()) {}
    double* at(int j) const { return numbers.get() + n * static_cast<std::size_t>(j); }

    DeviceArray<double> numbers, coefficients;
    std::size_t n;
    VectorDescription column;  // of any of them
  };

  explicit CusparseSchwarzTools(const SchwarzProblem& problem)
      : CusparseTools(problem.A(), problem.system().b),
        is_ilut_(problem.settings().kind.is_ilut()),
        M_(rows_of_blocks(problem)),
        factorization_(handles_.sparse, M_),
        rows_(problem.serial().rows()),
        owner_(problem.serial().owner()),
        gathered_(zeros(M_.n)),
        half_(zeros(M_.n)),
        solved_(zeros(M_.n)),
        in_(static_cast<std::size_t>(M_.n),
            b_.get()),  // cuSPARSE gathers from no vector that is shorter than the result
        gather_(M_.n, M_.n, rows_.get(), gathered_.get()),
        take_(M_.n, A_.n, owner_.get(), b_.get()) {
    keep_freed_memory();
  }

  void analyze() {
    solves_.reset();
    if (!is_ilut_) {
      factorization_.analyze();
      factorization_.factorize();
    }
    solves_ = std::make_unique<FactorSolves>(handles_.sparse, M_, values(), gathered_);
  }

  void refactorize() {
    if (is_ilut_) return analyze();
    factorization_.factorize();
    solves_->update(values());
  }

  Facts facts() const {
    const double entries = M_.nnz, held = 12.0 * entries + 4.0 * M_.n;
    return {is_ilut_ ? "SpSV, gather; SpMV, gemv" : "csrilu02, SpSV, gather; SpMV, gemv",
            held + static_cast<double>(solves_->bytes()) + (is_ilut_ ? 0.0 : 8.0 * entries)};
  }

  using CusparseTools::multiply;
  using CusparseTools::vector;
  Vector vector(const std::vector<double>& numbers) const { return Vector(numbers); }

  void precondition(const Vector& in, const Vector& out) { apply(in.get(), out.get()); }

  Basis basis(int columns) const { return Basis(rows(), columns); }
  void precondition(const Basis& V, int j, const Vector& z) { apply(V.at(j), z.get()); }
  void multiply(const Vector& z, const Basis& V, int j) const { multiply_into(z, V, j, 1.0, 0.0); }

  double start(const Vector& x, const Basis& V) const {
    check(cublasDcopy(handles_.dense, A_.n, b_.get(), 1, V.at(0), 1));
    multiply_into(x, V, 0, -1.0, 1.0);
    return normalize(V.at(0));
  }

  void orthogonalize(const Basis& V, int j, std::vector<double>& h) const {
    constexpr double minus_one = -1.0;
    check(cublasDgemv(handles_.dense, CUBLAS_OP_T, A_.n, j, &one, V.at(0), A_.n, V.at(j), 1, &zero,
                      V.coefficients.get(), 1));
    check(cublasDgemv(handles_.dense, CUBLAS_OP_N, A_.n, j, &minus_one, V.at(0), A_.n, V.coefficients.get(), 1, &one,
                      V.at(j), 1));
    check(cudaMemcpyAsync(h.data(), V.coefficients.get(), static_cast<std::size_t>(j) * sizeof(double),
                          cudaMemcpyDeviceToHost));
    h[static_cast<std::size_t>(j)] = normalize(V.at(j));
  }

  void combine(const Basis& V, const std::vector<double>& y, const Vector& w) const {
    check(cudaMemcpyAsync(V.coefficients.get(), y.data(), y.size() * sizeof(double), cudaMemcpyHostToDevice));
    check(cublasDgemv(handles_.dense, CUBLAS_OP_N, A_.n, static_cast<int>(y.size()), &one, V.at(0), A_.n,
                      V.coefficients.get(), 1, &zero, w.get(), 1));
  }

 private:
  static std::vector<double> zeros(int count) { return std::vector<double>(static_cast<std::size_t>(count), 0.0); }

  double* values() const { return is_ilut_ ? M_.values.get() : factorization_.get(); }

  void apply(double* r, double* z) {
    check(cusparseDnVecSetValues(in_.get, r));
    check(cusparseGather(handles_.sparse, in_.get, gather_.get));
    solves_->solve(gathered_, half_, solved_);
    check(cusparseSpVecSetValues(take_.get, z));
    check(cusparseGather(handles_.sparse, solved_.description.get, take_.get));
  }

  /// v_j = a A z + c v_j
  void multiply_into(const Vector& z, const Basis& V, int j, double a, double c) const {
    check(cusparseDnVecSetValues(V.column.get, V.at(j)));
    check(cusparseSpMV(handles_.sparse, plain, &a, A_.description.get, z.description.get, &c, V.column.get, real,
                       CUSPARSE_SPMV_ALG_DEFAULT, buffer()));
  }

  double normalize(double* v) const {
    double norm = 0.0;
    check(cublasDnrm2(handles_.dense, A_.n, v, 1, &norm));
    const double factor = 1.0 / norm;
    check(cublasDscal(handles_.dense, A_.n, &factor, v, 1));
    return norm;
  }

  bool is_ilut_;
  DeviceRows M_;
  CusparseFactorization<Ilu02> factorization_;
  DeviceArray<int> rows_, owner_;
  DeviceVector gathered_, half_, solved_;
  VectorDescription in_;
  SparseVectorDescription gather_, take_;
  std::unique_ptr<FactorSolves> solves_;
};

}  // namespace

Entry cusparse_schwarz() {
  return {"cusparse",
          "double",
          {Phase::Factorize, Phase::Numeric, Phase::Apply, Phase::Gmres, Phase::Solve},
          make_on<SchwarzProblem, SchwarzPeer<CusparseSchwarzTools>>()};
}

}  // namespace terrace::perf
