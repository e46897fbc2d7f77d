// The values of a column as numbers of its distinct ones in order: 0 for the least. Groups, joins and orders by any
// column are then work on integers. Numbers are known by a table of hashes (integers in a small range by their place);
// of strings first the object is looked for, since most columns have one object a word, then its text. Missing values
// are one, the last.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "stdlib/files/columns.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t between_looks = 1 << 14;

uint64_t mixed(uint64_t x) {  // Steele, Lea and Flood's splitmix64 (2014)
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Numbers of keys in order of first appearance: linear probing, half full at most.
class KeyTable {
 public:
  explicit KeyTable(Pool& pool) : pool_(pool) { make_room(64); }
  int64_t count() const { return count_; }
  // The number of a key, which is `count` before where it is new.
  int64_t number_of(uint64_t key) {
    return number_of(key, [](int64_t) { return true; });
  }
  // The same where several may have one key, a hash: same(number) tells whether it is that one.
  template <class Same>
  int64_t number_of(uint64_t key, Same same) {
    for (uint64_t at = mixed(key) & mask_;; at = (at + 1) & mask_) {
      Cell& cell = cells_[at];
      if (cell.number == 0) return add(cell, key);
      if (cell.key == key && same(cell.number - 1)) return cell.number - 1;
    }
  }

 private:
  struct Cell {
    uint64_t key;
    int64_t number;  // from 1; 0: none
  };
  int64_t add(Cell& cell, uint64_t key) {
    cell = {key, ++count_};
    if (2 * static_cast<uint64_t>(count_) > mask_) make_room(4 * (mask_ + 1));
    return count_ - 1;
  }
  void make_room(uint64_t size) {
    Scratch wider(pool_, size * sizeof(Cell));
    Cell* const cells = wider.as<Cell>();
    std::memset(cells, 0, size * sizeof(Cell));
    for (uint64_t i = 0; cells_ != nullptr && i <= mask_; ++i) {
      if (cells_[i].number == 0) continue;
      uint64_t at = mixed(cells_[i].key) & (size - 1);
      while (cells[at].number != 0) at = (at + 1) & (size - 1);
      cells[at] = cells_[i];
    }
    memory_ = std::move(wider);
    cells_ = cells;
    mask_ = size - 1;
  }

  Pool& pool_;
  Scratch memory_;
  Cell* cells_ = nullptr;
  uint64_t mask_ = 0;
  int64_t count_ = 0;
};

struct Codes {
  Value vector;
  int64_t* data;
  int64_t size;
  Codes(Builder& b, int64_t n) : vector(make_tensor(b.pool(), Dtype::i64, Shape{Dim(n)})), size(n) {
    data = vector.tensor().as<int64_t>();
  }
};

// Codes by first appearance become codes in an order: `order[k]` is the code that becomes k.
std::vector<int64_t> renumber(Builder& b, Codes& codes, const std::vector<int64_t>& firsts,
                              const std::vector<int64_t>& order) {
  std::vector<int64_t> rank(order.size()), ordered(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    rank[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    ordered[k] = firsts[static_cast<size_t>(order[k])];
  }
  kernels::poll_interrupt(b.context());
  kernels::parallel_for(b.context(), codes.size, between_looks, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) codes.data[i] = rank[static_cast<size_t>(codes.data[i])];
  });
  return ordered;
}

// By `less` on the places where each first stands.
template <class Less>
std::vector<int64_t> put_in_order(Builder& b, Codes& codes, const std::vector<int64_t>& firsts, Less less) {
  std::vector<int64_t> order(firsts.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto at = [&](int64_t code) { return firsts[static_cast<size_t>(code)]; };
  const auto before = [&](int64_t x, int64_t y) { return less(at(x), at(y)); };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  return renumber(b, codes, firsts, order);
}

// --- numbers ---

// A number as a key: all NaNs are one, and -0 is 0.
template <class T>
uint64_t key_of_number(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    const double wide = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(x) + 0.0;
    uint64_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  } else {
    return static_cast<uint64_t>(x);
  }
}

template <class T>
std::vector<int64_t> codes_by_hash(Builder& b, const T* x, Codes& codes) {
  KeyTable table(b.pool());
  std::vector<int64_t> firsts;
  for (int64_t i = 0; i < codes.size; ++i) {
    if (i % between_looks == 0) kernels::poll_interrupt(b.context());
    codes.data[i] = table.number_of(key_of_number(x[i]));
    if (static_cast<size_t>(table.count()) > firsts.size()) firsts.push_back(i);
  }
  const auto less = [&](int64_t i, int64_t k) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x[i]) || std::isnan(x[k])) return !std::isnan(x[i]);
    }
    return x[i] < x[k];
  };
  return put_in_order(b, codes, firsts, less);
}

// Integers from `low` on, `range` of them: a place for each.
template <class T>
std::vector<int64_t> codes_by_place(Builder& b, const T* x, Codes& codes, int64_t low, int64_t range) {
  const Scratch memory(b.pool(), static_cast<size_t>(range) * sizeof(int64_t));
  auto* const places = memory.as<int64_t>();
  std::fill_n(places, range, int64_t{-1});
  const auto place = [&](int64_t i) -> int64_t& { return places[static_cast<int64_t>(x[i]) - low]; };
  for (int64_t i = codes.size; i-- > 0;) {
    if (i % between_looks == 0) kernels::poll_interrupt(b.context());
    place(i) = i;
  }
  std::vector<int64_t> firsts;
  for (int64_t k = 0; k < range; ++k) {
    if (places[k] < 0) continue;
    firsts.push_back(places[k]);
    places[k] = static_cast<int64_t>(firsts.size()) - 1;
  }
  kernels::parallel_for(b.context(), codes.size, between_looks, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) codes.data[i] = place(i);
  });
  return firsts;
}

template <class T>
std::vector<int64_t> codes_of_numbers(Builder& b, const T* x, Codes& codes) {
  if constexpr (std::is_integral_v<T>) {
    if (codes.size == 0) return {};
    const auto [low, high] = std::minmax_element(x, x + codes.size);
    uint64_t range = 0;
    const bool wide = __builtin_sub_overflow(static_cast<int64_t>(*high), static_cast<int64_t>(*low), &range);
    if (!wide && range < static_cast<uint64_t>(4 * codes.size + 1024))
      return codes_by_place(b, x, codes, static_cast<int64_t>(*low), static_cast<int64_t>(range) + 1);
  }
  return codes_by_hash(b, x, codes);
}

std::vector<int64_t> codes_of_vector(Builder& b, const Value& x, Codes& codes) {
  const Value whole = contiguous(b.pool(), x);
  const Tensor& tensor = whole.tensor();
  switch (tensor.dtype()) {
    case Dtype::boolean: return codes_of_numbers(b, tensor.as<bool>(), codes);
    case Dtype::i32: return codes_of_numbers(b, tensor.as<int32_t>(), codes);
    case Dtype::i64: return codes_of_numbers(b, tensor.as<int64_t>(), codes);
    case Dtype::f16:
    case Dtype::bf16: return codes_of_vector(b, cast_to(b, whole, Dtype::f32), codes);
    case Dtype::f32: return codes_of_numbers(b, tensor.as<float>(), codes);
    case Dtype::f64: return codes_of_numbers(b, tensor.as<double>(), codes);
  }
  return {};
}

// --- texts ---

// A word to be put in order: eight of its bytes, behind those that all words begin with, decide most comparisons.
struct Word {
  uint64_t head;
  const std::string* text;  // nullptr: missing, the last
  int64_t code;
  bool operator<(const Word& other) const {
    if (text == nullptr || other.text == nullptr) return text != nullptr;
    return head != other.head ? head < other.head : *text < *other.text;
  }
};

size_t shared_beginning(const std::vector<Word>& words) {
  const std::string* first = nullptr;
  size_t shared = 0;
  for (const Word& word : words) {
    if (word.text == nullptr) continue;
    if (first == nullptr) shared = (first = word.text)->size();
    shared = std::min(shared, word.text->size());
    while (std::memcmp(first->data(), word.text->data(), shared) != 0) --shared;
  }
  return shared;
}

uint64_t head_of(const std::string& text, size_t from) {
  uint64_t head = 0;
  for (size_t i = from; i < from + 8; ++i)
    head = head << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return head;
}

std::vector<int64_t> words_in_order(Builder& b, const std::vector<Value>& items, const std::vector<int64_t>& firsts) {
  b.pool().need(firsts.size() * sizeof(Word));
  std::vector<Word> words;
  words.reserve(firsts.size());
  for (const int64_t first : firsts) {
    const Value& item = items[static_cast<size_t>(first)];
    words.push_back({0, item.is_none() ? nullptr : &item.string().text, static_cast<int64_t>(words.size())});
  }
  const size_t shared = shared_beginning(words);
  for (Word& word : words) word.head = word.text == nullptr ? 0 : head_of(*word.text, shared);
  kernels::poll_interrupt(b.context());
  std::sort(words.begin(), words.end());
  std::vector<int64_t> order(words.size());
  std::transform(words.begin(), words.end(), order.begin(), [](const Word& word) { return word.code; });
  return order;
}

// By first appearance; where each first stands.
std::vector<int64_t> codes_by_object(Builder& b, const std::vector<Value>& items, Codes& codes) {
  KeyTable objects(b.pool()), words(b.pool());
  std::vector<int64_t> code_of_object, firsts;
  const auto text_at = [&](int64_t place) -> const std::string& {
    static const std::string nothing;
    const Value& item = items[static_cast<size_t>(place)];
    return item.is_none() ? nothing : item.string().text;
  };
  const auto code_of = [&](int64_t i) {
    const bool none = items[static_cast<size_t>(i)].is_none();
    return words.number_of(none ? 0 : std::hash<std::string_view>()(text_at(i)), [&](int64_t code) {
      const int64_t first = firsts[static_cast<size_t>(code)];
      return items[static_cast<size_t>(first)].is_none() == none && text_at(first) == text_at(i);
    });
  };
  for (int64_t i = 0; i < codes.size; ++i) {
    if (i % between_looks == 0) kernels::poll_interrupt(b.context());
    const Value& item = items[static_cast<size_t>(i)];
    const auto key = item.is_none() ? 0 : reinterpret_cast<uintptr_t>(item.object());
    const int64_t object = objects.number_of(key);
    if (static_cast<size_t>(object) == code_of_object.size()) {
      code_of_object.push_back(code_of(i));
      if (static_cast<size_t>(words.count()) > firsts.size()) firsts.push_back(i);
    }
    codes.data[i] = code_of_object[static_cast<size_t>(object)];
  }
  return firsts;
}

std::vector<int64_t> codes_of_texts(Builder& b, const std::vector<Value>& items, Codes& codes, bool ordered) {
  const std::vector<int64_t> firsts = codes_by_object(b, items, codes);
  return ordered ? renumber(b, codes, firsts, words_in_order(b, items, firsts)) : firsts;
}

Value factorize(Builder& b, Call& call) {
  const Value& column = call.args[0];
  if (files::kind_of_column(column).empty())
    fail_attribute(call, 0, "a vector, a list of strings or a column of dates");
  Codes codes(b, files::length_of_column(column));
  const Value* seconds = files::seconds_of_dates(column);
  const std::vector<int64_t> firsts = column.is(ObjectKind::list)
                                          ? codes_of_texts(b, column.list().items, codes, flag_argument(call, 1))
                                          : codes_of_vector(b, seconds != nullptr ? *seconds : column, codes);
  Value first = make_tensor(b.pool(), Dtype::i64, Shape{Dim(static_cast<int64_t>(firsts.size()))});
  std::copy(firsts.begin(), firsts.end(), first.tensor().as<int64_t>());
  return make_tuple({std::move(codes.vector), std::move(first)});
}

const Entry& factorize_entry() {
  static const Entry entry{
      .name = "factorize",
      .doc =
          "The distinct values of a column as numbers: `(codes, first)`.\n\n"
          "`x` is a vector, a list of strings (none: missing) or a record {seconds} of dates. `codes[i]` says which of "
          "the distinct values, in order, x[i] is: 0 for the least. `first[k]` is where the one of number k first "
          "stands. "
          "Strings are in the order of their code points; nan and none are one value each, the last. With "
          "`ordered=false` strings "
          "are numbered as they appear, which takes less.",
      .parameters = {any_parameter("x"), attribute("ordered", Value(true))},
      .eager = factorize,
      .derivative = Derivative::none("gives positions"),
      .effects = table_effects(),
      .example = R"(codes, first = factorize(["pear", "fig", "pear", none])
print(codes, first)  # expect: [1, 0, 1, 2] [1, 0, 3])",
  };
  return entry;
}

}  // namespace

Family table_factorize_entries() {
  static const Entry* const entries[] = {&factorize_entry()};
  return entries;
}

}  // namespace covec::ops
