#include "stdlib/ops/contract/ascending.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

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

}  // namespace covec::ops
