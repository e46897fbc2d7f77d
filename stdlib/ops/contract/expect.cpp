#include "stdlib/ops/contract/expect.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

// --- sequences that must increase ---

void require_ascending(std::span<const double> numbers, const std::string& function, const std::string& parameter,
                       int operand) {
  for (size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (numbers[i] <= numbers[i + 1]) continue;
    fail(message("bin_edges"), {function, parameter, repr_of(Value(numbers[i + 1])), repr_of(Value(numbers[i]))},
         {{operand, parameter + " is f64[" + std::to_string(numbers.size()) + "]"}});
  }
}

namespace {

Value expect_ascending_eager(Builder& builder, Call& call) {
  const Value numbers = contiguous(builder.pool(), call.args[0]);
  const Tensor& t = numbers.tensor();
  const int64_t count = t.dim(t.rank() - 1), rows = count == 0 ? 0 : t.size() / count;
  for (int64_t row = 0; row < rows; ++row) {
    require_ascending({t.as<double>() + row * count, static_cast<size_t>(count)}, call.args[1].string().text,
                      call.args[2].string().text, static_cast<int>(integer_argument(call, 3)));
  }
  return Value(true);
}

}  // namespace

const Entry& expect_ascending_entry() {
  static const Entry entry{
      .name = "expect_ascending",
      .doc = "Checks that numbers rise.",
      .parameters = {tensor_parameter("numbers"), attribute("function"), attribute("parameter"), attribute("operand")},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::boolean, {}};
          },
      .eager = expect_ascending_eager,
      .derivative = Derivative::none("checks"),
      .batch =
          [](Builder& builder, Call& call, const Batching& batching) {
            return broadcast_to(builder, ops::call(builder, call.entry, call.args), {batching.size});
          },
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

// --- elements ---

namespace {

Value expect_all_eager(Builder& builder, Call& call) {
  const Value holds = contiguous(builder.pool(), call.args[0]);
  const auto* const mask = static_cast<const uint8_t*>(data_of(holds));
  const int64_t count = shape_of(holds).elements(), at = std::find(mask, mask + count, 0) - mask;
  if (at == count) return Value(true);
  const auto text = [&](unsigned i) { return call.args[i].string().text; };
  const Value elements = flatten(builder, call.args[1]);
  const Value wrong = Steps(builder).take(elements, 0, Value(at));
  fail(message("bad_attribute"), {text(2), text(3), text(4), repr_of(wrong)});
}

Value expect_all_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i)
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  return broadcast_to(builder, ops::call(builder, call.entry, call.args), {batching.size});
}

}  // namespace

void expect_all(Steps& steps, const Value& holds, const Call& call, unsigned operand, std::string_view must_be,
                const Value& shown) {
  steps.call(expect_all_entry(),
             {constant_of(holds), constant_of(shown), make_string(shown_name(call.entry)),
              make_string(std::string(operand_name(call, operand))), make_string(std::string(must_be))});
}

const Entry& expect_all_entry() {
  static const Entry entry{.name = "expect_all",
                           .doc = "Checks elements for an operator that is made of others.",
                           .parameters = {tensor_parameter("holds"), tensor_parameter("shown"), attribute("function"),
                                          attribute("parameter"), attribute("must_be")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager = expect_all_eager,
                           .derivative = Derivative::none("checks"),
                           .batch = expect_all_batch,
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

// --- shapes ---

namespace {

[[noreturn]] void fail_fit(const std::string& function, const std::string& a, const std::string& b, int64_t m,
                           int64_t n) {
  fail(message("special_shapes"),
       {"take " + function + " of " + a + " and " + b, std::to_string(m), std::to_string(n)});
}

void expect_fit(Steps& steps, const Call& call, unsigned i, unsigned j) {
  const Shape a = logical_type(call.args[i]).shape, b = logical_type(call.args[j]).shape;
  const std::string function = shown_name(call.entry), of_a(operand_name(call, i)), of_b(operand_name(call, j));
  for (unsigned back = 1; back <= std::min(a.rank(), b.rank()); ++back) {
    const Dim m = a[a.rank() - back], n = b[b.rank() - back];
    const Fit how = fit(m, n);
    if (how == Fit::fails) fail_fit(function, of_a, of_b, m.number(), n.number());
    if (how == Fit::unknown) {
      steps.call(expect_fit_entry(), {steps.builder().extent(m), steps.builder().extent(n), make_string(function),
                                      make_string(of_a), make_string(of_b)});
    }
  }
}

}  // namespace

void expect_broadcast(Steps& steps, const Call& call, unsigned operands) {
  for (unsigned j = 1; j < operands; ++j) {
    for (unsigned i = 0; i < j; ++i) expect_fit(steps, call, i, j);
  }
}

const Entry& expect_fit_entry() {
  static const Entry entry{.name = "expect_fit",
                           .doc = "Checks that two extents broadcast, for an operator that is made of others.",
                           .parameters = {tensor_parameter("m"), tensor_parameter("n"), attribute("function"),
                                          attribute("a"), attribute("b")},
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 const int64_t m = integer_argument(call, 0), n = integer_argument(call, 1);
                                 const auto text = [&](unsigned i) { return call.args[i].string().text; };
                                 if (fit(Dim(m), Dim(n)) == Fit::fails) fail_fit(text(2), text(3), text(4), m, n);
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

}  // namespace covec::ops
