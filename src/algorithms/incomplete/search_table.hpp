// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search for fill remembers of the vertices that it has come to: a small open-addressing hash table.
//
// A row reaches few vertices, so a table of a kilobyte takes what would otherwise be an array as long as the matrix for
// each of the thousands of searches that a device has under way. The table lies in memory that somebody else owns: a
// team's scratch memory, or an array. Neighbours in the matrix are neighbours in the table, and a table with a slot for
// every vertex has no collisions: the hash is then one to one. Steps of growing length (which come to every slot of a
// power of two) keep neighbours from queueing up where the table is smaller.
//
// The lanes that share a table say how it is changed: one lane by plain stores, several by atomics. What the table
// holds when all lanes are done does not depend on their order; the order of the lists does.
#pragma once

#include <limits>

#include "sparse/triangle.hpp"

namespace terrace::incomplete {

/// One thread, alone with its table.
struct OneLane {
  template <class Body>
  KOKKOS_FUNCTION void for_each(unsigned first, unsigned end, const Body& body) const {
    for (unsigned k = first; k < end; ++k) body(k);
  }
  template <class T>
  KOKKOS_FUNCTION T take(T& counter) const {
    return counter++;
  }
  template <class T>
  KOKKOS_FUNCTION void lower(T& cell, T value) const {
    if (value < cell) cell = value;
  }
  template <class T>
  KOKKOS_FUNCTION T claim(T& cell, T empty, T value) const {
    const T seen = cell;
    if (seen == empty) cell = value;
    return seen;
  }
};

/// The vector lanes of a team's thread. What a loop has written is seen by all lanes after it.
template <class Team>
struct VectorLanes {
  const Team& team;

  template <class Body>
  KOKKOS_FUNCTION void for_each(unsigned first, unsigned end, const Body& body) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, end), body);
  }
  template <class T>
  KOKKOS_FUNCTION T take(T& counter) const {
    return Kokkos::atomic_fetch_add(&counter, T(1));
  }
  template <class T>
  KOKKOS_FUNCTION void lower(T& cell, T value) const {
    if (value < parallel::relaxed_load(cell)) Kokkos::atomic_min(&cell, value);
  }
  template <class T>
  KOKKOS_FUNCTION T claim(T& cell, T empty, T value) const {
    return Kokkos::atomic_compare_exchange(&cell, empty, value);
  }
};

/// A vertex, the lowest via by which a path has reached it, and the via with which it was walked through last.
template <class Ordinal>
struct SearchSlot {
  Ordinal vertex, via, walked;
};

template <class Ordinal>
class SearchTable {
  using Slot = SearchSlot<Ordinal>;
  static constexpr Ordinal nobody = -1, never = std::numeric_limits<Ordinal>::max();

 public:
  /// The fewest slots: so many lanes at once may find the table not yet full.
  static constexpr unsigned fewest_slots = 64;

  static constexpr std::size_t alignment = 16;

  /// A power of two that gives capacity to so many vertices.
  static unsigned slots_for(std::size_t vertices) {
    unsigned slots = fewest_slots;
    while (slots / 2 < vertices && slots < 1u << 31) slots *= 2;
    return slots;
  }

  /// A table half full is full, unless it has a slot for each of the `vertices` of the graph.
  KOKKOS_FUNCTION static unsigned capacity(unsigned slots, Ordinal vertices) {
    return slots >= static_cast<unsigned>(vertices) ? static_cast<unsigned>(vertices) : slots / 2;
  }

  KOKKOS_FUNCTION static std::size_t bytes(unsigned slots, Ordinal vertices) {
    const std::size_t longest_list = capacity(slots, vertices) + std::size_t(fewest_slots / 2);
    const std::size_t used = slots * sizeof(Slot) + 2 * longest_list * sizeof(unsigned) + Counters * sizeof(unsigned);
    return (used + alignment - 1) / alignment * alignment;
  }

  template <class Lanes>
  KOKKOS_FUNCTION SearchTable(const Lanes& lanes, char* memory, unsigned slots, Ordinal vertices)
      : slots_(reinterpret_cast<Slot*>(memory)),
        reached_(reinterpret_cast<unsigned*>(slots_ + slots)),
        listed_(reached_ + capacity(slots, vertices) + fewest_slots / 2),
        counters_(listed_ + capacity(slots, vertices) + fewest_slots / 2),
        mask_(slots - 1),
        capacity_(capacity(slots, vertices)) {
    lanes.for_each(0, slots, [&](unsigned at) { slots_[at] = {nobody, never, never}; });
    lanes.for_each(0, Counters, [&](unsigned counter) { counters_[counter] = 0; });
  }

  /// There was no capacity for a vertex. More vertices than there is capacity for always say so, whatever the order of
  /// the lanes.
  KOKKOS_FUNCTION bool is_full() const { return counters_[IsFull] != 0; }

  /// A path has come to the vertex. No two lanes may say so of the same vertex at a time.
  template <class Lanes>
  KOKKOS_FUNCTION void reach(const Lanes& lanes, Ordinal vertex, Ordinal via) const {
    for (unsigned at = hash(vertex) & mask_, step = 1;; at = (at + step++) & mask_) {
      Ordinal seen = slots_[at].vertex;
      if (seen == nobody && (seen = insert(lanes, at, vertex)) == nobody) return;
      if (seen == vertex) return lanes.lower(slots_[at].via, via);
    }
  }

  /// Lists the reached vertices, as slots, for which `is_wanted(slot)` holds; returns how many they are.
  template <class Lanes, class Wanted>
  KOKKOS_FUNCTION unsigned list(const Lanes& lanes, const Wanted& is_wanted) const {
    lanes.for_each(0, 1, [&](unsigned) { counters_[Listed] = 0; });
    lanes.for_each(0, counters_[Reached], [&](unsigned k) {
      if (is_wanted(slots_[reached_[k]])) listed_[lanes.take(counters_[Listed])] = reached_[k];
    });
    return counters_[Listed];
  }

  KOKKOS_FUNCTION const Slot& listed(unsigned k) const { return slots_[listed_[k]]; }

  /// Empties the table.
  template <class Lanes>
  KOKKOS_FUNCTION void forget(const Lanes& lanes) const {
    lanes.for_each(0, counters_[Reached], [&](unsigned k) { slots_[reached_[k]] = {nobody, never, never}; });
    lanes.for_each(0, Counters, [&](unsigned counter) { counters_[counter] = 0; });
  }

 private:
  enum Counter : unsigned { Reached, Listed, IsFull, Counters };

  /// One to one in as many bits as the vertex has.
  KOKKOS_FUNCTION static unsigned hash(Ordinal vertex) {
    const auto bits = static_cast<unsigned>(vertex);
    return bits ^ bits >> 7 ^ bits >> 14;
  }

  /// Puts the vertex into the slot, unless another lane was faster; returns who is there then: nobody when the table
  /// is full.
  template <class Lanes>
  KOKKOS_FUNCTION Ordinal insert(const Lanes& lanes, unsigned at, Ordinal vertex) const {
    if (parallel::relaxed_load(counters_[Reached]) >= capacity_) {
      counters_[IsFull] = 1;
      return nobody;
    }
    const Ordinal seen = lanes.claim(slots_[at].vertex, nobody, vertex);
    if (seen != nobody) return seen;
    const unsigned place = lanes.take(counters_[Reached]);
    reached_[place] = at;
    if (place >= capacity_) counters_[IsFull] = 1;  // several lanes came at once, and were not too late each by itself
    return vertex;
  }

  Slot* slots_;
  unsigned* reached_;  // slots, in the order of arrival
  unsigned* listed_;
  unsigned* counters_;
  unsigned mask_, capacity_;
};

}  // namespace terrace::incomplete
