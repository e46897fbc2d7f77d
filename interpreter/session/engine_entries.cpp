// compile(f): until the compiler is joined to the interpreter, a compiled function is the function itself, which has
// the same meaning by definition.
#include "interpreter/session/engine_entries.hpp"

#include "interpreter/eval/messages.hpp"

namespace covec {

namespace {

Value compile_eager(ops::Builder&, ops::Call& call) {
  const Value& function = call.args[0];
  if (!function.is(ObjectKind::function)) {
    fail(eval::row("compile_target"), {describe(function)}, {{0, "this is " + describe(function)}});
  }
  return std::move(call.args[0]);
}

}  // namespace

std::span<const ops::Entry* const> engine_entries() {
  using Kind = ops::ParameterKind;
  static const ops::Entry compile{
      .name = "compile",
      .doc =
          "The same function, to be compiled when it is first called.\n\n"
          "`compile(f)` means what `f` means, with the same results, errors and prints. In this version it runs "
          "eagerly.",
      .parameters = {{"f", Kind::any},
                     {"device", Kind::any, false, Value()},
                     {"fastmath", Kind::any, false, Value(false)},
                     {"strict", Kind::any, false, Value(false)}},
      .eager = compile_eager,
      .derivative = ops::Derivative::none("gives a function"),
  };
  static const ops::Entry* const entries[] = {&compile};
  return entries;
}

}  // namespace covec
