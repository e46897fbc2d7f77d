// Sorts numbers by radix sort. Numbers become unsigned keys of the same order (descending: the complement). Digits are
// counted once for all keys; then each digit in which keys differ takes a stable pass. Short rows use a comparison
// sort. Rows that are already ascending or descending need neither. Positions are sorted as pairs of key and position.
// Start at sort_rows.
#include "stdlib/kernels/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t grain = 1 << 13;          // elements
constexpr int64_t short_row = 200;          // sorted by comparing
constexpr int64_t shortest_row = 16;        // by inserting
constexpr int64_t selection_ratio = 8;      // gathered and sorted alone when there are this many times more numbers
constexpr int64_t shortest_gathering = 64;  // places for it
// Bits of a digit, whose 256 counters take 2 KiB.
constexpr unsigned digit_bits = 8, digits = 1 << digit_bits;

// What writing an item counts as between two looks: memory that is written for the first time has to be found first.
template <class Item>
// In operations: one for 4 bytes.
constexpr int64_t writing = std::max<int64_t>(1, sizeof(Item) / 4);

// --- keys ---

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
KeyOf<T> key_of(T x) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return ~Key{0};
    const Key bits = std::bit_cast<Key>(x + T{0});  // −0 becomes +0
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else {
    return static_cast<Key>(x) ^ sign;
  }
}

template <class T>
T number_of(KeyOf<T> key) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>((key & sign) != 0 ? key ^ sign : ~key);
  } else if constexpr (std::is_same_v<T, bool>) {
    return key != 0;
  } else {
    return static_cast<T>(key ^ sign);
  }
}

// Rows of keys that a sort of numbers needs beside its result.
template <class T>
constexpr size_t rooms = sizeof(T) == sizeof(KeyOf<T>) ? 1 : 2;

template <class Key>
struct Placed {
  Key key;
  Key position;  // of a row of fewer than 2^32 numbers where keys have 32 bits
};

uint32_t digits_of(uint32_t key) { return key; }
uint64_t digits_of(uint64_t key) { return key; }
template <class Key>
Key digits_of(const Placed<Key>& item) {
  return item.key;
}

bool before(uint64_t a, uint64_t b) { return a < b; }
template <class Key>
bool before(const Placed<Key>& a, const Placed<Key>& b) {
  return a.key < b.key || (a.key == b.key && a.position < b.position);
}

// --- sorting ---

template <class Item>
void sort_short(Item* items, int64_t n) {
  if (n > shortest_row) return std::sort(items, items + n, [](const Item& a, const Item& b) { return before(a, b); });
  for (int64_t i = 1; i < n; ++i) {
    const Item item = items[i];
    int64_t at = i;
    for (; at > 0 && before(item, items[at - 1]); --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

template <class Item>
constexpr unsigned passes = sizeof(digits_of(Item{})) * 8 / digit_bits;  // one for each digit of a key
template <class Item>
using Counts = std::array<std::array<int64_t, digits>, passes<Item>>;

template <class Item>
bool count_digits(const Item* items, int64_t n, Counts<Item>& counts, InterruptPolls& polls) {
  return polls.in_chunks(n, passes<Item>, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto key = digits_of(items[i]);
      for (unsigned pass = 0; pass < passes<Item>; ++pass, key >>= digit_bits) ++counts[pass][key & (digits - 1)];
    }
  });
}

// Whether `holds` is true of each two that stand side by side. Of most items it is seen at once that it is not.
template <class Item, class Holds>
bool all_pairs(const Item* items, int64_t n, InterruptPolls& polls, const Holds& holds) {
  bool all = true;
  const bool whole = polls.in_chunks(n - 1, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; all && i < end; ++i) all = holds(items[i], items[i + 1]);
  });
  return whole && all;
}

// Those that rise or fall throughout are soon in order.
template <class Item>
bool sort_run(Item* items, int64_t n, InterruptPolls& polls) {
  const auto ascending = [](const Item& a, const Item& b) { return !before(b, a); };
  if (all_pairs(items, n, polls, ascending)) return true;
  const auto falling = [](const Item& a, const Item& b) { return before(b, a); };
  if (!all_pairs(items, n, polls, falling)) return false;
  std::reverse(items, items + n);
  return true;
}

// Sorts `items`, with as much room to move them to. Gives where they are then: at `items` or in the room; nullptr after
// an interrupt.
template <class Item>
Item* sort_items(Item* items, Item* room, int64_t n, InterruptPolls& polls) {
  if (n <= short_row) return sort_short(items, n), items;
  if (sort_run(items, n, polls)) return items;
  Counts<Item> counts = {};
  if (!count_digits(items, n, counts, polls)) return nullptr;
  Item *from = items, *to = room;
  for (unsigned pass = 0; pass < passes<Item>; ++pass) {
    const auto digit = [&](const Item& item) {
      return static_cast<size_t>((digits_of(item) >> (pass * digit_bits)) & (digits - 1));
    };
    std::array<int64_t, digits>& places = counts[pass];
    if (places[digit(from[0])] == n) continue;
    int64_t start = 0;
    for (int64_t& place : places) start += std::exchange(place, start);
    const bool whole = polls.in_chunks(n, writing<Item>, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[places[digit(from[i])]++] = from[i];
    });
    if (!whole) return nullptr;
    std::swap(from, to);
  }
  return from;
}

// --- rows ---

// Keys do not tell −0 from +0: zeros are put back in the order in which they stand in x.
template <class T>
void restore_zeros(const T* x, T* sorted, int64_t n, InterruptPolls& polls) {
  T* zero = std::find(sorted, sorted + n, T{0});
  polls.in_chunks(n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (x[i] == 0) *zero++ = x[i];
    }
  });
}

// `keys` has room for the row's keys; where a number is as long as its key, the result is the room that they move to.
template <class T>
void sort_row(const T* x, int64_t n, bool descending, KeyOf<T>* keys, T* to, InterruptPolls& polls) {
  using Key = KeyOf<T>;
  const Key flip = descending ? ~Key{0} : Key{0};
  bool negative_zero = false;
  const auto make_keys = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      keys[i] = key_of(x[i]) ^ flip;
      if constexpr (std::is_floating_point_v<T>) negative_zero |= x[i] == 0 && std::signbit(x[i]);
    }
  };
  if (!polls.in_chunks(n, writing<Key>, make_keys)) return;
  Key* const room = rooms<T> == 1 ? reinterpret_cast<Key*>(to) : keys + n;
  const Key* const sorted = sort_items(keys, room, n, polls);
  if (sorted == nullptr) return;
  const auto give_numbers = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T number = number_of<T>(sorted[i] ^ flip);
      std::memcpy(static_cast<void*>(to + i), &number, sizeof number);  // perhaps over its key
    }
  };
  if (polls.in_chunks(n, writing<T>, give_numbers) && negative_zero) restore_zeros(x, to, n, polls);
}

// Keeps the first `count` of the items, as they stand, and gives the last one's key. `room` is for as many keys.
template <class Key>
Key thin(Placed<Key>* items, int64_t size, int64_t count, Key* room) {
  for (int64_t i = 0; i < size; ++i) room[i] = items[i].key;
  std::nth_element(room, room + count - 1, room + size);
  const Key limit = room[count - 1];
  int64_t of_limit = count - std::count_if(room, room + count, [&](Key key) { return key < limit; });
  int64_t kept = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (items[i].key < limit || (items[i].key == limit && of_limit-- > 0)) items[kept++] = items[i];
  }
  return limit;
}

// Few of many: those that come before the last of the first `count` so far are gathered, and from time to time thinned
// to that many. Gives how many are there in the end, at least `count`, by position; 0 after an interrupt.
template <class T>
int64_t gather_first(const T* x, int64_t n, KeyOf<T> flip, int64_t count, Placed<KeyOf<T>>* items,
                     InterruptPolls& polls) {
  using Key = KeyOf<T>;
  const int64_t capacity = std::max(2 * count, shortest_gathering);
  int64_t size = 0;
  bool thinned = false;
  Key limit = 0;
  constexpr int64_t comparisons = 2;  // for each item
  const bool whole = polls.in_chunks(n, comparisons, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Key key = key_of(x[i]) ^ flip;
      if (thinned && key >= limit) continue;
      items[size++] = {key, static_cast<Key>(i)};
      if (size < capacity) continue;
      limit = thin(items, size, count, reinterpret_cast<Key*>(items + n));
      thinned = true;
      size = count;
    }
  });
  return whole ? size : 0;
}

template <class T>
void sort_row_positions(const T* x, int64_t n, bool descending, Placed<KeyOf<T>>* items, int64_t count, int64_t* to,
                        InterruptPolls& polls) {
  using Key = KeyOf<T>;
  using Item = Placed<Key>;
  const Key flip = descending ? ~Key{0} : Key{0};
  constexpr int64_t max_gathered = 1 << 19;  // items that are sorted alone
  int64_t size = n;
  if (count > 0 && count <= std::min(n / selection_ratio, max_gathered) && n >= shortest_gathering) {
    size = gather_first(x, n, flip, count, items, polls);
    if (size == 0) return;
  } else {
    const auto place = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) items[i] = {key_of(x[i]) ^ flip, static_cast<Key>(i)};
    };
    if (!polls.in_chunks(n, writing<Item>, place)) return;
  }
  const Item* const sorted = sort_items(items, items + n, size, polls);
  if (sorted == nullptr) return;
  polls.in_chunks(count, writing<int64_t>, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<int64_t>(sorted[i].position);
  });
}

// Calls sort(row, room, polls) for each row; the room is for `rooms` times as many items as a row has.
template <class Item, class Sort>
void each_row(ops::Context& context, const SortedRows& x, size_t rooms, const Sort& sort) {
  if (x.length == 0) return;
  const uint64_t bytes = rooms * static_cast<uint64_t>(x.length) * sizeof(Item);
  const int64_t row_grain = std::max<int64_t>(1, grain / x.length);
  if (x.rows <= row_grain) {
    const Scratch room(*context.pool, bytes);
    InterruptPolls polls(context);
    for (int64_t row = 0; row < x.rows; ++row) sort(row, reinterpret_cast<Item*>(room.data()), polls);
    return poll_interrupt(context);
  }
  ScratchSlots slots(context, bytes);
  parallel_for(context, x.rows, row_grain, [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    InterruptPolls polls(context);
    for (int64_t row = begin; row < end; ++row) sort(row, reinterpret_cast<Item*>(slot.data()), polls);
  });
}

}  // namespace

void sort_rows(ops::Context& context, const SortedRows& x, void* to) {
  with_compute(compute_of(x.dtype), [&](auto zero) {
    using T = decltype(zero);
    each_row<KeyOf<T>>(context, x, rooms<T>, [&](int64_t row, KeyOf<T>* keys, InterruptPolls& polls) {
      const int64_t start = row * x.length;
      sort_row(static_cast<const T*>(x.x) + start, x.length, x.descending, keys, static_cast<T*>(to) + start, polls);
    });
  });
}

void sort_positions(ops::Context& context, const SortedRows& x, int64_t count, int64_t* to) {
  with_compute(compute_of(x.dtype), [&](auto zero) {
    using T = decltype(zero);
    using Item = Placed<KeyOf<T>>;
    each_row<Item>(context, x, 2, [&](int64_t row, Item* items, InterruptPolls& polls) {
      const T* numbers = static_cast<const T*>(x.x) + row * x.length;
      sort_row_positions(numbers, x.length, x.descending, items, count, to + row * count, polls);
    });
  });
}

}  // namespace covec::kernels
