// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices of a run: made or read only when one of their cases begins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/flags.hpp"
#include "matrices/matrix_source.hpp"

namespace terrace::perf {

struct MatrixEntry {
  std::string name;
  std::function<LowerTriangle()> make;
};

/// The generated shapes of these names; without names all that are measured unasked.
std::vector<MatrixEntry> generated_matrices(const std::vector<std::string>& names, Size size);

struct MatrixFile {
  std::string name;  ///< without suffix
  std::string path;
};

/// The Matrix Market files of a folder (.mtx, .mtx.gz), by name.
std::vector<MatrixFile> matrix_files(const std::string& folder);

/// The lower triangles of the Matrix Market files in a folder (.mtx, .mtx.gz), by name, or the transposes of the upper
/// ones. Where the diagonal is missing or zero it is one. `make` throws LeftOut when the reader refuses the
/// file, or the matrix is not square or not real.
std::vector<MatrixEntry> stored_matrices(const std::string& folder, bool upper);

/// What --shapes and --data ask for. Without names it is `usual`, or all shapes when that is empty; the name "none"
/// leaves those of the folder. \throws UsageError
std::vector<MatrixEntry> chosen_matrices(const Flags& flags, const std::vector<std::string>& usual);

/// Prints a line for each: rows, entries, levels of the triangle or of its transpose.
void print_list(const std::vector<MatrixEntry>& matrices, bool upper);

}  // namespace terrace::perf
