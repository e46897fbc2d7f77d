// compile(f) and explain(f). Without a compiler a compiled function is the function itself, which has the same meaning
// by definition.
#include "interpreter/session/engine_entries.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/session/no_compiler.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/number_row.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// Where there is no device for "auto", everything is computed here, and that is said once.
void warn_of_no_device(ops::Context& context) {
  if (context.output == nullptr) return;
  const std::string why = context.devices != nullptr ? ": " + context.devices->reasons() : "";
  const std::string text = "device=\"auto\" finds no GPU: the processor computes everything" + why;
  if (context.warned.insert(text).second) context.output->warn(text);
}

CompileRequest device_request(ops::Context& context, const ops::Call& call) {
  const Value& device = call.args[1];
  if (device.is_none()) return {};
  if (!device.is(ObjectKind::string))
    ops::fail_attribute(call, 1, "\"cpu\", \"gpu\", \"auto\" or the name of a device");
  const std::string& name = device.string().text;
  if (name == "cpu") return {};
  CompileRequest request{.automatic = name == "auto"};
  if (context.devices == nullptr && !request.automatic)
    fail(message("device_unknown"), {name, "this session can use only the processor"}, {{1, ""}});
  if (context.devices != nullptr)
    request.device = request.automatic ? context.devices->first() : &context.devices->find(name, 1);
  if (request.device == nullptr) warn_of_no_device(context);
  return request;
}

Precision precision_of(const ops::Call& call) {
  const Value& given = call.args[3];
  if (given.is_none()) return Precision::full;
  const std::string name = given.is(ObjectKind::string) ? given.string().text : "";
  if (name == "tf32") return Precision::tf32;
  if (name == "bf16") return Precision::bf16;
  ops::fail_attribute(call, 3, "\"tf32\" or \"bf16\"");
}

Value compile_eager(ops::Builder& builder, ops::Call& call) {
  const Value& function = call.args[0];
  if (!function.is(ObjectKind::function)) {
    fail(eval::row("compile_target"), {describe(function)}, {{0, "this is " + describe(function)}});
  }
  CompileRequest request = device_request(builder.context(), call);
  request.strict = ops::flag_argument(call, 2);
  request.precision = precision_of(call);
  Compiler* compiler = builder.context().compiler;
  return compiler != nullptr ? compiler->compile(function, request) : function;
}

Value explain_eager(ops::Builder& builder, ops::Call& call) {
  const Value& function = call.args[0];
  if (!function.is(ObjectKind::function)) ops::fail_attribute(call, 0, "a function");
  Compiler* compiler = builder.context().compiler;
  const ExplainRequest request{.detail = ops::flag_argument(call, 1), .measure = ops::flag_argument(call, 2)};
  return make_string(compiler != nullptr ? compiler->explain(function, request) : told_without_compiler());
}

// A number that stands in the brackets, or the numbers of a list or tuple that is spread there.
std::optional<std::span<const Value>> numbers_in(const Value& part, bool spread) {
  if (!spread) return part.is_scalar() ? std::optional(std::span(&part, 1)) : std::nullopt;
  if (!part.is(ObjectKind::list) && !part.is(ObjectKind::tuple)) return std::nullopt;
  const std::vector<Value>& items = *children(part);
  const bool one_kind = part.is(ObjectKind::list) && part.list().of_one_kind();
  const bool numbers = one_kind ? items[0].is_scalar() : ops::all_numbers(items);
  return numbers ? std::optional(std::span(items)) : std::nullopt;
}

Value spread_brackets(ops::Builder& builder, ops::Call& call) {
  std::vector<std::span<const Value>> rows;
  size_t count = 0;
  for (size_t i = 0; i + 1 < call.rest.size(); i += 2) {
    const auto numbers = numbers_in(call.rest[i + 1], call.rest[i].boolean());
    if (!numbers) break;
    rows.push_back(*numbers);
    count += numbers->size();
  }
  if (count > 0 && 2 * rows.size() == call.rest.size()) return ops::tensor_of_numbers(builder.pool(), rows);
  std::vector<Value> items = ops::spread_items(builder, call);
  return ops::make_literal(builder, items);
}

}  // namespace

const ops::Entry& spread_brackets_entry() {
  static const ops::Entry entry{
      .name = "spread_brackets",
      .doc = "[*a, b]: as brackets of all items.",
      .parameters = {{.name = "parts", .kind = ops::ParameterKind::any, .required = false}},
      .variadic = true,
      .eager = spread_brackets,
      .derivative = ops::Derivative::of_parts(),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = ops::Staging::structural,
  };
  return entry;
}

std::span<const ops::Entry* const> engine_entries() {
  using Kind = ops::ParameterKind;
  static const ops::Entry compile{
      .name = "compile",
      .doc =
          "The same function, to be compiled when it is first called.\n\n"
          "`compile(f)` means what `f` means, with the same results, errors and prints; only the speed "
          "changes. Code is made at the first call for each combination of argument types; it serves all sizes. "
          "`strict=true` makes it an error where a part would be left to the interpreter (`explain(f)` names such "
          "parts). With `device` its kernels run on a GPU: \"gpu\", \"gpu:1\" or a name that `devices()` gives; "
          "\"auto\" where there is one and the work outweighs the transfers; \"cpu\" is the processor. "
          "`precision=\"tf32\"` or `\"bf16\"` lets a GPU's tensor cores multiply matrices of f32 and of half precision "
          "with "
          "factors of that many digits, by cuBLASLt: faster, and not the processor's bits; where there are none, "
          "nothing changes.",
      .parameters = {{"f", Kind::any},
                     {"device", Kind::any, false, Value()},
                     {"strict", Kind::any, false, Value(false)},
                     {"precision", Kind::any, false, Value()}},
      .eager = compile_eager,
      .derivative = ops::Derivative::none("gives a function"),
      .staging = ops::Staging::structural,
      .example = R"(f = compile(x -> sum(x^2))
print(f([1.0, 2.0]), f(ones(10, 10)))  # expect: 5.0 100.0)",
  };
  static const ops::Entry explain{
      .name = "explain",
      .doc =
          "What the compiler made of a function.\n\n"
          "`explain(f)` gives a text of three lines: how many of the function's statements are compiled, and which "
          "loops are left to the interpreter; the line of the program that costs the most; and what to do about it. "
          "Times are estimates, at the sizes of the first call. Where f has been compiled for several combinations "
          "of argument types, a line for each follows.\n\n"
          "`detail=true` says all, in the compiler's words: for each combination what compiling took, the kernels, "
          "and what the interpreter does, with the reason. `measure=true` lets the code measure itself from then on: "
          "the second line is then that of the line that has taken the longest. With both, each kernel, loop and "
          "library call says how often it has run, how long it takes, and which share that is of what this machine "
          "can do (its roofline).",
      .parameters = {{"f", Kind::any},
                     {"detail", Kind::any, false, Value(false)},
                     {"measure", Kind::any, false, Value(false)}},
      .eager = explain_eager,
      .derivative = ops::Derivative::none("gives a text"),
      .example = R"(@compile
fn f(x) = sum(exp(x) * 2)
f([1.0, 2.0])
print(len(explain(f)) > 0)  # expect: true)",
  };
  static const ops::Entry* const entries[] = {&compile, &explain};
  return entries;
}

}  // namespace covec
