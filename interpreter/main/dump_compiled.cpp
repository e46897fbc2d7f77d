#include "interpreter/main/dump_compiled.hpp"

#include <algorithm>

#include "interpreter/eval/closure.hpp"
#include "interpreter/session/session.hpp"
#include "jit/loops/build.hpp"
#include "jit/lower/lower.hpp"
#include "jit/source/c99.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

namespace {

[[noreturn]] void fail_at(Span span, std::string_view code, std::string message, std::string hint = {}) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  if (span.known()) diagnostic.labels.push_back({span, ""});
  diagnostic.hint = std::move(hint);
  throw CovecError(std::move(diagnostic));
}

const core::Function& function_named(Session& session, const std::string& name) {
  const Value* value = session.find_global(name);
  const auto* closure = value != nullptr && value->is(ObjectKind::function) ? dynamic_cast<const Closure*>(&value->function()) : nullptr;
  if (closure == nullptr) fail_at({}, "dump_function", "the file defines no function '" + name + "'");
  return closure->function;
}

Dtype dtype_named(std::string_view name) {
  for (Dtype dtype : {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64}) {
    if (name_of(dtype) == name) return dtype;
  }
  fail_at({}, "dump_types", "'" + std::string(name) + "' is no dtype: bool i32 i64 f32 f64");
}

// "f32[_, _], f64": dtype, then as many dimensions as the rank.
std::vector<ir::ParameterType> parse_types(const std::string& text) {
  std::vector<ir::ParameterType> types;
  std::string name;
  int depth = 0;
  unsigned rank = 0;
  const auto finish = [&] {
    types.push_back({dtype_named(name), rank});
    name.clear();
    rank = 0;
  };
  for (char c : text) {
    if (c == '[') rank = 1, ++depth;
    else if (c == ']') --depth;
    else if (c == ',' && depth > 0) ++rank;
    else if (c == ',') finish();
    else if (c != ' ' && depth == 0) name += c;
  }
  if (!name.empty()) finish();
  return types;
}

std::vector<ir::ParameterType> annotated_types(const core::Function& function) {
  std::vector<ir::ParameterType> types;
  for (const core::Parameter& parameter : function.parameters) {
    const core::Annotation* annotation = parameter.annotation;
    const auto* first = annotation == nullptr ? nullptr : annotation->dims.data();
    const bool open = annotation != nullptr && std::any_of(first, first + annotation->dims.size(), [](const auto& dim) {
      return dim.kind == core::DimAnnotation::Kind::ellipsis;
    });
    if (annotation == nullptr || annotation->kind != core::Annotation::Kind::tensor || open) {
      fail_at(parameter.span, "dump_types", "the type of '" + std::string(parameter.name) + "' is not known",
              "annotate it, or give --types 'f64[_, _], f64'");
    }
    types.push_back({dtype_named(annotation->dtype), static_cast<unsigned>(annotation->dims.size())});
  }
  return types;
}

}  // namespace

std::string dump_compiled(Session& session, const std::string& stage, const std::string& name, const std::string& types) {
  const core::Function& function = function_named(session, name);
  const auto parameters = types.empty() ? annotated_types(function) : parse_types(types);
  if (parameters.size() != function.parameters.size()) {
    fail_at(function.name_span, "dump_types", "--types gives " + std::to_string(parameters.size()) + " types, the function has " +
                                                  std::to_string(function.parameters.size()) + " parameters");
  }
  try {
    const ir::Graph graph = ir::lower(function, parameters, session.context());
    if (stage == "ir") return ir::print(graph);
    const loops::Program program = loops::build(graph);
    if (stage == "loops") return loops::print(program);
    return source::c99_prelude() + source::c99(program, graph.name);
  } catch (const ir::NotLowered& refused) {
    fail_at(refused.span, "not_lowered", "'" + name + "' is not compiled: " + refused.reason,
            "it runs in the interpreter, with the same results");
  } catch (const OpError& error) {
    fail_at(function.name_span, error.code, error.message, error.hint);
  }
}

}  // namespace covec
