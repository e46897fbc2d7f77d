#include "jit/lower/graph/axes.hpp"

#include <functional>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/shape/compose.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

Value along(ops::Builder& builder, const ops::Call& call, size_t argument, int64_t axis) {
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  args[argument] = axis;
  return ops::call(builder, call.entry, args, rest, call.literals);
}

}  // namespace

// An axis that unsqueeze makes is none that its operand has.
std::optional<size_t> symbolic_axis(const ops::Call& call) {
  for (size_t i = 1; i < call.args.size(); ++i) {
    const ops::Parameter& parameter = call.entry.parameters[i];
    if (parameter.kind != ops::ParameterKind::attribute || parameter.name != "axis") continue;
    if (!ops::is_symbolic_integer(call.args[i]) || &call.entry == &ops::handles().unsqueeze) return {};
    if (!is_operand(call.args[0]) || logical_type(call.args[0]).shape.empty()) return {};
    return i;
  }
  return {};
}

Value at_each_axis(ops::Builder& builder, const ops::Call& call, size_t argument) {
  const int64_t rank = logical_type(call.args[0]).shape.rank();
  const Value axis = ops::call(builder, ops::expect_axis_entry(),
                               {call.args[argument], rank, make_string(ops::shown_name(call.entry)),
                                make_string(ops::hint_of_axis(call.entry))});
  const std::function<Value(int64_t)> from = [&](int64_t first) {
    if (first + 1 == rank) return along(builder, call, argument, first);
    const Value here = ops::call(builder, ops::handles().equal, {axis, Value(first)});
    return builder.choose(
        here, [&] { return along(builder, call, argument, first); }, [&] { return from(first + 1); });
  };
  return from(0);
}

}  // namespace covec::ir
