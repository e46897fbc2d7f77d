// A table as text, as wide as the terminal or as requested.
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/plot/table.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

int64_t count_argument(const Call& call, unsigned operand, int64_t otherwise, int64_t least, const char* must_be) {
  const Value& value = call.args[operand];
  if (value.is_none()) return otherwise;
  if (!is_integer(value) || integer_of(value) < least || integer_of(value) > 1000000)
    refuse({"show", std::string(operand_name(call, operand))}, must_be, shown_value(value));
  return integer_of(value);
}

Value text(Builder& b, Call& call) {
  const Value table = plain_tree(call.args[0]);
  check_table(table, {"show", "t"});
  const int64_t most = count_argument(call, 1, plot::usual_rows, 1, "an integer from 1 to 1000000");
  const Screen screen = b.context().output != nullptr ? b.context().output->screen() : Screen{};
  const int64_t width =
      count_argument(call, 2, screen.columns > 0 ? screen.columns : 100, 20, "an integer from 20 to 1000000");
  return make_string(plot::table_text(table, most, static_cast<int>(width)));
}

const Entry& table_text_entry() {
  static const Entry entry{
      .name = "table_text",
      .doc =
          "A table as text: what `table.show` prints.\n\n"
          "Of more than `rows` rows (20) the first and the last are there, of columns those that `width` characters "
          "have room for (none: the terminal's, or 100). Floats have six significant digits of the largest at most.",
      .parameters = {any_parameter("t"), attribute("rows", Value()), attribute("width", Value())},
      .eager = text,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(print(table_text({name: ["oak", "yew"], height: [20.5, nan]}))
# expect:    name  height
# expect:    text     f64
# expect: 0  oak     20.5
# expect: 1  yew      nan
# expect: 2 rows, 2 columns)",
  };
  return entry;
}

}  // namespace

Family table_show_entries() {
  static const Entry* const entries[] = {&table_text_entry()};
  return entries;
}

}  // namespace covec::ops
