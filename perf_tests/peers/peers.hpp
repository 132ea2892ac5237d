// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The peers, as entries of the suites. Each is defined in its own source, which is compiled only where the peer was
// found.
#pragma once

#include "common/harness/case.hpp"

namespace terrace::perf {

/// Triangular solves: the textbook's loop over the rows; mkl_sparse_?_trsv and _trsm after mkl_sparse_optimize;
/// cusparseSpSV and cusparseSpSM.
Entry serial_substitution();
Entry mkl(int threads);
Entry cusparse_triangular();

/// Factorizations, and conjugate gradients or BiCGStab with ILU(0): plain loops in one thread; MatILUFactor and
/// MatICCFactor of PETSc, in one thread as well; csrilu02, csric02, and loops written with cuSPARSE and cuBLAS.
Entry serial_ilu0();
Entry serial_ilut(int fill, double drop_tolerance);
Entry serial_iteration(Phase phase);
Entry petsc_ilu(int fill_level);
Entry petsc_icc(int fill_level);
Entry cusparse_ilu0();
Entry cusparse_ic0();
Entry cusparse_iteration(Phase phase);

/// Schwarz preconditioners, and GMRES(20) with them: plain loops in one thread; csrilu02 and two SpSV on the matrix of
/// all blocks.
Entry serial_schwarz();
Entry cusparse_schwarz();

/// Direct factorizations: cuDSS as fast as it can be (no pivots, no matching) and as it is by default; CHOLMOD's
/// supernodal L L^T of positive definite real matrices; UMFPACK's L U; MUMPS; PARDISO of MKL.
Entry cudss(int threads);
Entry cudss_default(int threads);
Entry cholmod();
Entry umfpack();
Entry mumps(int threads);
Entry pardiso(int threads);

/// Products with a matrix: cusparseSpMV.
Entry cusparse_product();

/// Conjugate gradients with IC(0) on a grid's matrix in compressed rows, and the parts of it.
Entry grid_serial_loop();
Entry grid_cusparse();

}  // namespace terrace::perf
