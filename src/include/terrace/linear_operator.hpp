// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Krylov method needs to know of a matrix or of a preconditioner: y = A x.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace {

/// A reference to any object with a member `apply(space, x, y)` that enqueues y = A x on `space`, where x is a view of
/// const Scalar and y one of Scalar: CrsOperator, IluFactor, or a class of the caller's. The object must outlive it.
/// A default-constructed one is the identity.
template <class Scalar, class ExecutionSpace>
class LinearOperator {
 public:
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using input_type = Kokkos::View<const Scalar*, device_type>;
  using output_type = Kokkos::View<Scalar*, device_type>;

  LinearOperator() = default;

  template <class Object>
  requires requires(const Object& object, const ExecutionSpace& space, const input_type& x, const output_type& y) {
    object.apply(space, x, y);
  }
  LinearOperator(const Object& object)
      : object_(&object),
        apply_([](const void* from, const ExecutionSpace& space, const input_type& x, const output_type& y) {
          static_cast<const Object*>(from)->apply(space, x, y);
        }) {}

  bool is_identity() const { return apply_ == nullptr; }

  void apply(const ExecutionSpace& space, const input_type& x, const output_type& y) const {
    if (is_identity()) Kokkos::deep_copy(space, y, x);
    else apply_(object_, space, x, y);
  }

 private:
  using Apply = void (*)(const void*, const ExecutionSpace&, const input_type&, const output_type&);
  const void* object_ = nullptr;
  Apply apply_ = nullptr;
};

}  // namespace terrace
