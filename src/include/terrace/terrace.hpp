// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything Terrace offers to a solver. (What reads and writes files has its own headers and library:
// terrace/matrix_market.hpp, terrace/block_numbers.hpp, terrace::matrix_market.)
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/error.hpp>
#include <terrace/factor.hpp>
#include <terrace/factor_precision.hpp>
#include <terrace/grid.hpp>
#include <terrace/hec_matrix.hpp>
#include <terrace/ilu.hpp>
#include <terrace/ilu_info.hpp>
#include <terrace/ilu_options.hpp>
#include <terrace/ilut.hpp>
#include <terrace/ilut_info.hpp>
#include <terrace/ilut_options.hpp>
#include <terrace/iteration_result.hpp>
#include <terrace/krylov_options.hpp>
#include <terrace/krylov_result.hpp>
#include <terrace/krylov_solver.hpp>
#include <terrace/ldlt.hpp>
#include <terrace/ldlt_info.hpp>
#include <terrace/ldlt_options.hpp>
#include <terrace/level_sets.hpp>
#include <terrace/linear_operator.hpp>
#include <terrace/names.hpp>
#include <terrace/ordering.hpp>
#include <terrace/partition.hpp>
#include <terrace/pivot_options.hpp>
#include <terrace/schwarz.hpp>
#include <terrace/schwarz_info.hpp>
#include <terrace/schwarz_options.hpp>
#include <terrace/structured_conversion.hpp>
#include <terrace/structured_factor.hpp>
#include <terrace/structured_matrix.hpp>
#include <terrace/structured_options.hpp>
#include <terrace/structured_pcg.hpp>
#include <terrace/structured_pcg_result.hpp>
#include <terrace/subdomains.hpp>
#include <terrace/triangular_info.hpp>
#include <terrace/triangular_options.hpp>
#include <terrace/triangular_solver.hpp>
#include <terrace/version.hpp>
