// Replaces the values of a column by codes, the ranks of its distinct values: 0 for the least. Groups, joins and orders
// by any column then work on integers. Numbers are found in a hash table (integers of a small range by index). Strings
// are first looked up as objects, since most columns have one object per word, then by their text. All missing values
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

constexpr int64_t between_polls = 1 << 14;  // rows

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
  // Of many keys to come: their cells are fetched at once, rather than waited for one by one.
  void prefetch(uint64_t key) const { __builtin_prefetch(&cells_[mixed(key) & mask_]); }
  // The number in the first cell that is asked for a key; -1 where it has another one.
  int64_t perhaps(uint64_t key) const {
    const Cell& cell = cells_[mixed(key) & mask_];
    return cell.key == key ? cell.number - 1 : -1;
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
    std::memset(cells, 0, static_cast<size_t>(size) * sizeof(Cell));
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
  kernels::parallel_for(b.context(), codes.size, between_polls, [&](int64_t begin, int64_t end) {
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
    if (i % between_polls == 0) kernels::poll_interrupt(b.context());
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
  const Scratch memory(b.pool(), static_cast<uint64_t>(range) * sizeof(int64_t));
  auto* const places = memory.as<int64_t>();
  std::fill_n(places, range, int64_t{-1});
  const auto place = [&](int64_t i) -> int64_t& { return places[static_cast<int64_t>(x[i]) - low]; };
  for (int64_t i = codes.size; i-- > 0;) {
    if (i % between_polls == 0) kernels::poll_interrupt(b.context());
    place(i) = i;
  }
  std::vector<int64_t> firsts;
  for (int64_t k = 0; k < range; ++k) {
    if (places[k] < 0) continue;
    firsts.push_back(places[k]);
    places[k] = static_cast<int64_t>(firsts.size()) - 1;
  }
  kernels::parallel_for(b.context(), codes.size, between_polls, [&](int64_t begin, int64_t end) {
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
  if (is_narrow(tensor.dtype())) return codes_of_vector(b, cast_to(b, whole, computing_dtype(tensor.dtype())), codes);
  return with_element(tensor.dtype(), [&]<class T>(T) { return codes_of_numbers(b, tensor.as<T>(), codes); });
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

// By first appearance. Most columns have one object a word, which is found by its address, until most objects turn out
// to be new: then by their texts alone.
class TextCodes {
 public:
  TextCodes(Builder& b, const std::vector<Value>& items, Codes& codes)
      : items_(items), codes_(codes), objects_(b.pool()), words_(b.pool()) {
    for (int64_t begin = 0; begin < codes.size; begin += block) {
      if (begin % between_polls == 0) look(b);
      const int64_t end = std::min(codes.size, begin + block);
      if (by_objects_) {
        by_object(begin, end);
      } else {
        by_text(begin, end);
      }
    }
  }
  std::vector<int64_t> firsts() && { return std::move(firsts_); }  // where each word first stands

 private:
  static constexpr int64_t block = 32;  // rows whose memory is asked for together

  void look(Builder& b) {
    kernels::poll_interrupt(b.context());
    if (2 * (objects_.count() - objects_before_) > between_polls) by_objects_ = false;
    objects_before_ = objects_.count();
  }

  const Value& item(int64_t i) const { return items_[static_cast<size_t>(i)]; }
  const std::string* text(int64_t i) const { return item(i).is_none() ? nullptr : &item(i).string().text; }
  static uint64_t hash_of(const std::string* text) {
    return text == nullptr ? 0 : std::hash<std::string_view>()(*text);
  }

  int64_t code_of(int64_t i, uint64_t hash) {
    const std::string* const own = text(i);
    const int64_t code = words_.number_of(hash, [&](int64_t other) {
      const std::string* const word = texts_[static_cast<size_t>(other)];
      return word == own || (word != nullptr && own != nullptr && *word == *own);
    });
    if (static_cast<size_t>(code) == texts_.size()) {
      texts_.push_back(own);
      firsts_.push_back(i);
    }
    return code;
  }

  void by_object(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto key = item(i).is_none() ? 0 : reinterpret_cast<uintptr_t>(item(i).object());
      const int64_t object = objects_.number_of(key);
      if (static_cast<size_t>(object) == code_of_object_.size())
        code_of_object_.push_back(code_of(i, hash_of(text(i))));
      codes_.data[i] = code_of_object_[static_cast<size_t>(object)];
    }
  }
  // What each needs of memory is fetched for all of them before it is looked at.
  void by_text(int64_t begin, int64_t end) {
    uint64_t hashes[block];
    for (int64_t i = begin; i < end; ++i) {
      hashes[i - begin] = hash_of(text(i));
      words_.prefetch(hashes[i - begin]);
    }
    for (int64_t i = begin; i < end; ++i) {
      const int64_t perhaps = words_.perhaps(hashes[i - begin]);
      if (perhaps >= 0) __builtin_prefetch(texts_[static_cast<size_t>(perhaps)]);
    }
    for (int64_t i = begin; i < end; ++i) codes_.data[i] = code_of(i, hashes[i - begin]);
  }

  const std::vector<Value>& items_;
  Codes& codes_;
  KeyTable objects_, words_;
  bool by_objects_ = true;
  int64_t objects_before_ = 0;  // at the last look
  std::vector<int64_t> code_of_object_, firsts_;
  std::vector<const std::string*> texts_;  // of each code; nullptr: missing
};

std::vector<int64_t> codes_of_texts(Builder& b, const std::vector<Value>& items, Codes& codes, bool ordered) {
  std::vector<int64_t> firsts = TextCodes(b, items, codes).firsts();
  return ordered ? renumber(b, codes, firsts, words_in_order(b, items, firsts)) : firsts;
}

Value factorize(Builder& b, Call& call) {
  const Value column = without_traces(call.args[0]);
  if (files::kind_of_column(column).empty())
    fail_attribute(call, 0, "a vector, a list of strings or a column of dates");
  Codes codes(b, files::length_of_column(column));
  const Value* seconds = files::seconds_of_dates(column);
  const std::vector<int64_t> firsts = column.is(ObjectKind::list)
                                          ? codes_of_texts(b, column.list().items(), codes, flag_argument(call, 1))
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
