// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Krylov methods as Saad's "Iterative Methods for Sparse Linear Systems" (2003) writes them, one vector operation
// after the other: how many iterations they take.
#pragma once

#include <functional>

#include "reference/general_matrix.hpp"

namespace terrace::reference {

template <class Scalar>
using Vector = std::vector<Scalar>;
template <class Scalar>
using Apply = std::function<Vector<Scalar>(const Vector<Scalar>&)>;

template <class Scalar>
Scalar dot(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  Scalar sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += conjugate_of(a[i]) * b[i];
  return sum;
}

template <class Scalar>
double norm(const Vector<Scalar>& a) {
  double sum = 0;
  for (const auto& value : a) sum += magnitude(value) * magnitude(value);
  return std::sqrt(sum);
}

/// a + factor b
template <class Scalar>
Vector<Scalar> plus(Vector<Scalar> a, Scalar factor, const Vector<Scalar>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

/// Algorithm 9.1 from x = 0.
template <class Scalar>
int conjugate_gradient(const Apply<Scalar>& A, const Apply<Scalar>& M, const Vector<Scalar>& b, double tolerance,
                       int most) {
  auto r = b, z = M(r), p = z;
  Scalar rho = dot(r, z);
  for (int iteration = 1; iteration <= most; ++iteration) {
    const auto q = A(p);
    const Scalar alpha = rho / dot(p, q);
    r = plus(r, -alpha, q);
    if (norm(r) <= tolerance * norm(b)) return iteration;
    z = M(r);
    const Scalar next = dot(r, z);
    p = plus(z, next / rho, p);
    rho = next;
  }
  return most;
}

/// Algorithm 7.7 with a right preconditioner, from x = 0.
template <class Scalar>
int bicgstab(const Apply<Scalar>& A, const Apply<Scalar>& M, const Vector<Scalar>& b, double tolerance, int most) {
  auto r = b, p = r;
  Scalar rho = dot(b, r);
  for (int iteration = 1; iteration <= most; ++iteration) {
    const auto v = A(M(p));
    const Scalar alpha = rho / dot(b, v);
    const auto s = plus(r, -alpha, v);
    const auto t = A(M(s));
    const Scalar omega = dot(t, s) / dot(t, t);
    r = plus(s, -omega, t);
    if (norm(r) <= tolerance * norm(b)) return iteration;
    const Scalar next = dot(b, r);
    p = plus(r, (next / rho) * (alpha / omega), plus(p, -omega, v));
    rho = next;
  }
  return most;
}

/// Algorithm 9.5 from x = 0, by modified Gram-Schmidt; the small least-squares problem is solved anew in each step, by
/// Gram-Schmidt too.
template <class Scalar>
class Gmres {
 public:
  Gmres(Apply<Scalar> A, Apply<Scalar> M) : A_(std::move(A)), M_(std::move(M)) {}

  int solve(const Vector<Scalar>& b, double tolerance, int restart, int most) const {
    Vector<Scalar> x(b.size(), Scalar(0));
    for (int done = 0; done < most;) {
      const auto r = plus(b, Scalar(-1), A_(x));
      std::vector<Vector<Scalar>> basis{scaled(r, 1 / norm(r))}, images;
      std::vector<Vector<Scalar>> orthogonal;  // of the images A M v_j
      auto rest = r;
      Vector<Scalar> step(b.size(), Scalar(0));
      for (int j = 0; j < restart && done < most; ++j) {
        ++done;
        auto w = A_(M_(basis[j]));
        images.push_back(w);
        auto q = orthogonalized(orthogonal, w);
        orthogonal.push_back(scaled(q, 1 / norm(q)));
        rest = plus(rest, -dot(orthogonal.back(), rest), orthogonal.back());
        if (norm(rest) <= tolerance * norm(b)) return done;
        auto v = orthogonalized(basis, w);
        basis.push_back(scaled(v, 1 / norm(v)));
      }
      x = plus(x, Scalar(1), M_(combination(basis, images, plus(r, Scalar(-1), rest))));
    }
    return most;
  }

 private:
  static Vector<Scalar> scaled(Vector<Scalar> a, double factor) {
    for (auto& value : a) value *= static_cast<Real<Scalar>>(factor);
    return a;
  }

  static Vector<Scalar> orthogonalized(const std::vector<Vector<Scalar>>& to, Vector<Scalar> w) {
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& v : to) w = plus(w, -dot(v, w), v);
    return w;
  }

  /// sum_j y_j v_j such that sum_j y_j (A M v_j) is `image`, by Gram-Schmidt on the images, followed on the v_j.
  static Vector<Scalar> combination(const std::vector<Vector<Scalar>>& basis, std::vector<Vector<Scalar>> images,
                                    Vector<Scalar> image) {
    Vector<Scalar> sum(image.size(), Scalar(0));
    std::vector<Vector<Scalar>> sources(basis.begin(), basis.begin() + static_cast<std::ptrdiff_t>(images.size()));
    for (std::size_t j = 0; j < images.size(); ++j) {
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t k = 0; k < j; ++k) {
          const Scalar share = dot(images[k], images[j]);
          images[j] = plus(images[j], -share, images[k]);
          sources[j] = plus(sources[j], -share, sources[k]);
        }
      const double length = norm(images[j]);
      images[j] = scaled(images[j], 1 / length);
      sources[j] = scaled(sources[j], 1 / length);
      const Scalar share = dot(images[j], image);
      sum = plus(sum, share, sources[j]);
    }
    return sum;
  }

  Apply<Scalar> A_, M_;
};

}  // namespace terrace::reference
