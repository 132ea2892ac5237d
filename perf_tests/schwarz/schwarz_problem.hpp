// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One matrix with a partition and an overlap, and what a preconditioner of it must find.
#pragma once

#include "common/harness/case.hpp"
#include "peers/serial_schwarz.hpp"
#include "schwarz/systems.hpp"

namespace terrace::perf {

/// So many columns does a phase of the application have.
int columns_of(Phase phase);

/// GMRES(20), and when it is given up.
inline constexpr int gmres_restart = 20, gmres_max_steps = 2000;

/// A partition, and what is made of it.
struct SchwarzSettings {
  std::vector<int> block_numbers;
  int blocks = 1;
  int overlap = 0;
  BlockKind kind;
  double partition_seconds = 0.0;
};

/// The result of GMRES is its residual, relative to that of x = 0, by the recursion and computed anew. After so many
/// steps the first result judges the others; applications are judged by the serial loops.
class SchwarzProblem final : public Problem {
 public:
  SchwarzProblem(std::shared_ptr<const SchwarzSystem> system, SchwarzSettings settings);

  Counters counters() const override;

  /// Of an application the largest difference, relative to the largest number; of a system its true residual.
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& result) override;

  /// An application reads the factor once, 12 bytes an entry and 4 a row, r and z, and goes twice through the levels. A
  /// step of GMRES(20) multiplies by A as well, reads half of the basis twice, and handles three more vectors.
  Limit limit(Phase phase) const override;

  /// Of the factor.
  double bytes() const override;

  const Rows& A() const { return system_->A; }
  const SchwarzSystem& system() const { return *system_; }
  const SchwarzSettings& settings() const { return settings_; }
  const SerialSchwarz& serial() const { return serial_; }
  const std::vector<double>& r() const { return r_; }
  const std::vector<double>& expected() const { return expected_; }  ///< of one application to r

  /// Column j of several is r times 1 + j times this.
  static constexpr double column_step = 1.0 / 8;

 private:
  double check_residual(Phase phase, const std::vector<double>& found);
  double check_application(const std::string& algorithm, const std::vector<double>& found);

  std::shared_ptr<const SchwarzSystem> system_;
  SchwarzSettings settings_;
  SerialSchwarz serial_;
  std::vector<double> r_, expected_;
  std::vector<double> expected_transposed_;  // the first that was found
  double levels_ = 0.0;
  std::optional<double> expected_residual_;
};

}  // namespace terrace::perf
