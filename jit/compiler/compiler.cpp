#include "jit/compiler/compiler.hpp"

#include "jit/compiler/explain.hpp"

namespace covec {

std::unique_ptr<Compiler> make_compiler(Session& session) { return std::make_unique<jit::JitCompiler>(session); }

}  // namespace covec

namespace covec::jit {

JitCompiler::JitCompiler(Session& session) : session_(session), parts_(session) { parts_.context.compiler = this; }

JitCompiler::~JitCompiler() { parts_.context.compiler = nullptr; }

Value JitCompiler::compile(const Value& function, const CompileRequest& request) {
  if (function.function().entry() != nullptr) return function;
  if (is_compiled(function)) {
    const auto& compiled = static_cast<const Compiled&>(function.function());
    CompileRequest both = request;
    both.strict = request.strict || compiled.request().strict;
    if (both.device == nullptr && !both.automatic) both.device = compiled.request().device;
    if (both.precision == Precision::full) both.precision = compiled.request().precision;
    if (both == compiled.request()) return function;
    return Value::adopt(new Compiled(parts_.calls, compiled.function(), both));
  }
  if (!__builtin_cpu_supports("avx2") && parts_.context.output != nullptr &&
      parts_.context.warned.insert("no AVX2").second) {
    parts_.context.output->warn("this processor has no AVX2: compiled functions run eagerly, with the same results");
  }
  return Value::adopt(new Compiled(parts_.calls, function, request));
}

bool JitCompiler::is_compiled(const Value& function) const {
  return function.is(ObjectKind::function) && function.function().callable_kind == CallableKind::compiled;
}

std::string JitCompiler::explain(const Value& function, const ExplainRequest& request) {
  const bool compiled = is_compiled(function);
  if (!compiled && !compiles_all()) return unmarked(function);
  const Value& body = compiled ? static_cast<const Compiled&>(function.function()).function() : function;
  if (request.measure) {
    if (!roofline_) roofline_.emplace(parts_.host.eager());
    if (compiled) static_cast<Compiled&>(function.function()).measure();
    measure(parts_.table, body);
  }
  return jit::explain(parts_.host, parts_.walker, parts_.table, body, parts_.specializer.gave_up_on(body),
                      {request.detail, request.measure ? &*roofline_ : nullptr});
}

}  // namespace covec::jit
