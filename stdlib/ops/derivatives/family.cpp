// The transformations as builtins of the language. Each takes a function and gives another.
#include <algorithm>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/safe_substitute.hpp"
#include "stdlib/autodiff/split.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/derivatives/captures.hpp"
#include "stdlib/ops/derivatives/check_grad.hpp"
#include "stdlib/ops/derivatives/debug.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/draw_for_examples.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/derivatives/jacobian.hpp"
#include "stdlib/ops/derivatives/part_items.hpp"
#include "stdlib/ops/derivatives/rules_of_functions.hpp"
#include "stdlib/ops/derivatives/sparse_plan.hpp"
#include "stdlib/ops/derivatives/vmap.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using namespace covec::autodiff;  // NOLINT: this file is its face in the language

constexpr Effects calls{.may_fail = true, .calls = true};
const char* const is_a_transformation = "transforms functions";

Parameter function_parameter() { return Parameter{"f", ParameterKind::any}; }
// A fallback is never an object: entries are shared by sessions on several threads, and counts are not atomic.
Parameter option(std::string_view name, Value fallback, ParameterKind kind = ParameterKind::attribute) {
  return Parameter{name, kind, false, std::move(fallback)};
}

Value grad_with(Builder& builder, std::string_view transform, bool with_value, Call& call) {
  const Value& f = function_argument(transform, call.args[0]);
  GradOptions options;
  options.wrt = parameters_of(transform, "wrt", f.function(), call.args[1]);
  options.has_aux = flag_argument(call, 2);
  options.ieee = choice(transform, "zero", call.args[3], {"zero", "ieee"}) == 1;
  options.debug = flag_argument(call, 4);
  options.memory = memory_amount(transform, call.args[5]);
  options.with_value = with_value;
  options.holomorphic = flag_argument(call, 6);
  return like_function(builder, f, make_grad(transform, f, std::move(options)));
}

// The parameters that `wrt` and `local` name together, in that order.
Value grad_of_all_ranks(Builder& builder, std::string_view transform, bool with_value, Call& call) {
  const Value& f = function_argument(transform, call.args[0]);
  GradOptions options;
  options.wrt = parameters_of(transform, "wrt", f.function(), call.args[1]);
  options.local.emplace();
  if (!call.args[2].is_none()) options.local = parameters_of(transform, "local", f.function(), call.args[2]).numbers;
  for (const size_t number : *options.local) {
    std::vector<size_t>& all = options.wrt.numbers;
    if (std::ranges::find(all, number) != all.end()) continue;
    all.push_back(number);
    options.wrt.tuple = true;
  }
  options.with_value = with_value;
  return like_function(builder, f, make_grad(transform, f, std::move(options)));
}

std::vector<Parameter> parameters_of_all_ranks() {
  return {function_parameter(), option("wrt", int64_t{0}, ParameterKind::any),
          option("local", Value(), ParameterKind::any)};
}

const Entry& parallel_grad_entry() {
  static const Entry entry{
      .name = "_parallel_grad",
      .doc = "The gradient of a function of all ranks.",
      .parameters = parameters_of_all_ranks(),
      .eager = [](Builder& b, Call& call) { return grad_of_all_ranks(b, "parallel.grad", false, call); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .internal = true,
      .staging = Staging::structural,
      .part_of = "parallel.grad",
  };
  return entry;
}

const Entry& parallel_value_and_grad_entry() {
  static const Entry entry{
      .name = "_parallel_value_and_grad",
      .doc = "The result of a function of all ranks, and its gradient.",
      .parameters = parameters_of_all_ranks(),
      .eager = [](Builder& b, Call& call) { return grad_of_all_ranks(b, "parallel.value_and_grad", true, call); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .internal = true,
      .staging = Staging::structural,
      .part_of = "parallel.value_and_grad",
  };
  return entry;
}

std::vector<Parameter> grad_parameters() {
  return {function_parameter(),        option("wrt", int64_t{0}, ParameterKind::any),
          option("has_aux", false),    option("zero", Value()),
          option("debug", false),      option("memory", Value()),
          option("holomorphic", false)};
}

const Entry& grad_entry() {
  static const Entry entry{
      .name = "grad",
      .doc =
          "The gradient of a function with a scalar result.\n\n"
          "`grad(f, wrt=0)` is a function with f's parameters. It gives the derivative of f's "
          "result by one parameter (a number "
          "or a name), in the tree of that parameter, or by several (a tuple of them). "
          "`has_aux=true` differentiates the first of "
          "f's results and hands the rest through. `zero=\"ieee\"` multiplies zero cotangents "
          "like other numbers; `debug=true` "
          "stops where a NaN or infinite gradient arises (`debug(grad(f))` finds those of values, too). `memory=\"200 "
          "MB\"` bounds what is kept of loops: parts of "
          "them run a second time, with the same bits. By a complex number x + iy it is ∂f/∂x + i·∂f/∂y; "
          "`holomorphic=true` gives f'(z) of a complex result. Leaves that are no floats give `none`: write 0.0, not "
          "0, "
          "for a number that is to be learned.",
      .parameters = grad_parameters(),
      .eager = [](Builder& b, Call& call) { return grad_with(b, "grad", false, call); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(fn loss(p, x) = sum((p.w * x + p.b)^2)
p = {w: 2.0, b: 1.0}
print(grad(loss)(p, [1.0, 2.0]))  # expect: {w: 26.0, b: 16.0}
print(grad((x, y) -> x^2 * y, wrt=(0, 1))(3.0, 5.0))  # expect: (30.0, 9.0)
print(grad(grad(x -> x^3))(2.0))  # expect: 12.0)",
  };
  return entry;
}

const Entry& value_and_grad_entry() {
  static const Entry entry{
      .name = "value_and_grad",
      .doc =
          "A function's result and its gradient in one pass: `(value, gradient)`.\n\nOptions are those of `grad`; with "
          "`has_aux=true` it gives `((value, aux), gradient)`.",
      .parameters = grad_parameters(),
      .eager = [](Builder& b, Call& call) { return grad_with(b, "value_and_grad", true, call); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(print(value_and_grad(x -> sum(x^2))([1.0, 2.0]))  # expect: (5.0, [2.0, 4.0]))",
  };
  return entry;
}

const Entry& jacobian_entry() {
  static const Entry entry{
      .name = "jacobian",
      .doc =
          "All derivatives of all results.\n\n"
          "`jacobian(f, wrt=0, mode=\"auto\")` is a function with f's parameters that gives the tree of f's results, "
          "each leaf "
          "replaced by the tree of the parameter, of shape result.shape + parameter.shape. `mode` is \"auto\", "
          "\"forward\" or "
          "\"reverse\"; it is one vectorized pass either way.\n\n"
          "`sparse=true` gives one sparse matrix (module `sparse`) of all derivatives, by few products: rows are the "
          "result's floats, columns the parameter's, in the order of `tree_vector`. `sparse=P`, a sparse matrix, says "
          "where it has entries; one that P lacks is an error, unless `check=false`.",
      .parameters = {function_parameter(), option("wrt", int64_t{0}, ParameterKind::any), option("mode", Value()),
                     option("sparse", false, ParameterKind::any), option("check", true)},
      .eager =
          [](Builder& b, Call& call) {
            const Value& f = function_argument("jacobian", call.args[0]);
            const auto mode =
                static_cast<JacobianMode>(choice("jacobian", "mode", call.args[2], {"auto", "forward", "reverse"}));
            Parameters wrt = parameters_of("jacobian", "wrt", f.function(), call.args[1]);
            if (wants_dense("jacobian", call.args[3]))
              return like_function(b, f, make_jacobian("jacobian", f, std::move(wrt), mode));
            return sparse_jacobian(b, f, std::move(wrt), mode, call.args[3], flag_argument(call, 4));
          },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(print(jacobian(x -> [x[0] * x[1], x[0] + x[1]])([2.0, 3.0]))
# expect: [[3.0, 2.0],
# expect:  [1.0, 1.0]])",
  };
  return entry;
}

const Entry& hessian_entry() {
  static const Entry entry{
      .name = "hessian",
      .doc =
          "All second derivatives of a function with a scalar result.\n\nForward over reverse: the Jacobian of the "
          "gradient.\n\n`sparse=true` and `sparse=P` are those of `jacobian`; the matrix has both triangles.",
      .parameters = {function_parameter(), option("wrt", int64_t{0}, ParameterKind::any),
                     option("sparse", false, ParameterKind::any), option("check", true)},
      .eager =
          [](Builder& b, Call& call) {
            const Value& f = function_argument("hessian", call.args[0]);
            Parameters wrt = parameters_of("hessian", "wrt", f.function(), call.args[1]);
            if (wants_dense("hessian", call.args[2])) return like_function(b, f, make_hessian(f, std::move(wrt)));
            return sparse_hessian(b, f, std::move(wrt), call.args[2], flag_argument(call, 3));
          },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(print(hessian(x -> x[0]^2 * x[1])([2.0, 3.0]))
# expect: [[6.0, 4.0],
# expect:  [4.0, 0.0]])",
  };
  return entry;
}

const Entry& jvp_entry() {
  static const Entry entry{
      .name = "jvp",
      .doc =
          "A function's value and its derivative along a tangent: `(value, tangent)`.\n\n"
          "`jvp(f, primals, tangents)`: the primals are a tuple of f's arguments, or its one "
          "argument bare; the tangents have "
          "their tree. `none` stands for a zero tangent.",
      .parameters = {function_parameter(), Parameter{"primals", ParameterKind::any},
                     Parameter{"tangents", ParameterKind::any}},
      .eager =
          [](Builder& b, Call& call) {
            return autodiff::jvp(b, function_argument("jvp", call.args[0]), call.args[1], call.args[2]);
          },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(print(jvp((x, y) -> x * y, (2.0, 3.0), (1.0, 0.0)))  # expect: (6.0, 3.0))",
  };
  return entry;
}

const Entry& vjp_entry() {
  static const Entry entry{
      .name = "vjp",
      .doc =
          "A function's result and its pullback: `(result, pullback)`.\n\n"
          "The pullback takes a cotangent in the tree of the result and gives one per argument (bare where there is "
          "one). It may "
          "be called any number of times.",
      .parameters = {function_parameter(), Parameter{"primals", ParameterKind::any}},
      .eager = [](Builder& b,
                  Call& call) { return autodiff::vjp(b, function_argument("vjp", call.args[0]), call.args[1]); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(y, pullback = vjp((a, b) -> a * b, ([1.0, 2.0], [3.0, 4.0]))
print(y, pullback([1.0, 1.0]))  # expect: [3.0, 8.0] ([3.0, 4.0], [1.0, 2.0]))",
  };
  return entry;
}

const Entry& vmap_entry() {
  static const Entry entry{
      .name = "vmap",
      .doc =
          "A function applied to many examples at once.\n\n"
          "`vmap(f, in_axes=0)` means `stack` of f over the examples. `in_axes` says which axis "
          "of the arguments counts them: a "
          "number for all, the name of the one parameter that is batched, or a tuple with a "
          "number, `none` (the same for all "
          "examples) or a tree of them for each parameter, or of names.\n\nWhere an `if` or `while` asks about an "
          "example's own value, an eager `vmap` runs the examples one by one; `compile(vmap(f))`, or `where` in place "
          "of the `if`, runs them together.",
      .parameters = {function_parameter(), option("in_axes", int64_t{0}, ParameterKind::any)},
      .eager =
          [](Builder& b, Call& call) {
            const Value& f = function_argument("vmap", call.args[0]);
            return like_function(b, f, make_vmap(f, call.args[1]));
          },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(fn distance(a, b) = sqrt(sum((a - b)^2))
points = [[0.0, 0.0], [3.0, 4.0]]
print(vmap(distance)(points, points + 1))  # expect: [1.4142136, 1.4142136]
print(vmap(distance, in_axes=(0, none))(points, [3.0, 4.0]))  # expect: [5.0, 0.0])",
  };
  return entry;
}

const Entry& stop_gradient_entry() {
  static const Entry entry{
      .name = "stop_gradient",
      .doc = "A constant to derivatives.\n\n`stop_gradient(x)` is x, leaf by leaf, but no derivative flows through it.",
      .parameters = {Parameter{"x", ParameterKind::any}},
      .eager = [](Builder& b, Call& call) { return stopped(with_replayed_pullbacks(b.context(), call.args[0])); },
      .derivative = Derivative::none("stops derivatives"),
      .staging = Staging::structural,
      .example = R"(print(grad(x -> x * stop_gradient(x))(3.0))  # expect: 3.0)",
  };
  return entry;
}

// For the modules written in Covec: what chooses its own steps has to know whether they will be differentiated. The
// answer is known when code is staged, so code is made for it.
const Entry& is_active_entry() {
  static const Entry entry{
      .name = "_is_active",
      .doc =
          "Whether a derivative follows a value.\n\n"
          "`_is_active(x)` is true where an open derivative, of either mode, follows any leaf of x, those that its "
          "functions have captured included.",
      .parameters = {Parameter{"x", ParameterKind::any}},
      .eager =
          [](Builder& b, Call& call) {
            return Value(is_active(b.context(), with_replayed_pullbacks(b.context(), call.args[0])));
          },
      .derivative = Derivative::none("gives a bool"),
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& checkpoint_entry() {
  static const Entry entry{
      .name = "checkpoint",
      .doc =
          "Recompute instead of store.\n\n"
          "`checkpoint(f)` is f, but a gradient through it keeps only its arguments, and runs it again in the reverse "
          "sweep "
          "(random numbers are replayed; prints, files and the clock come once).",
      .parameters = {function_parameter()},
      .eager = [](Builder&, Call& call) { return make_checkpoint(function_argument("checkpoint", call.args[0])); },
      .derivative = Derivative::none(is_a_transformation),
      .effects = calls,
      .staging = Staging::structural,
      .example = R"(print(grad(checkpoint(x -> sum(exp(x)^2)))([0.0, 1.0]))  # expect: [2.0, 14.778112])",
  };
  return entry;
}

const Entry& check_grad_entry() {
  static const Entry entry{
      .name = "check_grad",
      .doc =
          "A function's derivative against finite differences.\n\n"
          "`check_grad(f, args…)` gives the worst leaf's error: the largest difference between the derivative and "
          "central "
          "differences, relative to the leaf's largest derivative. Every float leaf of every argument is varied, and f "
          "may give any tree. For smooth functions in f64 it is below 1e-8. Of a difference that the error of the "
          "differences themselves explains, 1e-8 is shown at most. `holomorphic=true`, for complex arguments "
          "and results, checks the equations of Cauchy and Riemann too, without which `grad(f, holomorphic=true)` "
          "means "
          "nothing.",
      .parameters = {function_parameter(), Parameter{"args", ParameterKind::any, false}, option("holomorphic", false)},
      .variadic = true,
      .variadic_at = 1,
      .eager =
          [](Builder& b, Call& call) {
            const Value& f = function_argument("check_grad", call.args[0]);
            return Value(autodiff::check_grad(b, f, call.rest, flag_argument(call, 2)));
          },
      .derivative = Derivative::none("is a check"),
      .effects = calls,
      .example = R"(print(check_grad(x -> sum(sin(x)), [1.0, 2.0]) < 1e-6)  # expect: true)",
  };
  return entry;
}

}  // namespace

Family derivatives_family() {
  static const Entry* const entries[] = {&grad_entry(),
                                         &value_and_grad_entry(),
                                         &parallel_grad_entry(),
                                         &parallel_value_and_grad_entry(),
                                         &active_part_sum_entry(),
                                         &jacobian_entry(),
                                         &hessian_entry(),
                                         &jvp_entry(),
                                         &vjp_entry(),
                                         &vmap_entry(),
                                         &stop_gradient_entry(),
                                         &is_active_entry(),
                                         &active_captures_entry(),
                                         &captures_entry(),
                                         &is_differentiated_entry(),
                                         &receives_entry(),
                                         &floats_entry(),
                                         &with_floats_entry(),
                                         &tree_sum_entry(),
                                         &with_captures_entry(),
                                         &checkpoint_entry(),
                                         &plan_due_entry(),
                                         &plan_miss_entry(),
                                         &plan_explain_entry(),
                                         &plan_extent_entry(),
                                         &plan_same_entry(),
                                         &sparse_prepare_entry(),
                                         &check_grad_entry(),
                                         &debug_entry(),
                                         &unless_zero_entry(),
                                         &ops::draw_for_examples_entry(),
                                         &sparse_pattern_entry(),
                                         &sparse_reasons_entry(),
                                         &autodiff::split_entry(),
                                         &autodiff::split_parts_entry()};
  return entries;
}

}  // namespace covec::ops
