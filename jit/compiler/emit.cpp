#include "jit/compiler/emit.hpp"

#include <set>
#include <stdexcept>

#include "frontend/resolve/core.hpp"
#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/compiler.hpp"
#include "jit/compiler/example_arguments.hpp"
#include "jit/compiler/stage.hpp"
#include "jit/source/c99.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

using emit::Port;
using loops::Operand;
using loops::Step;

// The leaves of a value with names: the argument's own, and the way to the leaf behind it.
void name_leaves(const Value& value, const std::string& name, std::vector<std::string>& names) {
  const std::vector<Value>* parts = children(value);
  if (parts == nullptr) {
    names.push_back(name);
    return;
  }
  for (size_t i = 0; i < parts->size(); ++i) {
    const std::string part = value.is(ObjectKind::record) ? value.record().layout->names[i] : std::to_string(i);
    name_leaves((*parts)[i], name + "_" + part, names);
  }
}

// No two parameters of the C function, and none of its variables, have one name.
class Names {
 public:
  std::string fresh(const std::string& wanted) {
    std::string name = source::c99_identifier(wanted);
    const bool like_a_variable = name.size() > 1 && std::string("nstipqrx").find(name[0]) != std::string::npos &&
                                 name.find_first_not_of("0123456789", 1) == std::string::npos;
    const size_t number = name.find_last_not_of("0123456789");
    const bool like_a_register = number != std::string::npos && number + 1 < name.size() && number > 0 &&
                                 name[number] == 'r' && name[number - 1] == '_';
    if (like_a_variable || like_a_register || is_reserved(name) || name.starts_with("covec_") ||
        ops::find_entry(name) != nullptr)
      name += "_";  // many builtins are functions of <math.h>
    std::string unique = name;
    for (int k = 2; !used_.insert(unique).second; ++k) unique = name + "_" + std::to_string(k);
    return unique;
  }

 private:
  static bool is_reserved(const std::string& name) {
    static const std::set<std::string> reserved = {
        "auto",     "break",    "case",      "char",     "const",    "continue", "default", "do",        "double",
        "else",     "enum",     "extern",    "float",    "for",      "goto",     "if",      "inline",    "int",
        "long",     "register", "restrict",  "return",   "short",    "signed",   "sizeof",  "static",    "struct",
        "switch",   "typedef",  "union",     "unsigned", "void",     "volatile", "while",   "bool",      "catch",
        "class",    "delete",   "explicit",  "export",   "false",    "friend",   "mutable", "namespace", "new",
        "operator", "private",  "protected", "public",   "template", "this",     "throw",   "true",      "try",
        "typename", "using",    "virtual",   "and",      "or",       "not",      "xor",     "asm",       "work",
        "scratch",  "at",       "j0",        "j1",       "y0",       "y1",       "jn",      "yn",        "signgam",
        "NAN",      "INFINITY"};
    return reserved.contains(name);
  }
  std::set<std::string> used_;
};

// What the function gives: the leaves of its result.
class Outputs {
 public:
  Outputs(const ir::Graph& graph, Names& names, std::vector<Port>& outputs)
      : graph_(graph), names_(names), outputs_(outputs) {}
  void add(const Value& value, const Operand& operand, const std::string& name) {
    if (operand.kind != Operand::Kind::slot) return add(value, operand.value, name);
    leaf(value, name).slot = operand.slot;
  }

 private:
  void add(const Value& value, const Value& in_plan, const std::string& name) {
    if (value.is_none()) return;  // what has no derivative
    const std::vector<Value>* parts = children(value);
    if (parts != nullptr) {
      for (size_t i = 0; i < parts->size(); ++i) {
        const std::string part = value.is(ObjectKind::record) ? value.record().layout->names[i] : std::to_string(i);
        add((*parts)[i], (*children(in_plan))[i], name + "_" + part);
      }
      return;
    }
    Port& port = leaf(value, name);
    if (in_plan.is_symbol())
      port.slot = ir::id_of(in_plan);
    else
      port.constant = &in_plan;
  }
  Port& leaf(const Value& value, const std::string& name) {
    const emit::SlotType type = ir::is_symbol(value) ? emit::type_of(graph_, ir::id_of(value), emit::Refusal::nowhere)
                                                     : emit::type_of(value, emit::Refusal::nowhere);
    return outputs_.emplace_back(Port{type, names_.fresh(name)});
  }

  const ir::Graph& graph_;
  Names& names_;
  std::vector<Port>& outputs_;
};

Value example_of(Pool& pool, const ir::Graph& graph, const Value& result) {
  return ir::replace_symbols(result, [&](const Value& symbol) {
    const emit::SlotType type = emit::type_of(graph, ir::id_of(symbol), emit::Refusal::nowhere);
    const uint64_t zero = 0;
    if (type.number) return Value::scalar(type.dtype, &zero);
    return make_tensor(pool, type.dtype, Shape(type.extents.data(), type.extents.size()));
  });
}

// What the interpreter would say of an assertion stands in the file.
void write_assertions(loops::Plan& plan) {
  for (Step& step : plan.steps) {
    if (step.kind != Step::Kind::interpret || !is_assertion(step)) continue;
    step.kind = Step::Kind::assertion;
    step.raises = true;
    step.operands.assign(1, {});
    step.operands[0].value = make_string(text_of_assertion(static_cast<const core::Assert&>(*step.operation->node)));
    step.results.clear();
  }
}

std::string text_of(const emit::Error& error, const ir::Graph& graph, PlaceText place_text) {
  if (error.place >= graph.places.size()) return error.text;
  const std::string place = place_text(graph.places[error.place].whole);
  return place.empty() ? error.text : place + ": " + error.text;
}

}  // namespace

std::vector<Value> JitCompiler::arguments_to_emit(const EmitRequest& request) {
  std::vector<Value> given = example_arguments(*context_.pool, request.types_of, request.types, Extents::fixed);
  if (!request.cotangent) return given;
  FixedWalk walk;
  const std::unique_ptr<ir::Graph> graph = stage_fixed(request.types_of, given, walk);
  given.push_back(example_of(*context_.pool, *graph, graph->body.results[0]));
  return given;
}

std::shared_ptr<const Prepared> JitCompiler::prepare(const EmitRequest& request) {
  return prepare(
      request.function, arguments_to_emit(request), [](Span) { return TextPlace(); }, false);
}

emit::Emitted JitCompiler::emit(const EmitRequest& request, PlaceText place_text) {
  std::shared_ptr<const ir::Graph> graph;
  // Where no one place is the cause, that of the function.
  ClosureParts parts{};
  const bool is_closure = closure_parts(request.types_of.function(), parts);
  ClosureParts pullback{};  // a text of covec's own, which nobody knows
  const bool is_pullback = request.cotangent && closure_parts(request.function.function(), pullback);
  const auto known = [&](Span span) {
    const bool is_own = is_pullback && span.known() && span.file == pullback.function->span.file;
    return (span.known() && !is_own) || !is_closure ? span : parts.function->name_span;
  };
  const auto span_of_place = [&](uint32_t place) {
    return known(graph != nullptr && place < graph->places.size() ? graph->places[place].whole : Span());
  };
  try {
    const std::vector<Value> given = arguments_to_emit(request);
    FixedWalk walk;
    std::unique_ptr<ir::Graph> staged = stage_fixed(request.function, given, walk);
    std::vector<PassTime> times;
    PipelineOptions options = policy_.options;
    options.plain = true;
    optimize(*staged, times, options);
    graph = std::move(staged);
    auto plan =
        std::make_unique<loops::Plan>(*make_plan(graph, {.eager_kernels = false, .plain = true}, options.verify));
    write_assertions(*plan);
    Names names;
    emit::Request file{names.fresh(request.name), request.origin, {}, {}};
    std::vector<std::string> leaves;
    const std::vector<std::string_view> arguments = names_of_arguments(request.types_of.function());
    for (size_t i = 0; i < given.size(); ++i)
      name_leaves(given[i], i < arguments.size() ? std::string(arguments[i]) : "cotangent", leaves);
    size_t next = 0;
    for (size_t i = 0; i < walk.parameters.size(); ++i) {
      const FixedWalk::Parameter& parameter = walk.parameters[i];
      if (parameter.given) {
        file.inputs.push_back(
            {emit::type_of(parameter.value, emit::Refusal::nowhere), names.fresh(leaves[next++]), plan->inputs[i]});
      } else if (plan->inputs[i] != Step::nowhere) {
        plan->constants.emplace_back(plan->inputs[i], parameter.value);
      }
    }
    Outputs(*graph, names, file.outputs).add(graph->body.results[0], plan->result, "out");
    return emit::emit(*plan, file, eager(),
                      [&](const emit::Error& error) { return text_of(error, *graph, place_text); });
  } catch (const NotPrepared& refused) {
    fail_at(known(refused.at), "not_emitted", request.name + " cannot be written as C: " + refused.why);
  } catch (const emit::Refusal& refused) {
    fail_at(span_of_place(refused.place), "not_emitted", request.name + " cannot be written as C: " + refused.why);
  } catch (const std::logic_error& bug) {
    fail_at({}, "internal", std::string("this is a bug in covec: the compiler: ") + bug.what());
  }
}

std::shared_ptr<const Prepared> prepare_emitted(Compiler& compiler, const EmitRequest& request) {
  return static_cast<JitCompiler&>(compiler).prepare(request);
}

emit::Emitted emit_function(Compiler& compiler, const EmitRequest& request, PlaceText place_text) {
  return static_cast<JitCompiler&>(compiler).emit(request, place_text);
}

}  // namespace covec::jit
