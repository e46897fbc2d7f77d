#include "jit/compiler/compiled.hpp"

#include <algorithm>
#include <iterator>

#include "jit/compiler/call_runner.hpp"

namespace covec::jit {

void LastCalls::add(Specialization& used, uint64_t now) {
  if (generation != now) {
    std::ranges::fill(known, nullptr);
    next = 0;
  }
  generation = now;
  made = &used;
  generic |= used.key.generic;
  Specialization** at = std::ranges::find(known, &used);
  if (at == std::end(known)) {
    at = &known[next];
    *at = &used;
    next = (next + 1) % most;
  }
  // Code for certain extents goes before code for any, which fits as well.
  if (used.key.takes_more) std::rotate(at, at + 1, std::ranges::find(known, nullptr));
}

Compiled::Compiled(CallRunner& calls, Value function, CompileRequest request)
    : Callable(CallableKind::compiled), calls_(calls), function_(std::move(function)), request_(request) {}

Value Compiled::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  Callable& body = function_.function();
  return takes_code(builder) ? body.call_code(*this, builder, args, keywords) : body.call(builder, args, keywords);
}

Value Compiled::call_bound(ops::Builder& builder, std::span<Value> args) {
  return takes_code(builder) ? calls_.run(*this, args, last_) : function_.function().call_bound(builder, args);
}

bool Compiled::takes_code(const ops::Builder& builder) const {
  return &builder == &calls_.eager() && builder.context().batches.empty();
}

Value Compiled::with_captures(std::vector<Value> values) const {
  return Value::adopt(new Compiled(calls_, std::move(values.at(0)), request_));
}

}  // namespace covec::jit
