// The check of a function that takes options: check_names(options, allowed). The engine knows the function that runs
// and its call, so it makes the error.
#include <algorithm>

#include "stdlib/cluster/program.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

std::vector<std::string_view> allowed_names(const Call& call) {
  constexpr unsigned operand = 1;
  const Value& given = call.args[operand];
  if (!given.is(ObjectKind::tuple) && !given.is(ObjectKind::list))
    fail_attribute(call, operand, "a tuple or list of strings");
  std::vector<std::string_view> names;
  for (const Value& name : *children(given)) {
    if (!name.is(ObjectKind::string)) fail_attribute(call, operand, "a tuple or list of strings");
    names.push_back(name.string().text);
  }
  return names;
}

Value check_names(Builder& b, Call& call) {
  if (!call.args[0].is(ObjectKind::record)) fail_attribute(call, 0, "a record");
  const std::vector<std::string_view> allowed = allowed_names(call);
  for (const std::string& name : call.args[0].record().layout->names) {
    if (std::ranges::find(allowed, name) != allowed.end()) continue;
    if (b.context().program == nullptr) fail_attribute(call, 0, "a record of the allowed names");
    b.context().program->refuse_option(name, allowed);
  }
  return Value();
}

}  // namespace

const Entry& check_names_entry() {
  static const Entry entry{
      .name = "check_names",
      .doc =
          "An error at the call of the function that runs, unless all names of `options` are among `allowed`.\n\n"
          "For a parameter `**options`, which takes named arguments of any name. `allowed` is a tuple or list of "
          "strings.",
      .parameters = {{.name = "options", .kind = ParameterKind::any}, {.name = "allowed", .kind = ParameterKind::any}},
      .eager = check_names,
      .derivative = Derivative::none("checks names"),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(fn draw(x, **options) {
    check_names(options, ("color", "width"))
    return options
}
print(draw(1, color="red"))                     # expect: {color: "red"}
try { draw(1, colour="red") } catch err { print(err.message) }
# expect: `colour` is no option of `draw`)",
  };
  return entry;
}

Family general_check_names_entries() {
  static const Entry* const entries[] = {&check_names_entry()};
  return entries;
}

}  // namespace covec::ops
