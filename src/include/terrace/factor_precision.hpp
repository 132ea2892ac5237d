// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which precision a factor is held.
#pragma once

namespace terrace {

/// Single: in float, or complex<float>, whatever the matrix is in: half the bytes are held and read. In a Schwarz
/// method the blocks are factorized in the precision of the matrix and rounded; LdltFactor computes in Single, and its
/// refine brings a solution to the accuracy of the matrix, or says that it did not. Vectors stay as they are.
enum class FactorPrecision { Same, Single };

const char* to_string(FactorPrecision);  ///< same, single

}  // namespace terrace
