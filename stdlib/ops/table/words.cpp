// Finds texts of a column that equal, contain or begin with a word.
#include <algorithm>
#include <unordered_set>

#include "stdlib/files/columns.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr size_t between_polls = 1 << 14;  // rows

template <class F>
Value mask_of(Builder& b, const std::vector<Value>& items, F holds) {
  Value mask = make_tensor(b.pool(), Dtype::boolean, Shape{Dim(static_cast<int64_t>(items.size()))});
  bool* const to = mask.tensor().as<bool>();
  for (size_t i = 0; i < items.size(); ++i) {
    if (i % between_polls == 0) kernels::poll_interrupt(b.context());
    to[i] = !items[i].is_none() && holds(items[i].string().text);
  }
  return mask;
}

Value any_of(Builder& b, const std::vector<Value>& items, const std::vector<Value>& words) {
  std::unordered_set<std::string_view> known;
  for (const Value& word : words) {
    if (!word.is_none()) known.insert(word.string().text);
  }
  return mask_of(b, items, [&](const std::string& text) { return known.count(text) > 0; });
}

Value matches(Builder& b, Call& call) {
  const std::vector<Value>& items = texts_argument(call, 0);
  const Value& how = call.args[2];
  const std::string_view word = how.is(ObjectKind::string) ? std::string_view(how.string().text) : "";
  if (word == "is" && files::is_text_column(call.args[1])) return any_of(b, items, call.args[1].list().items());
  if (!call.args[1].is(ObjectKind::string)) fail_attribute(call, 1, "a string");
  const std::string& part = call.args[1].string().text;
  if (word == "is") return mask_of(b, items, [&](const std::string& text) { return text == part; });
  if (word == "has") return mask_of(b, items, [&](const std::string& t) { return t.find(part) != std::string::npos; });
  if (word == "starts") return mask_of(b, items, [&](const std::string& text) { return text.starts_with(part); });
  if (word == "ends") return mask_of(b, items, [&](const std::string& text) { return text.ends_with(part); });
  fail_attribute(call, 2, "\"is\", \"has\", \"starts\" or \"ends\"");
}

const Entry& text_matches_entry() {
  static const Entry entry{
      .name = "text_matches",
      .doc =
          "Which of a list of strings are `part` (or with a list one of its strings), have it, start or end with it: a "
          "mask, bool[n].\n\n"
          "`how` is \"is\", \"has\", \"starts\" or \"ends\". What is missing (none) never does.",
      .parameters = {any_parameter("x"), any_parameter("part"), attribute("how")},
      .eager = matches,
      .derivative = Derivative::none("gives bools"),
      .effects = table_effects(),
      .example = R"(print(text_matches(["fig", "pear", none], "ea", "has"))  # expect: [false, true, false])",
  };
  return entry;
}

}  // namespace

Family table_words_entries() {
  static const Entry* const entries[] = {&text_matches_entry()};
  return entries;
}

}  // namespace covec::ops
