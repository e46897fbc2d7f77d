#include "jit/compiler/emit.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/compiler.hpp"
#include "jit/source/c99.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/stage.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/tensor.hpp"
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
    if (!value.is_none()) names.push_back(name);
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
    const size_t number = name.find_last_not_of("0123456789");
    const std::string letters = number == std::string::npos ? "" : name.substr(0, number + 1);
    static const std::set<std::string> variables = {"n", "s", "t", "i", "p",    "q",    "r",
                                                    "x", "c", "k", "v", "zero", "sign", "number"};
    const bool like_a_variable = letters.size() < name.size() && variables.contains(letters);
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
        "scratch",  "at",       "most",      "j0",       "j1",       "y0",       "y1",      "jn",        "yn",
        "signgam",  "NAN",      "INFINITY"};
    return reserved.contains(name);
  }
  std::set<std::string> used_;
};

// What the function gives: the leaves of its result.
class Outputs {
 public:
  Outputs(const emit::Shapes& shapes, Names& names, std::vector<Port>& outputs)
      : shapes_(shapes), names_(names), outputs_(outputs) {}
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
    const emit::SlotType type = ir::is_symbol(value) ? shapes_.type_of(ir::id_of(value), emit::Refusal::nowhere)
                                                     : emit::type_of(value, emit::Refusal::nowhere);
    return outputs_.emplace_back(Port{type, names_.fresh(name)});
  }

  const emit::Shapes& shapes_;
  Names& names_;
  std::vector<Port>& outputs_;
};

// Which axes of the parameters have which names, and these as `named` has them.
emit::Shapes::Names names_of_axes(const ir::Graph& graph, const FixedWalk& walk, const WrittenExtents& written,
                                  FunctionRef<std::string(const std::string&)> named) {
  emit::Shapes::Names names;
  size_t next = 0;
  for (size_t i = 0; i < walk.parameters.size(); ++i) {
    if (!walk.parameters[i].given) continue;
    const std::vector<WrittenExtent>& extents = written[next++];
    for (unsigned axis = 0; axis < extents.size(); ++axis) {
      if (!extents[axis].name.empty()) names[{graph.body.parameters[i], axis}] = named(extents[axis].name);
    }
  }
  return names;
}

// A cotangent of the type of what a function gives: none for what is not a float.
class Example {
 public:
  Example(Pool& pool, const emit::Shapes& shapes, const ExtentSizes& sizes, WrittenExtents& written)
      : pool_(pool), shapes_(shapes), sizes_(sizes), written_(written) {}
  Value of(const Value& result) {
    return map_leaves(result, [&](const Value& leaf) { return of_leaf(leaf); });
  }

 private:
  Value of_leaf(const Value& leaf) {
    const emit::SlotType type = ir::is_symbol(leaf) ? shapes_.type_of(ir::id_of(leaf), emit::Refusal::nowhere)
                                                    : emit::type_of(leaf, emit::Refusal::nowhere);
    if (!is_float(type.dtype)) return {};
    std::vector<WrittenExtent>& extents = written_.emplace_back();
    Shape shape;
    for (const emit::Size& extent : type.extents) {
      extents.push_back(written_as(extent));
      shape.push_back(size_of(extent));
    }
    if (!ir::is_symbol(leaf)) return leaf;
    const uint64_t zero = 0;
    return type.number ? Value::scalar(type.dtype, &zero) : make_tensor(pool_, type.dtype, shape);
  }
  static WrittenExtent written_as(const emit::Size& extent) {
    if (extent.known()) return {extent.number(), {}};
    std::set<std::string> names;
    extent.add_names(names);
    if (names.size() == 1 && extent == emit::Size::named(*names.begin())) return {-1, *names.begin()};
    throw emit::Refusal{"it gives a tensor whose extent is " + extent.text() + ", which a cotangent cannot have"};
  }
  int64_t size_of(const emit::Size& extent) const {
    if (extent.known()) return extent.number();
    const auto size = sizes_.find(extent.text());
    return size == sizes_.end() ? any_extent : size->second;
  }

  Pool& pool_;
  const emit::Shapes& shapes_;
  const ExtentSizes& sizes_;
  WrittenExtents& written_;
};

// A place and an operator as the program knows them.
class ProgramNames {
 public:
  // `own`: a text that nobody knows, in which a derivative is taken.
  ProgramNames(const RunHost& host, const ir::Graph& graph, std::optional<uint32_t> own)
      : host_(host), graph_(graph), own_(own) {}

  // A derivative rule's is that of the operator that it is the rule of, where the derivative is taken in a text that
  // nobody knows. A built-in module's is that of its call. Unknown: nobody knows it.
  Span span(uint32_t place) const {
    if (place >= graph_.places.size()) return {};
    const ir::SourcePlace& at = graph_.places[place];
    const bool is_own = at.whole.known() && at.whole.file == own_;
    const Span told = is_own && at.site.known() ? at.site : at.whole;
    const auto call = host_.call_of_program(graph_, told, applied(at).frame);
    return call ? call->site : told;
  }
  // "`cumsum` is not written as C" of the function that the program calls.
  std::string why(const emit::Refusal& refusal) const {
    if (refusal.place >= graph_.places.size()) return with_name(refusal, entry_name(refusal.entry));
    const ir::SourcePlace &at = graph_.places[refusal.place], &applied = this->applied(at);
    const bool in_rule = at.rule_of != nullptr;
    const auto call = host_.call_of_program(graph_, in_rule ? at.site : at.whole, applied.frame);
    if (refusal.entry == nullptr) return call ? refusal.why + ", in `" + call->function + "`" : refusal.why;
    const std::string named = with_name(
        refusal, call ? "`" + call->function + "`" : written_name(applied, in_rule ? at.rule_of : refusal.entry));
    return in_rule ? "a derivative of " + named : named;
  }

 private:
  // In a rule: the place of the operator that it is the rule of.
  const ir::SourcePlace& applied(const ir::SourcePlace& at) const {
    if (at.rule_of == nullptr) return at;
    const auto found = std::ranges::find_if(graph_.places, [&](const ir::SourcePlace& other) {
      return other.rule_of == nullptr && other.entry != nullptr && other.whole.contains(at.site) &&
             at.site.contains(other.whole);
    });
    return found == graph_.places.end() ? at : *found;
  }
  // "`cumsum`", or what stands for an operator without a name in the language.
  static std::string entry_name(const ops::Entry* entry) {
    if (entry == nullptr) return "";
    if (entry == &ops::handles().index_read) return "a read of elements";
    if (entry == &ops::handles().index_update || entry == &ops::handles().index_add) return "an assignment to elements";
    if (entry->internal && entry->part_of.empty()) return "";
    return "`" + std::string(entry->part_of.empty() ? entry->name : entry->part_of) + "`";
  }
  // Composed operators are known by what the program applies, unless their operands make it another operator.
  static std::string written_name(const ir::SourcePlace& at, const ops::Entry* entry) {
    const bool is_another = at.entry != nullptr && at.entry->instead != nullptr && !entry->part_of.empty();
    return entry_name(at.entry != nullptr && !at.entry->internal && !is_another ? at.entry : entry);
  }
  static std::string with_name(const emit::Refusal& refusal, const std::string& name) {
    if (refusal.entry == nullptr) return refusal.why;
    return (name.empty() ? "an operation here" : name) + " " + refusal.why;
  }

  const RunHost& host_;
  const ir::Graph& graph_;
  const std::optional<uint32_t> own_;
};

std::string text_of(const emit::Error& error, const ProgramNames& names, PlaceText place_text) {
  const std::string place = place_text(names.span(error.place));
  return place.empty() ? error.text : place + ": " + error.text;
}

std::vector<Value> arguments_to_emit(CompilerParts& parts, const EmitRequest& request, const ExtentSizes& sizes,
                                     WrittenExtents& written) {
  if (request.types_of.function().takes_options())
    throw NotPrepared{"its last parameter takes named arguments of any name; write a function that names them", Span()};
  std::vector<Value> given =
      example_arguments(*parts.context.pool, request.types_of, request.types, Extents::named, &written, sizes);
  if (!request.cotangent) return given;
  FixedWalk walk;
  const std::unique_ptr<ir::Graph> graph = stage_fixed(parts, request.types_of, given, walk, &written);
  const emit::Shapes::Names names = names_of_axes(*graph, walk, written, [](const std::string& name) { return name; });
  try {
    const emit::Shapes shapes(*graph, names);
    given.push_back(Example(*parts.context.pool, shapes, sizes, written).of(graph->body.results[0]));
  } catch (const emit::Refusal& refused) {
    const ProgramNames told(parts.host, *graph, std::nullopt);
    throw NotPrepared{told.why(refused), told.span(refused.place)};
  }
  return given;
}

// The text of a pullback is of covec's own: nobody knows it.
std::optional<uint32_t> own_text(const EmitRequest& request) {
  ClosureParts pullback{};
  if (!request.cotangent || !closure_parts(request.function.function(), pullback)) return std::nullopt;
  return pullback.function->span.file;
}

}  // namespace

std::shared_ptr<const Prepared> prepare_emitted(Compiler& compiler, const EmitRequest& request,
                                                const ExtentSizes& sizes, PlaceText place_text) {
  CompilerParts& parts = parts_of(compiler);
  WrittenExtents written;
  const std::optional<uint32_t> own = own_text(request);
  const auto place_of = [&](Span span) {
    return SourcePosition{span.known() && span.file == own ? std::string() : place_text(span)};
  };
  return prepare(parts, request.function, arguments_to_emit(parts, request, sizes, written), place_of, false);
}

emit::Emitted emit_function(Compiler& compiler, const EmitRequest& request, PlaceText place_text) {
  CompilerParts& parts = parts_of(compiler);
  std::shared_ptr<const ir::Graph> graph;
  // Where no one place is the cause, that of the function.
  ClosureParts closure{};
  const bool is_closure = closure_parts(request.types_of.function(), closure);
  const std::optional<uint32_t> own = own_text(request);
  const auto known = [&](Span span) {
    const bool of_program = span.known() && span.file != own;
    return of_program || !is_closure ? span : closure.function->name_span;
  };
  try {
    WrittenExtents written;
    const std::vector<Value> given = arguments_to_emit(parts, request, {}, written);
    FixedWalk walk;
    std::unique_ptr<ir::Graph> staged = stage_fixed(parts, request.function, given, walk, &written);
    std::vector<PassTime> times;
    PipelineOptions options = parts.policy.options;
    options.plain = true;
    optimize(*staged, times, options);
    graph = std::move(staged);
    auto plan =
        std::make_unique<loops::Plan>(*make_plan(graph, {.eager_kernels = false, .plain = true}, options.verify));
    std::ranges::for_each(plan->steps, leave_assertion);
    Names names;
    emit::Request file{names.fresh(request.name), request.origin, {}, {}, {}};
    std::map<std::string, std::string> extents;  // as C has them
    const emit::Shapes::Names axes = names_of_axes(*graph, walk, written, [&](const std::string& name) {
      const auto [known, is_new] = extents.try_emplace(name);
      if (is_new) file.extents.push_back({known->second = names.fresh(name), name});
      return known->second;
    });
    const emit::Shapes shapes(*graph, axes);
    std::vector<std::string> leaves;
    const std::vector<std::string_view> arguments = names_of_arguments(request.types_of.function());
    for (size_t i = 0; i < given.size(); ++i)
      name_leaves(given[i], i < arguments.size() ? std::string(arguments[i]) : "cotangent", leaves);
    size_t next = 0;
    for (size_t i = 0; i < walk.parameters.size(); ++i) {
      const FixedWalk::Parameter& parameter = walk.parameters[i];
      if (parameter.given) {
        file.inputs.push_back({shapes.type_of(graph->body.parameters[i], emit::Refusal::nowhere),
                               names.fresh(leaves[next++]), plan->inputs[i]});
      } else if (plan->inputs[i] != Step::nowhere) {
        plan->constants.emplace_back(plan->inputs[i], parameter.value);
      }
    }
    Outputs(shapes, names, file.outputs).add(graph->body.results[0], plan->result, "out");
    return emit::emit(*plan, shapes, file, parts.host.eager(), [&](const emit::Error& error) {
      return text_of(error, ProgramNames(parts.host, *graph, own), place_text);
    });
  } catch (const NotPrepared& refused) {
    fail_at(known(refused.at), "not_emitted", request.name + " cannot be written as C: " + refused.why);
  } catch (const emit::Refusal& refused) {
    const std::string begin = request.name + " cannot be written as C: ";
    if (graph == nullptr) fail_at(known({}), "not_emitted", begin + refused.why);
    const ProgramNames names(parts.host, *graph, own);
    fail_at(known(names.span(refused.place)), "not_emitted", begin + names.why(refused));
  } catch (const std::logic_error& bug) {
    fail_at({}, "internal", std::string("this is a bug in covec: the compiler: ") + bug.what());
  }
}

}  // namespace covec::jit
