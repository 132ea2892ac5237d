// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers/serial_ilut.hpp"

#include "incomplete/factor_problem.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

class SerialThresholds final : public Method {
 public:
  SerialThresholds(const FactorProblem& problem, int fill, double drop_tolerance)
      : factor_(problem.A, fill, drop_tolerance) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Numeric) factor_.factorize();
  }
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Numeric ? factor_.values() : std::vector<double>();
  }

 private:
  SerialIlut factor_;
};

}  // namespace

Entry serial_ilut(int fill, double drop_tolerance) {
  return factor_entry("serial_ilut", "ilut", make_on<FactorProblem, SerialThresholds>(fill, drop_tolerance));
}

}  // namespace terrace::perf
