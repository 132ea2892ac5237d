// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0), and the textbook's iterations with it: plain loops in one thread.
#include "peers/iteration_method.hpp"
#include "peers/peers.hpp"
#include "peers/serial_ilu0.hpp"
#include "peers/serial_tools.hpp"

namespace terrace::perf {
namespace {

class SerialFactorization final : public Method {
 public:
  explicit SerialFactorization(const FactorProblem& problem)
      : problem_(problem), factor_(problem.A), z_(problem.r.size()) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Numeric) factor_.factorize();
    if (phase == Phase::Apply) factor_.factor().solve(problem_.r.data(), z_.data());
  }
  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Apply) return z_;
    return phase == Phase::Numeric ? factor_.values() : std::vector<double>();
  }

 private:
  const FactorProblem& problem_;
  SerialIlu0 factor_;
  std::vector<double> z_;
};

class SerialIluTools : public SerialTools {
 public:
  explicit SerialIluTools(const Rows& A) : SerialTools(A, Vector(static_cast<std::size_t>(A.n), 1.0)), factor_(A) {
    factor_.factorize();
  }

  void precondition(const Vector& in, Vector& out) const { factor_.factor().solve(in.data(), out.data()); }

 private:
  SerialIlu0 factor_;
};

}  // namespace

Entry serial_ilu0() {
  return applied_factor_entry("serial_loop", "ilu0", make_on<FactorProblem, SerialFactorization>());
}

Entry serial_iteration(Phase phase) {
  return iteration_entry(phase == Phase::BiCGStab ? "serial_bicgstab" : "serial_pcg", phase,
                         make_iteration<SerialIluTools>(phase));
}

}  // namespace terrace::perf
