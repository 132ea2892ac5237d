// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary heaps in an array, for one thread of a host or of a device. `before(a, b)`: a comes out before b.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::incomplete {

template <class Item, class Before>
KOKKOS_INLINE_FUNCTION void sift_down(Item* heap, Item size, Item root, const Before& before) {
  const Item moved = heap[root];
  for (Item child = 2 * root + 1; child < size; child = 2 * root + 1) {
    if (child + 1 < size && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], moved)) break;
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = moved;
}

template <class Item, class Before>
KOKKOS_INLINE_FUNCTION void make_heap(Item* heap, Item size, const Before& before) {
  for (Item root = size / 2; root > 0; --root) sift_down(heap, size, root - 1, before);
}

/// There must be capacity for it.
template <class Item, class Before>
KOKKOS_INLINE_FUNCTION void push_heap(Item* heap, Item& size, Item item, const Before& before) {
  Item at = size++;
  for (; at > 0 && before(item, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = item;
}

template <class Item, class Before>
KOKKOS_INLINE_FUNCTION Item pop_heap(Item* heap, Item& size, const Before& before) {
  const Item first = heap[0];
  heap[0] = heap[--size];
  if (size > 1) sift_down(heap, size, Item(0), before);
  return first;
}

/// Afterwards no item comes before one that stands earlier. Few items are inserted one by one.
template <class Item, class Before>
KOKKOS_INLINE_FUNCTION void sort_items(Item* items, Item size, const Before& before) {
  if (size <= 24) {
    for (Item k = 1; k < size; ++k) {
      const Item moved = items[k];
      Item at = k;
      for (; at > 0 && before(moved, items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = moved;
    }
    return;
  }
  const auto after = [&](Item a, Item b) { return before(b, a); };
  make_heap(items, size, after);
  while (size > 1) {
    const Item last = pop_heap(items, size, after);
    items[size] = last;
  }
}

}  // namespace terrace::incomplete
