// Operators on strings: `+` joins, `<` compares, `*` repeats (the casts: numbers_in_text.cpp). Each is an entry of its
// own, which replaces the operator if it is given a string (Entry::instead).
#include "stdlib/ops/elementwise/text.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/value/interrupt_chunks.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

Entry text_entry(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                 Value (*eager)(Builder&, Call&)) {
  return {.name = name,
          .doc = doc,
          .parameters = std::move(parameters),
          .eager = eager,
          .derivative = Derivative::none("is not a function of numbers"),
          .effects = {.may_fail = true},
          .internal = true,
          .staging = Staging::structural};
}

namespace {

bool is_text(const Value& value) { return value.is(ObjectKind::string); }
bool are_texts(std::span<const Value> args) { return args.size() == 2 && is_text(args[0]) && is_text(args[1]); }

// --- joining and repeating ---

// A string that nobody else holds grows in place: a loop of `text += part` is linear.
Value join(Builder&, Call& call) {
  Value& left = call.args[0];
  const std::string& right = call.args[1].string().text;
  if (left.unique()) {
    left.string().append(right);
    return std::move(left);
  }
  // Before the bytes are there, since they may be too many.
  if (Memory* memory = Memory::current()) memory->need(left.string().text.size() + right.size());
  return make_string(left.string().text + right);
}

// With a count below 1 nothing is left, as of a pad whose width is used up.
Value repeat(Builder&, Call& call) {
  const unsigned of = is_text(call.args[0]) ? 0 : 1;
  const int64_t count = integer_argument(call, 1 - of);
  const std::string& text = call.args[of].string().text;
  if (count < 1 || text.empty()) return make_string("");
  size_t size = 0;
  if (__builtin_mul_overflow(text.size(), count, &size) || size > text.max_size()) fail(message("system_memory"));
  if (Memory* memory = Memory::current()) memory->need(size);
  std::string out;
  out.reserve(size);
  out = text;
  for (BytePolls polls; out.size() < size;) {
    const size_t part = std::min({out.size(), size - out.size(), std::max(text.size(), bytes_between_polls)});
    polls.pass(part);
    out.append(out, 0, part);
  }
  return make_string(std::move(out));
}

bool is_whole(const Value& value) {
  if (!is_operand(value)) return false;
  const Type type = logical_type(value);
  return type.shape.empty() && kind_of(type.dtype) == DtypeKind::integer;
}

// --- order ---

// Code points in order: UTF-8 keeps it, byte by byte.
template <class Compare>
Value compare(Builder&, Call& call) {
  return Value(Compare{}(call.args[0].string().text, call.args[1].string().text));
}

struct Below {
  bool operator()(const std::string& a, const std::string& b) const { return a < b; }
};
struct AtMost {
  bool operator()(const std::string& a, const std::string& b) const { return a <= b; }
};
struct Above {
  bool operator()(const std::string& a, const std::string& b) const { return a > b; }
};
struct AtLeast {
  bool operator()(const std::string& a, const std::string& b) const { return a >= b; }
};

template <class Compare>
const Entry& compare_entry(std::string_view name) {
  static const Entry entry = text_entry(name, "How two strings are ordered: by their first code points that differ.",
                                        {any_parameter("a"), any_parameter("b")}, compare<Compare>);
  return entry;
}
const Entry& less_entry() { return compare_entry<Below>("less_text"); }
const Entry& less_equal_entry() { return compare_entry<AtMost>("less_equal_text"); }
const Entry& greater_entry() { return compare_entry<Above>("greater_text"); }
const Entry& greater_equal_entry() { return compare_entry<AtLeast>("greater_equal_text"); }

const Entry& join_entry() {
  static const Entry entry =
      text_entry("join_strings", "Two strings, one after the other.", {any_parameter("a"), any_parameter("b")}, join);
  return entry;
}
const Entry& repeated_entry() {
  static const Entry entry =
      text_entry("repeat_text", "A string so many times.", {attribute("a"), attribute("b")}, repeat);
  return entry;
}

template <const Entry& entry()>
const Entry* for_texts(std::span<const Value> args) {
  return are_texts(args) ? &entry() : nullptr;
}

}  // namespace

const Entry* join_instead(std::span<const Value> args, uint32_t) { return for_texts<join_entry>(args); }
const Entry* less_instead(std::span<const Value> args, uint32_t) { return for_texts<less_entry>(args); }
const Entry* less_equal_instead(std::span<const Value> args, uint32_t) { return for_texts<less_equal_entry>(args); }
const Entry* greater_instead(std::span<const Value> args, uint32_t) { return for_texts<greater_entry>(args); }
const Entry* greater_equal_instead(std::span<const Value> args, uint32_t) {
  return for_texts<greater_equal_entry>(args);
}

const Entry* repeat_instead(std::span<const Value> args, uint32_t) {
  if (args.size() != 2 || is_text(args[0]) == is_text(args[1])) return nullptr;
  return is_whole(args[is_text(args[0]) ? 1 : 0]) ? &repeated_entry() : nullptr;
}

Family elementwise_text_entries() {
  static const Entry* const entries[] = {&join_entry(),       &repeated_entry(), &less_entry(),
                                         &less_equal_entry(), &greater_entry(),  &greater_equal_entry()};
  return entries;
}

}  // namespace covec::ops
