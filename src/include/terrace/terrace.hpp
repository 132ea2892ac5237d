// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything Terrace offers to a solver. (The reader of files has its own header and library:
// terrace/matrix_market.hpp, terrace::matrix_market.)
#pragma once

#include <terrace/error.hpp>
#include <terrace/grid.hpp>
#include <terrace/level_sets.hpp>
#include <terrace/structured_conversion.hpp>
#include <terrace/structured_factor.hpp>
#include <terrace/structured_matrix.hpp>
#include <terrace/structured_options.hpp>
#include <terrace/structured_pcg.hpp>
#include <terrace/triangular_info.hpp>
#include <terrace/triangular_options.hpp>
#include <terrace/triangular_solver.hpp>
#include <terrace/version.hpp>
