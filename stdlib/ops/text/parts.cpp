// Splits and joins text: split, join, replace, strip.
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/text/family.hpp"
#include "stdlib/ops/text/operands.hpp"
#include "stdlib/ops/text/text.hpp"
#include "stdlib/text/text_search.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr const char* gives_strings = "gives strings";
constexpr const char* gives_string = "gives a string";
constexpr size_t parts_between_polls = 4096;  // parts

// The parts of a text, as they are found.
class Parts {
 public:
  explicit Parts(const Builder& b) : context_(b.context()) {}
  void add(std::string_view part) {
    if (items_.size() % parts_between_polls == 0) kernels::poll_interrupt(context_);
    items_.push_back(make_string(std::string(part)));
  }
  Value list() { return make_list(std::move(items_)); }

 private:
  const Context& context_;
  std::vector<Value> items_;
};

Value split_at(const Builder& b, std::string_view text, std::string_view by) {
  Parts parts(b);
  TextSearch search(text, by);
  size_t begin = 0;
  for (size_t at = search.next(); at != std::string_view::npos; at = search.next()) {
    parts.add(text.substr(begin, at - begin));
    begin = at + by.size();
  }
  parts.add(text.substr(begin));
  return parts.list();
}

Value split_at_white(const Builder& b, std::string_view text) {
  Parts parts(b);
  for (text = without_white(text); !text.empty();) {
    size_t end = 0;
    while (end < text.size()) {
      const Character next = Character::first_of(text.substr(end));
      if (is_white(next.number)) break;
      end += next.bytes;
    }
    parts.add(text.substr(0, end));
    text.remove_prefix(end);
    while (!text.empty()) {
      const Character next = Character::first_of(text);
      if (!is_white(next.number)) break;
      text.remove_prefix(next.bytes);
    }
  }
  return parts.list();
}

// What stands second is what to split by, as a number of parts is for tensors.
Value split(Builder& b, Call& call) {
  const std::string& text = text_argument(call, 0).text;
  if (integer_argument(call, 2) != 0)
    fail_attribute(call, 2, "0 where a string is split",
                   "split returns all parts: write join(parts[1:], \" \") for the rest");
  const unsigned by = call.args[1].is_none() ? 3 : 1;
  if (call.args[by].is_none()) return split_at_white(b, text);
  return split_at(b, text, separator_text(call, by));
}

const std::vector<Value>& texts_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  const std::vector<Value>* items = children(value);
  if (items == nullptr || value.is(ObjectKind::record)) {
    const bool swapped = value.is(ObjectKind::string) && is_tree(call.operand(1));
    if (swapped) fail(message("join_swapped"), {}, {label_of(call, operand)});
    fail_attribute(call, operand, "a list or tuple of strings");
  }
  for (size_t i = 0; i < items->size(); ++i) {
    const Value& item = (*items)[i];
    if (item.is(ObjectKind::string)) continue;
    if (is_operand(item) && !item.is_numeric()) fail_attribute(call, operand, "a list or tuple of strings");
    fail(message("join_item"), {std::to_string(i), describe(item)}, {label_of(call, operand)});
  }
  return *items;
}

Value join(Builder&, Call& call) {
  const std::vector<Value>& items = texts_argument(call, 0);
  const std::string& by = text_argument(call, 1).text;
  uint64_t size = 0;
  for (const Value& item : items) size += item.string().text.size() + by.size();
  need_text(size);
  std::string out;
  out.reserve(static_cast<size_t>(size));
  for (const Value& item : items) {
    if (&item != items.data()) out += by;
    out += item.string().text;
  }
  return make_string(std::move(out));
}

size_t count_of(const Builder& b, std::string_view text, std::string_view part) {
  size_t count = 0;
  for (TextSearch search(text, part); search.next() != std::string_view::npos;) look_around(b, count++);
  return count;
}

// How many bytes there may be afterwards; how often the part stands there is counted only where that is more.
size_t room_to_replace(const Builder& b, std::string_view text, std::string_view part, std::string_view with) {
  const size_t count = with.size() > part.size() ? count_of(b, text, part) : 0;
  uint64_t added = 0;
  if (__builtin_mul_overflow(count, with.size(), &added)) fail(message("system_memory"));
  need_text(text.size() + added);
  return text.size() - count * part.size() + static_cast<size_t>(added);
}

Value replace(Builder& b, Call& call) {
  const std::string_view text = text_argument(call, 0).text, part = separator_text(call, 1),
                         with = text_argument(call, 2).text;
  std::string out(room_to_replace(b, text, part, with), '\0');
  char* to = out.data();
  const auto put = [&](std::string_view piece) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  };
  TextSearch search(text, part);
  size_t begin = 0, passed = 0;
  for (size_t at = search.next(); at != std::string_view::npos; at = search.next()) {
    look_around(b, passed++);
    put(text.substr(begin, at - begin));
    put(with);
    begin = at + part.size();
  }
  put(text.substr(begin));
  out.resize(static_cast<size_t>(to - out.data()));
  if (2 * out.size() < out.capacity()) out.shrink_to_fit();
  return make_string(std::move(out));
}

Value strip(Builder&, Call& call) { return make_string(std::string(without_white(text_argument(call, 0).text))); }

Value count(Builder& b, Call& call) {
  return static_cast<int64_t>(count_of(b, text_argument(call, 0).text, separator_text(call, 1)));
}

}  // namespace

const Entry& split_text_entry() {
  static const Entry entry = [] {
    Entry made = text_operator(
        "split_text", "A text cut into a list of texts.",
        {any_parameter("x"), attribute("by", Value()), attribute("axis", int64_t{0}), attribute("by", Value())}, split,
        {}, gives_strings);
    made.internal = true;
    made.part_of = "split";
    return made;
  }();
  return entry;
}

namespace {

const Entry& join_texts_entry() {
  static const Entry entry = text_operator("join",
                                           "The strings of a list or tuple as one, with `by` between them.\n\n"
                                           "`str(x)` and f-strings make text of numbers.",
                                           {any_parameter("items"), attribute("by")}, join,
                                           {{"(\"a\", \"b\", \"c\"), \", \"", "\"a, b, c\"", "python"},
                                            {"list(), \"-\"", "\"\"", "python"},
                                            {"(\"ä\",), \"-\"", "\"ä\"", "python"}},
                                           gives_string);
  return entry;
}

const Entry& replace_entry() {
  static const Entry entry = text_operator("replace", "The text with each `part` in it, from the left on, replaced.",
                                           {any_parameter("text"), attribute("part"), attribute("with")}, replace,
                                           {{"\"1,5\", \",\", \".\"", "\"1.5\"", "python"},
                                            {"\"aaa\", \"aa\", \"b\"", "\"ba\"", "python"},
                                            {"\"naïve\", \"ï\", \"\"", "\"nave\"", "python"}},
                                           gives_string);
  return entry;
}

const Entry& strip_entry() {
  static const Entry entry = text_operator(
      "strip", "The text without the white space at its ends.", {any_parameter("text")}, strip,
      {{"\"  a b\\n\"", "\"a b\"", "python"}, {"\"\\u{a0}é\\u{2003}\"", "\"é\"", "python"}}, gives_string);
  return entry;
}

const Entry& count_entry() {
  static const Entry entry =
      text_operator("count", "How often `part` stands in a text, counted from the left without overlaps.",
                    {any_parameter("text"), attribute("part")}, count,
                    {{"\"banana\", \"an\"", "2", "python"}, {"\"aaa\", \"aa\"", "1", "python"}}, "gives an integer");
  return entry;
}

}  // namespace

Family text_parts_entries() {
  static const Entry* const entries[] = {&split_text_entry(), &join_texts_entry(), &replace_entry(), &strip_entry(),
                                         &count_entry()};
  return entries;
}

}  // namespace covec::ops
