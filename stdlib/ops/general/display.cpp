// What plot.show and table.show call: a value and its text go to the host, which shows one of them.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

Value display_as(Builder& b, Call& call) {
  if (!call.args[1].is(ObjectKind::string)) fail_attribute(call, 1, "a string");
  const Value plain = plain_tree(call.args[0]);
  if (b.context().output != nullptr) b.context().output->display(plain, call.args[1].string().text + "\n");
  return Value();
}

const Entry& display_as_entry() {
  static const Entry entry{
      .name = "display_as",
      .doc =
          "Shows a value. `plot.show` and `table.show` call it.\n\n"
          "A notebook shows a figure as a picture and a table as a table; everything else prints `text` and a new "
          "line.",
      .parameters = {any_parameter("value"), attribute("text")},
      .eager = display_as,
      .derivative = Derivative::none("shows a value"),
      .effects = {.may_fail = true, .prints = true},
      .example = R"(display_as([1, 2], "two numbers")  # expect: two numbers)",
  };
  return entry;
}

}  // namespace

Family general_display_entries() {
  static const Entry* const entries[] = {&display_as_entry()};
  return entries;
}

}  // namespace covec::ops
