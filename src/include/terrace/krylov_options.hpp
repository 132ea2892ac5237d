// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which Krylov method, when it stops, and who watches.
#pragma once

#include <functional>

namespace terrace {

/// Which recurrence.
enum class KrylovMethod {
  ConjugateGradient,  ///< A and M Hermitian and positive definite (Hestenes and Stiefel 1952)
  BiCGStab,           ///< any A, short recurrences (van der Vorst 1992)
  Gmres,              ///< any A, restarted (Saad and Schultz 1986)
  FlexibleGmres,      ///< Gmres whose preconditioner may change from step to step (Saad 1993)
};

/// Left: the method works on M A x = M b and its residuals are those of that system. Right: on A M u = b, x = M u. The
/// conjugate gradients are the same either way, and FlexibleGmres is always Right.
enum class PreconditionerSide { Left, Right };

/// Options of KrylovSolver. Aggregate: `{.method = KrylovMethod::Gmres, .tolerance = 1e-10}`.
struct KrylovOptions {
  KrylovMethod method = KrylovMethod::ConjugateGradient;  ///< which recurrence
  PreconditionerSide side = PreconditionerSide::Right;    ///< where M stands

  /// Converged when ||b - A x|| is at most this times ||b||.
  double tolerance = 1e-8;
  int max_iterations = 1000;  ///< any number: memory grows with the iterations that are done

  int restart = 30;  ///< of the two GMRES

  /// Iterations between two looks at the residual, 4096 at most; each look waits for the space. What is done beyond the
  /// iteration that converged leaves x alone.
  int check_every = 1;

  /// Stagnation: so many iterations without a residual lower than all before.
  int stagnation_window = 500;

  /// Waits after each phase to measure it.
  bool time_phases = false;

  /// Where a backend can, the kernels of an iteration are recorded once and enqueued as one from then on (a graph on an
  /// NVIDIA GPU): for ConjugateGradient and BiCGStab with operators that are replayable (LinearOperator).
  ///
  /// While a solve records, for about the time of one iteration, no other thread of the process may wait for the whole
  /// GPU: CUDA refuses to synchronize the device then, and with it Kokkos::fence() and the release of a Kokkos view of
  /// host memory. All else may go on beside it. That is why it is not the default.
  bool replay = false;

  /// Called at each look with the number of iterations and the residual relative to ||b||. Of several right-hand sides
  /// the most iterations and the largest residual, which is NaN when that of any is.
  std::function<void(int, double)> monitor = {};
};

const char* to_string(KrylovMethod);        ///< cg, bicgstab, gmres, fgmres
const char* to_string(PreconditionerSide);  ///< left, right

}  // namespace terrace
