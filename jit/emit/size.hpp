// Represents numbers of elements, bytes and positions. They are known when the file is written, or follow from extents
// that the caller gives: sums of products of these, as C expressions. Equal sizes are recognized as far as sums and
// products allow. Start at Size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace covec::emit {

// A case to look at: a number for each name.
using Sample = std::map<std::string, int64_t>;

class Size {
 public:
  Size(int64_t number = 0) {  // NOLINT: a number is a size
    if (number != 0) terms_[{}] = number;
  }
  static constexpr int64_t beyond = int64_t{1} << 53;  // elements: no axis is as long
  static Size named(const std::string& name);
  static Size not_negative(const Size& a);          // a, or 0
  static Size wider(const Size& a, const Size& b);  // the one that is not 1
  static Size unless_one(const Size& a);            // 0 where it is 1, else 1
  static Size blocks(const Size& bytes);            // bytes in blocks of 64; some, even for none
  static Size product(std::span<const Size> factors);

  bool known() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty()); }
  int64_t number() const { return terms_.empty() ? 0 : terms_.begin()->second; }  // of one that is known
  bool is(int64_t number) const { return known() && this->number() == number; }
  bool operator==(const Size& other) const;
  // Names stand for numbers that are not negative.
  bool may_be_negative() const;
  // Its sums and products, which may not wrap in C, cannot: where extents are those of tensors that memory holds.
  bool is_countable() const;
  int64_t at(const Sample& sample) const;
  void add_names(std::set<std::string>& names) const;

  std::string text() const;    // a sum
  std::string factor() const;  // one that may stand beside any operator
  // The same, where nothing is subtracted and nothing overflows: a bound.
  std::string bound() const;

  Size& operator+=(const Size& other);
  Size& operator*=(const Size& other) { return *this = *this * other; }
  friend Size operator+(Size a, const Size& b) { return a += b; }
  friend Size operator-(Size a, const Size& b) { return a += b * Size(-1); }
  friend Size operator*(const Size& a, const Size& b);

 private:
  struct Atom {
    enum class Kind : uint8_t { name, not_negative, wider, unless_one, blocks } kind = Kind::name;
    std::string text;  // an expression of C; equal ones have equal texts
    std::vector<Size> of;
    int64_t at(const Sample& sample) const;
  };
  struct ByText {
    bool operator()(const std::vector<std::shared_ptr<const Atom>>& a,
                    const std::vector<std::shared_ptr<const Atom>>& b) const;
  };
  static Size of(Atom atom);
  static void add_parts(const Size& size, std::vector<Size>& parts);
  std::string joined(bool as_bound) const;
  std::map<std::vector<std::shared_ptr<const Atom>>, int64_t, ByText> terms_;  // atoms in order: how often
};

}  // namespace covec::emit
