// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the unknowns of a factorization are eliminated, and how the matrix is scaled before.
#pragma once

namespace terrace {

/// A renumbering that is the same for rows and columns: what is factorized is P A P^T. It stays inside: vectors, and
/// the rows that info objects and messages name, have the caller's numbers.
///
/// All see the graph of A + A^T, are found on the host, and depend on nothing but the pattern.
enum class Ordering {
  Natural,              ///< as the matrix is numbered
  ReverseCuthillMckee,  ///< small bandwidth, little fill, good convergence (Cuthill and McKee 1969, George 1971)
  NestedDissection,     ///< least fill of the higher levels, by METIS (George 1973, Karypis and Kumar 1998)
  Multicolor,           ///< rows of one color do not wait for one another: without fill as few levels as colors, at
                        ///< the price of more iterations (Saad 2003, section 12.4; Duff and Meurant 1989)
  ApproximateMinimumDegree,  ///< little fill where rows are few or short, by AMD (Amestoy, Davis, Duff 1996, 2004)
  Automatic,                 ///< approximate minimum degree for small matrices, nested dissection for the others, and
                             ///< whichever of them needs fewer operations where that is in doubt
  Given,                     ///< the caller's own, in the option `permutation`
};

/// Diagonal: what is factorized is D A D with D = diag(|a_ii|)^(-1/2), so that its diagonal has modulus one. Where a_ii
/// is zero or not finite, the row keeps its scale. Factors that drop by position alone precondition A as they would
/// without; scaling changes what MILU and MIC keep, what is dropped by size, which pivots are tiny, and what
/// overflows.
///
/// Equilibrate: D such that each row of D A D has the largest modulus one, nearly (Ruiz 2001); powers of two. Direct
/// factorizations alone offer it.
enum class Scaling { None, Diagonal, Equilibrate };

const char* to_string(Ordering);  ///< natural, rcm, nd, multicolor, amd, automatic, given
const char* to_string(Scaling);   ///< none, diagonal, equilibrate

}  // namespace terrace
