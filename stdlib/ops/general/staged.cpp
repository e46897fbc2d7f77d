// Operators that only compiled functions apply, for work that the interpreter does without an operator.
#include "stdlib/ops/general/staged.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

// Pieces of an f-string, joined. Both are strings.
const Entry& join_text_entry() {
  static const Entry entry{
      .name = "join_text",
      .doc = "Two strings, one after the other.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = [](Builder&,
                  Call& call) { return make_string(call.args[0].string().text + call.args[1].string().text); },
      .derivative = Derivative::none("gives a text"),
      .internal = true};
  return entry;
}

// What type_of says of a tensor whose extents only the run knows.
const Entry& type_text_entry() {
  static const Entry entry{.name = "type_text",
                           .doc = "What a value is, as a string.",
                           .parameters = {any_parameter("x")},
                           .eager = [](Builder&, Call& call) { return make_string(describe(call.args[0])); },
                           .derivative = Derivative::none("gives a string"),
                           .internal = true,
                           .part_of = "type_of"};
  return entry;
}

// A variable that only some paths have assigned is read: whether this one has.
const Entry& require_value_entry() {
  static const Entry entry{.name = "require_value",
                           .doc = "Whether a variable has a value, or the error that it has none.",
                           .parameters = {any_parameter("is_defined"), any_parameter("name")},
                           .eager =
                               [](Builder&, Call& call) {
                                 if (call.args[0].boolean()) return Value();
                                 throw OpError{"no_value", call.args[1].string().text, {}, {},
                                               nullptr,    ErrorKind::no_value};
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

// What a compiled function takes for granted.
const Entry& require_entry() {
  static const Entry entry{.name = "require",
                           .doc = "Fails unless the condition holds; the interpreter then says what is wrong.",
                           .parameters = {any_parameter("holds")},
                           .eager =
                               [](Builder&, Call& call) {
                                 if (call.args[0].boolean()) return Value();
                                 fail(message("internal"), {"a condition that the interpreter did not find wrong"});
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

Family general_staged_entries() {
  static const Entry* const entries[] = {&join_text_entry(), &type_text_entry(), &require_value_entry(),
                                         &require_entry()};
  return entries;
}

}  // namespace covec::ops
