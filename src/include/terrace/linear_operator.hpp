// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Krylov method needs to know of a matrix or of a preconditioner: y = A x.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <type_traits>
#include <utility>

namespace terrace {

namespace krylov {
template <class Scalar>
struct Projection;
}  // namespace krylov

namespace detail {
template <class Object, class Scalar, class ExecutionSpace,
          class Device = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>>
concept Appliable = requires(const Object& object, const ExecutionSpace& space,
                             const Kokkos::View<const Scalar*, Device>& x, const Kokkos::View<Scalar*, Device>& y) {
  object.apply(space, x, y);
};
}  // namespace detail

/// Any object with a member `apply(space, x, y)` that enqueues y = A x on `space`, where x is a view of const Scalar
/// and y one of Scalar: CrsOperator, IluFactor, or a class of the caller's. A default-constructed one is the identity.
///
/// Made from a variable it refers to it, and the variable must outlive it. Made from a temporary, an object that is
/// moved in, or a shared pointer, it owns the object together with its copies, so that a function can return a
/// preconditioner and a class can hold whichever one it was given:
///
///     LinearOperator<double, Space> M = use_ilu ? LinearOperator<double, Space>(IluFactor(space, symbolic, values))
///                                               : LinearOperator<double, Space>(std::make_shared<MyMultigrid>(A));
///
/// An object may offer more:
///   - `apply(space, X, Y)` for views of rank 2, whose columns lie one after the other: several vectors at once.
///     Without it they are applied one by one.
///   - `static constexpr bool is_replayable = true`: with the same arguments, apply enqueues the same kernels with the
///     same arguments whenever it is called, on the instance that it is handed, which need not be the caller's; it
///     waits for nothing, allocates nothing and copies nothing from host memory. Then a backend may record an iteration
///     and enqueue it again without calling apply.
template <class Scalar, class ExecutionSpace>
class LinearOperator {
 public:
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using input_type = Kokkos::View<const Scalar*, device_type>;  ///< a vector that is read
  using output_type = Kokkos::View<Scalar*, device_type>;       ///< a vector that is written
  /// Several, column after column, that are read.
  using input_columns_type = Kokkos::View<const Scalar**, Kokkos::LayoutLeft, device_type>;
  using output_columns_type = Kokkos::View<Scalar**, Kokkos::LayoutLeft, device_type>;  ///< several that are written
  using Projection = krylov::Projection<Scalar>;  ///< the dot products that follow a product; for KrylovSolver

  /// The identity.
  LinearOperator() = default;

  /// Refers to the object.
  template <detail::Appliable<Scalar, ExecutionSpace> Object>
  LinearOperator(const Object& object) : LinearOperator(&object, nullptr) {}

  /// Owns what is moved in.
  template <class Object>
  requires(!std::is_reference_v<Object> && !std::is_const_v<Object> && !std::is_same_v<Object, LinearOperator> &&
           detail::Appliable<Object, Scalar, ExecutionSpace>) LinearOperator(Object&& object)
      : LinearOperator(std::make_shared<Object>(std::move(object))) {}

  /// Owns the object with whoever else does; a null pointer is the identity.
  template <detail::Appliable<Scalar, ExecutionSpace> Object>
  LinearOperator(std::shared_ptr<Object> object) : LinearOperator(object.get(), object) {
    if (!object_) *this = {};
  }

  /// Whether it was made from nothing.
  bool is_identity() const { return apply_ == nullptr; }
  /// Whether its object says so; the identity is.
  bool is_replayable() const { return is_identity() || is_replayable_; }

  /// Y = A x, enqueued as the object does it.
  void apply(const ExecutionSpace& space, const input_type& x, const output_type& y) const {
    if (is_identity()) Kokkos::deep_copy(space, y, x);
    else apply_(object_, space, x, y);
  }

  /// Y = A X.
  void apply(const ExecutionSpace& space, const input_columns_type& X, const output_columns_type& Y) const {
    if (X.extent(1) > 1 && apply_to_columns_) return apply_to_columns_(object_, space, X, Y);
    for (std::size_t column = 0; column < X.extent(1); ++column)
      apply(space, input_type(X.data() + column * X.extent(0), X.extent(0)),
            output_type(Y.data() + column * Y.extent(0), Y.extent(0)));
  }

  /// For KrylovSolver. Y = A X with the dot products that follow, where the object can; otherwise false, and nothing is
  /// done.
  bool project(const ExecutionSpace& space, const input_columns_type& X, const output_columns_type& Y,
               const Projection& projection) const {
    if (project_) project_(object_, space, X, Y, projection);
    return project_ != nullptr;
  }

 private:
  using Apply = void (*)(const void*, const ExecutionSpace&, const input_type&, const output_type&);
  using ApplyToColumns = void (*)(const void*, const ExecutionSpace&, const input_columns_type&,
                                  const output_columns_type&);
  using Project = void (*)(const void*, const ExecutionSpace&, const input_columns_type&, const output_columns_type&,
                           const Projection&);

  template <class Object>
  LinearOperator(const Object* object, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)),
        object_(object),
        apply_([](const void* from, const ExecutionSpace& space, const input_type& x, const output_type& y) {
          static_cast<const Object*>(from)->apply(space, x, y);
        }) {
    using Space = ExecutionSpace;
    using In = input_columns_type;
    using Out = output_columns_type;
    if constexpr (requires(const Space& space, const In& x, const Out& y) { object->apply(space, x, y); })
      apply_to_columns_ = [](const void* from, const Space& space, const In& x, const Out& y) {
        static_cast<const Object*>(from)->apply(space, x, y);
      };
    if constexpr (requires(const Space& space, const In& x, const Out& y, const Projection& p) {
                    object->apply(space, x, y, p);
                  })
      project_ = [](const void* from, const Space& space, const In& x, const Out& y, const Projection& projection) {
        static_cast<const Object*>(from)->apply(space, x, y, projection);
      };
    if constexpr (requires { requires bool(Object::is_replayable); }) is_replayable_ = true;
  }

  std::shared_ptr<const void> owner_;  // none where it refers
  const void* object_ = nullptr;
  Apply apply_ = nullptr;
  ApplyToColumns apply_to_columns_ = nullptr;
  Project project_ = nullptr;
  bool is_replayable_ = false;
};

}  // namespace terrace
