#include "jit/compiler/compiled.hpp"

#include "jit/compiler/compiler.hpp"

namespace covec::jit {

Compiled::Compiled(JitCompiler& compiler, Value function, CompileOptions options)
    : Callable(CallableKind::compiled), compiler_(compiler), function_(std::move(function)), options_(options) {}

Value Compiled::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  const bool plain = keywords.empty() && &builder == &compiler_.eager() && builder.context().batches.empty();
  if (!plain) return function_.function().call(builder, args, keywords);
  return compiler_.run(*this, args, last_);
}

Value Compiled::with_captures(std::vector<Value> values) const {
  return Value::adopt(new Compiled(compiler_, std::move(values.at(0)), options_));
}

}  // namespace covec::jit
