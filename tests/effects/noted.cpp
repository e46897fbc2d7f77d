#include "tests/effects/noted.hpp"

#include <cmath>
#include <cstdio>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/error.hpp"

namespace covec::test {

namespace {

thread_local ops::Output* record = nullptr;
thread_local bool notes_cotangents = true;

double first_element(const Value& x) {
  double first = 0;
  if (shape_of(x).elements() > 0)
    with_element(dtype_of(x), [&]<class T>(T) { first = static_cast<double>(*static_cast<const T*>(data_of(x))); });
  return first;
}

Value write_down(ops::Builder& builder, ops::Call& call) {
  const Value x = call.args[0].is_tensor() ? contiguous(builder.pool(), call.args[0]) : call.args[0];
  const double first = first_element(x);
  char text[96];
  std::snprintf(text, sizeof text, "noted %s %.17g\n", type_of(x).text().c_str(), first);
  (record != nullptr ? record : builder.context().output)->write(text);
  if (std::fmod(std::abs(std::trunc(first)), 10) == 7) throw OpError{"value_seven", "a seven", {}, {}};
  return std::move(call.args[0]);
}

Value transposed(ops::RuleContext& rule, unsigned, const ops::Residuals&, const Value& cotangent) {
  return notes_cotangents ? rule.call(noted_entry(), {cotangent}) : cotangent;
}

Value all_at_once(ops::Builder& builder, ops::Call& call, const ops::Batching&) {
  return ops::call(builder, call.entry, call.args);
}

}  // namespace

void record_noted(ops::Output* output, bool cotangents) {
  record = output;
  notes_cotangents = cotangents;
}

const ops::Entry& noted_entry() {
  static const ops::Entry entry{
      .name = "noted",
      .doc = "x, which is written down.",
      .parameters = {{"x"}},
      .type = [](ops::ShapeBuilder&, const ops::Call& call) { return ops::operand_type(call, 0); },
      .eager = write_down,
      .derivative = ops::Derivative::linearly(1, transposed),
      .batch = all_at_once,
      .effects = {.may_fail = true, .outside = true},
  };
  return entry;
}

}  // namespace covec::test
