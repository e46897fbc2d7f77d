// `covec dump`: compiles one function for given types and shows one stage of it. The types become example arguments (a
// number; a tensor of extents 2), which staging looks at for their dtypes and ranks only. Start at dump_compiled().
#include "jit/compiler/dump.hpp"

#include <cstring>
#include <stdexcept>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/compiler.hpp"
#include "jit/compiler/stage.hpp"
#include "jit/runtime/device_code.hpp"
#include "jit/simd/compile.hpp"
#include "jit/source/c99.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

[[noreturn]] void fail_at(Span span, std::string_view code, std::string message, std::string hint = {}) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  if (span.known()) diagnostic.labels.push_back({span, ""});
  diagnostic.hint = std::move(hint);
  throw CovecError(std::move(diagnostic));
}

// --- example arguments ---

Dtype dtype_named(std::string_view name, Span span) {
  for (const Dtype dtype : all_dtypes) {
    if (name_of(dtype) == name) return dtype;
  }
  fail_at(span, "dump_types", "'" + std::string(name) + "' is no dtype: bool i32 i64 f16 bf16 f32 f64",
          span.known() ? "say which with --types 'f64[_, _], f64'" : "");
}

Value example(Pool& pool, Dtype dtype, size_t rank, Span span) {
  const uint64_t zero = 0;
  if (rank == 0) return Value::scalar(dtype, &zero);
  if (rank > max_rank) fail_at(span, "dump_types", "a tensor has at most 16 axes");
  const int64_t extents[max_rank] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  return make_tensor(pool, dtype, Shape(extents, static_cast<unsigned>(rank)));
}

Value example_record(std::vector<std::string> names, std::vector<Value> items) {
  auto layout = std::make_shared<RecordLayout>();
  layout->names = std::move(names);
  return make_record(std::move(layout), std::move(items));
}

// "f32[_, _], {w: f64[_], b: f64}, (i64, i64)".
class TypesText {
 public:
  TypesText(Pool& pool, std::string_view text) : pool_(pool), rest_(text) {}

  std::vector<Value> all() {
    std::vector<Value> values;
    if (!at_end()) values = list('\0');
    return values;
  }

 private:
  [[noreturn]] void fail() {
    const std::string where =
        at_end() ? "the types end too early" : "the types are not understood from '" + std::string(rest_) + "' on";
    fail_at({}, "dump_types", where, "they are written like 'f64[_, _], f64' or '{w: f32[_], b: f32}, i64'");
  }
  bool at_end() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return rest_.empty();
  }
  bool take(char c) {
    if (at_end() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    at_end();
    size_t length = 0;
    while (length < rest_.size() && std::strchr(" ,:[](){}", rest_[length]) == nullptr) ++length;
    const std::string_view found = rest_.substr(0, length);
    if (found.empty()) fail();
    rest_.remove_prefix(length);
    return found;
  }
  std::vector<Value> list(char close) {
    std::vector<Value> values;
    do values.push_back(type());
    while (take(','));
    if (close == '\0' ? !at_end() : !take(close)) fail();
    return values;
  }
  Value record() {
    std::vector<std::string> names;
    std::vector<Value> items;
    do {
      names.emplace_back(word());
      if (!take(':')) fail();
      items.push_back(type());
    } while (take(','));
    if (!take('}')) fail();
    return example_record(std::move(names), std::move(items));
  }
  Value type() {
    if (take('{')) return record();
    if (take('(')) return make_tuple(list(')'));
    const Dtype dtype = dtype_named(word(), {});
    size_t rank = 0;
    if (take('[')) {
      do {
        word();
        ++rank;
      } while (take(','));
      if (!take(']')) fail();
    }
    return example(pool_, dtype, rank, {});
  }

  Pool& pool_;
  std::string_view rest_;
};

Value annotated(Pool& pool, const core::Parameter& parameter, const core::Annotation* annotation) {
  bool known = annotation != nullptr;
  if (known && annotation->kind == core::Annotation::Kind::record) {
    std::vector<Value> items;
    for (const core::Annotation* field : annotation->fields) items.push_back(annotated(pool, parameter, field));
    return example_record({annotation->names.begin(), annotation->names.end()}, std::move(items));
  }
  for (size_t i = 0; known && i < annotation->dims.size(); ++i) {
    known = annotation->dims[i].kind != core::DimAnnotation::Kind::ellipsis;
  }
  if (!known || annotation->dtype == "any") {
    fail_at(parameter.span, "dump_types", "the type of '" + std::string(parameter.name) + "' is not known",
            "annotate it, or give --types 'f64[_, _], f64'");
  }
  return example(pool, dtype_named(annotation->dtype, annotation->span), annotation->dims.size(), annotation->span);
}

std::vector<Value> example_arguments(Pool& pool, const Value& function, const std::string& types) {
  ClosureParts parts{};
  const bool is_closure = closure_parts(function.function(), parts);
  std::vector<Value> args;
  if (!types.empty()) {
    args = TypesText(pool, types).all();
  } else if (is_closure) {
    for (const core::Parameter& parameter : parts.function->parameters) {
      args.push_back(annotated(pool, parameter, parameter.annotation));
    }
  } else {
    fail_at({}, "dump_types", "the types of the parameters are not known", "give --types 'f64[_, _], f64'");
  }
  const size_t wanted = is_closure ? parts.function->parameters.size() : function.function().parameter_names().size();
  if (args.size() != wanted) {
    fail_at(is_closure ? parts.function->name_span : Span(), "dump_types",
            "--types gives " + std::to_string(args.size()) + " types, the function has " + std::to_string(wanted) +
                " parameters");
  }
  return args;
}

// --- the stages ---

[[noreturn]] void not_compiled(const Value& function, const std::string& reason) {
  fail_at({}, "not_compiled", function.function().name() + " is not compiled: " + reason,
          "it runs in the interpreter, with the same results");
}

std::string text_of(const Code& code, const std::string& stage) {
  const auto with_functions = [&](auto print) {
    std::string text = print(code);
    for (const Code& function : code.functions) text += "\n" + print(function);
    return text;
  };
  if (stage == "opt") return with_functions([](const Code& each) { return ir::print(*each.graph); });
  if (stage == "loops") return with_functions([](const Code& each) { return loops::print(each.plan->program); });
  if (stage == "opencl") return runtime::device_text(*code.plan, device::Dialect::opencl);
  if (stage == "cuda") return runtime::device_text(*code.plan, device::Dialect::cuda);
  return stage == "c" ? source::c99(code.plan->program) : code.machine->listing();
}

}  // namespace

std::string JitCompiler::dump(const Value& function, const std::string& wanted, const std::string& types) const {
  std::vector<Value> args = example_arguments(*context_.pool, function, types);
  PipelineOptions options = policy_.options;
  options.engine = BackEnd::simd;
  options.listing = wanted == "asm";
  options.dumps_device = wanted == "opencl" || wanted == "cuda";
  options.eager_kernels = options.eager_kernels && !options.dumps_device;  // the library's are the processor's
  Specialization made;
  try {
    std::unique_ptr<ir::Graph> graph = stage(context_, walker_, made, function, args, Signature());
    if (made.interpreted) not_compiled(function, made.reason);
    if (wanted == "ir") return ir::print(*graph);
    made.code = jit::compile(std::move(graph), options);
  } catch (const std::logic_error& bug) {
    fail_at({}, "internal", std::string("this is a bug in covec: the compiler: ") + bug.what());
  }
  if (wanted == "asm" && !made.code.runs()) not_compiled(function, no_machine_code);
  return text_of(made.code, wanted);
}

std::string dump_compiled(Compiler& compiler, const Value& function, const std::string& stage,
                          const std::string& types) {
  const Value* compiled = function.function().compiled_from();
  return static_cast<JitCompiler&>(compiler).dump(compiled != nullptr ? *compiled : function, stage, types);
}

}  // namespace covec::jit
