#include "jit/compiler/prepare.hpp"

#include <algorithm>
#include <stdexcept>

#include "frontend/core/core.hpp"
#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/compiler.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/share.hpp"
#include "jit/specialize/stage.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

using Refusal = NotPrepared;

// --- what goes in ---

// Called in the place of a function with what has been bound to its parameters and checked.
class BoundArguments final : public Callable {
 public:
  BoundArguments() : Callable(CallableKind::builtin) {}
  Value call(ops::Builder&, std::span<Value> args, std::span<const std::string_view>) override {
    bound.assign(args.begin(), args.end());
    return Value();
  }
  std::string name() const override { return "prepare"; }
  std::vector<std::string_view> parameter_names() const override { return {}; }
  std::vector<Value> bound;
};

std::vector<Value> bind(ops::Builder& eager, const Value& function, std::span<const Value> given) {
  if (function.function().rest_parameter() >= 0 || function.function().takes_options())
    throw Refusal{"it takes any number of arguments; prepare a function that names them"};
  std::vector<Value> args(given.begin(), given.end());
  const auto arguments = new BoundArguments;
  const Value held = Value::adopt(arguments);
  function.function().call_code(*arguments, eager, args, {});
  return std::move(arguments->bound);
}

// Annotations check arguments and change none: what the host binds is what the function gets.
void check_unchanged(std::span<const Value> given, std::span<const Value> bound) {
  for (size_t i = 0; i < given.size(); ++i) {
    std::vector<std::string> before, after;
    each_leaf(given[i], [&](const Value& leaf) { before.push_back(describe(leaf)); });
    each_leaf(bound[i], [&](const Value& leaf) { after.push_back(describe(leaf)); });
    if (before != after) throw std::logic_error("an argument has another type once it is bound");
  }
}

FixedType type_of_leaf(const Value& leaf) {
  FixedType type{dtype_of(leaf), {}};
  if (leaf.is_tensor()) type.extents.assign(leaf.tensor().dims().begin(), leaf.tensor().dims().end());
  return type;
}

// --- what comes out ---

class Results {
 public:
  Results(const ir::Graph& graph, Prepared& made, bool none_too) : graph_(graph), made_(made), none_too_(none_too) {}

  // A tree with the graph's Symbols, and the same with those of slots.
  void add(const Value& value, const Value& in_plan) {
    if (value.is_none() && !none_too_) return;
    const std::vector<Value>* parts = children(value);
    if (parts == nullptr) return leaf(value, in_plan);
    const std::vector<Value>& there = *children(in_plan);
    for (size_t i = 0; i < parts->size(); ++i) add((*parts)[i], there[i]);
  }
  void add(const Value& value, const loops::Operand& operand) {
    if (operand.kind != loops::Operand::Kind::slot) return add(value, operand.value);
    made_.outputs.push_back(type(value));
    made_.results.push_back({operand, {}});
  }

 private:
  void leaf(const Value& value, const Value& in_plan) {
    made_.outputs.push_back(type(value));
    loops::Operand operand;
    if (in_plan.is_symbol()) {
      operand.kind = loops::Operand::Kind::slot;
      operand.slot = ir::id_of(in_plan);
    } else {
      operand.value = deep_copy(in_plan, *made_.pool, Elements::copied);
    }
    made_.results.push_back({std::move(operand), {}});
  }
  FixedType type(const Value& value) const {
    if (!ir::is_symbol(value)) {
      if (!value.is_numeric()) throw Refusal{"it gives " + what(value) + ", which is neither a number nor a tensor"};
      return type_of_leaf(value);
    }
    const ir::ValueInfo& info = graph_.values[ir::id_of(value)];
    if (info.boxed) throw Refusal{"it gives a value whose type is known only at run time"};
    if (!info.type.shape.known()) throw Refusal{"it gives a tensor whose extents are known only at run time"};
    FixedType type{info.type.dtype, {}};
    for (const Dim dim : info.type.shape) type.extents.push_back(dim.number());
    return type;
  }
  static std::string what(const Value& value) { return value.is_none() ? describe(value) : "a " + describe(value); }

  const ir::Graph& graph_;
  Prepared& made_;
  const bool none_too_;  // none is a result, which cannot be prepared; false: it is left out
};

// --- what it does ---

std::string_view wrong_with(const ops::Effects& effects) {
  if (effects.prints) return "prints";
  if (effects.random) return "draws random numbers";
  if (effects.meets) return "is a collective: it needs the other ranks of a session";
  if (effects.outside) return "reaches outside of the program";
  if (effects.calls) return "calls functions that are known only at run time";
  if (effects.shared) return "changes a value that calls share";
  return {};
}

// The statement that an interpreted step raises the error of: the rest of it is code. Null: it does something else.
const core::Assert* assertion_of(const loops::Step& step) {
  const auto* const interpret = step.get_if<loops::step::Interpret>();
  if (interpret == nullptr || !interpret->operation->only_fails) return nullptr;
  const core::Stmt* const statement = interpret->operation->node;
  return statement->kind == core::StmtKind::assert_ ? static_cast<const core::Assert*>(statement) : nullptr;
}

void check_step(const loops::Step& step, const ir::Graph& graph) {
  const Span at = step.place < graph.places.size() ? graph.places[step.place].whole : Span();
  const bool interprets = step.is<loops::step::Interpret>() && assertion_of(step) == nullptr;
  if (interprets || step.is<loops::step::CallValue>() || step.is<loops::step::Pause>())
    throw Refusal{"the interpreter runs a part of it", at};
  if (!step.is<loops::step::Apply>() && !step.is<loops::step::Raise>() && !step.is<loops::step::DrawAhead>()) return;
  for (const loops::Operand& operand : step.operands) {
    const bool is_function = operand.value.is(ObjectKind::function);
    if (is_function && operand.value.function().callable_kind == CallableKind::host)
      throw Refusal{"`" + operand.value.function().name() + "` is a host function", at};
  }
  // Others hold something of the session that made them.
  const std::span<const ops::Entry* const> builtins = ops::all_entries();
  const ops::Entry& entry = *step.op()->entry;
  if (!entry.internal && std::ranges::find(builtins, &entry) == builtins.end())
    throw Refusal{"`" + std::string(entry.name) + "` is not a builtin and belongs to its session", at};
  const std::string_view wrong = wrong_with(entry.effects);
  const std::string_view name = entry.part_of.empty() ? entry.name : entry.part_of;
  if (!wrong.empty()) throw Refusal{"`" + std::string(name) + "` " + std::string(wrong), at};
}

void check(const Code& code) {
  for (const loops::Step& step : code.plan->steps) check_step(step, *code.graph);
  for (const Code& function : code.functions) check(function);
}

// --- errors as text ---

// Finds out how errors are told in each place of a graph, by raising one.
class ErrorTexts {
 public:
  ErrorTexts(RunHost& host, PlaceOf place_of) : host_(host), place_of_(place_of) {}

  std::vector<ErrorText> of(const loops::Plan& plan) {
    std::vector<ErrorText> texts(plan.graph->places.size());
    each_place(plan, [&](uint32_t place, bool no_value) {
      if (place < texts.size()) texts[place] = text(*plan.graph, place, no_value);
    });
    for (const loops::Step& step : plan.steps) {
      if (const core::Assert* assertion = assertion_of(step)) tell_condition(*assertion, texts[step.place]);
    }
    return texts;
  }

 private:
  template <class See>
  static void each_place(const loops::Plan& plan, See see) {
    for (const loops::Step& step : plan.steps) {
      const loops::step::Operator* const op = step.op();
      see(step.place, op != nullptr && op->entry == &ops::handles().require_value);
    }
    for (const loops::Launch& launch : plan.launches) {
      for (const loops::Launch::Member& member : launch.members) see(member.place, false);
      for (const loops::Launch::Reduction& reduction : launch.reductions) see(reduction.place, false);
    }
  }

  // An assertion's place is that of its condition, but where the program's is that of a call of a module's function.
  void tell_condition(const core::Assert& assertion, ErrorText& text) {
    if (text.whole == place_of_(assertion.span)) text.whole = place_of_(assertion.condition->span);
  }

  ErrorText text(const ir::Graph& graph, uint32_t place, bool no_value) {
    constexpr std::string_view mark = "\x01";
    ErrorText text;
    const Diagnostic whole = raised(graph, place, no_value ? ErrorKind::no_value : ErrorKind::ordinary, -1);
    if (const size_t at = whole.message.find(mark); at != std::string::npos) {
      text.before = whole.message.substr(0, at);
      text.after = whole.message.substr(at + mark.size());
    }
    text.whole = place_in(whole);
    const size_t operands = graph.places[place].operands.size();
    for (size_t i = 0; i < operands; ++i) {
      const bool known = graph.places[place].operands[i].known();
      text.operands.push_back(known ? place_in(raised(graph, place, ErrorKind::ordinary, static_cast<int>(i)))
                                    : SourcePosition());
    }
    return text;
  }

  Diagnostic raised(const ir::Graph& graph, uint32_t place, ErrorKind kind, int operand) {
    OpError error;
    error.code = "prepared";
    error.message = "\x01";
    error.kind = kind;
    if (operand >= 0) error.labels.push_back({operand, ""});
    try {
      host_.raise(error, graph, place);
    } catch (const CovecError& told) {
      return told.diagnostics.front();
    } catch (const OpError& told) {
      Diagnostic diagnostic;
      diagnostic.message = told.message;
      return diagnostic;
    }
  }

  SourcePosition place_in(const Diagnostic& diagnostic) {
    return diagnostic.labels.empty() ? SourcePosition() : place_of_(diagnostic.labels.front().span);
  }

  RunHost& host_;
  const PlaceOf place_of_;
};

// --- images ---

std::string text_of_assertion(const core::Assert& assertion) {
  const std::string failed = "assertion failed";
  const core::Expr* const text = assertion.message;
  if (text == nullptr || text->kind != core::ExprKind::constant) return failed;
  const auto* written = std::get_if<std::string>(&static_cast<const core::Constant*>(text)->value);
  return written == nullptr ? failed : failed + ": " + *written;
}

}  // namespace

void leave_assertion(loops::Step& step) {
  const core::Assert* const assertion = assertion_of(step);
  if (assertion == nullptr) return;
  step.action = loops::step::Assertion{text_of_assertion(*assertion)};
  step.operands.clear();
  step.results.clear();
}

namespace {

void leave_interpreter(loops::Step& step) {
  leave_assertion(step);
  if (auto* const apply = std::get_if<loops::step::Apply>(&step.action)) apply->operation = nullptr;
}

Image image_of(Code& code, Pool& pool, ErrorTexts& texts) {
  Image image;
  image.texts = texts.of(*code.plan);
  auto left = std::make_unique<loops::Plan>(*code.plan);
  std::ranges::for_each(left->steps, leave_interpreter);
  std::unique_ptr<loops::Plan> plan = copy_plan(*left, pool, Elements::copied);
  plan->graph = graph_to_run(*code.graph);
  plan->program.code.instructions.clear();
  plan->program.kernels.clear();
  image.plan = std::move(plan);
  code.plan.reset();
  code.graph.reset();
  return image;
}

// The step that the code takes last, if that makes a vector of numbers: it stands right before the end of the function,
// so that the numbers stay in their slots.
loops::Step* last_stack(loops::Plan& plan, const loops::Code& code) {
  const std::vector<loops::Instruction>& instructions = code.instructions;
  const auto leaves = loops::is<loops::instruction::Leave>;
  if (instructions.size() < 2 || !leaves(instructions.back()) || std::ranges::count_if(instructions, leaves) != 1)
    return nullptr;
  const auto* const before = std::get_if<loops::instruction::CallStep>(&instructions[instructions.size() - 2]);
  if (before == nullptr) return nullptr;
  loops::Step& step = plan.steps[before->step];
  const auto* const apply = step.get_if<loops::step::Apply>();
  return apply != nullptr && apply->stacks_numbers && !apply->unless_done ? &step : nullptr;
}

// A vector that is made last of numbers is never made: the worker stores the numbers themselves.
void store_numbers(loops::Plan& plan, const loops::Code& code, std::vector<PreparedOutput>& outputs) {
  loops::Step* const stack = last_stack(plan, code);
  if (stack == nullptr) return;
  const std::span<const loops::Operand> numbers = std::span(stack->operands).subspan(stack->op()->parameters);
  for (PreparedOutput& output : outputs) {
    if (output.from.kind == loops::Operand::Kind::slot && output.from.slot == stack->results[0])
      output.numbers.assign(numbers.begin(), numbers.end());
  }
  stack->action = loops::step::Drop{};
}

bool is_shared(const Value& value) {
  return value.is_tensor() && value.tensor().storage() != nullptr && value.tensor().storage()->release != nullptr;
}

void add_inputs(const FixedWalk& walk, Prepared& made) {
  for (const FixedWalk::Parameter& parameter : walk.parameters) {
    PreparedInput input;
    if (parameter.given) {
      input.argument = made.inputs.size();
      made.inputs.push_back(type_of_leaf(parameter.value));
    } else {
      if (is_shared(parameter.value))
        throw Refusal{"it reads a tensor in the host's memory, which may change: make it an argument"};
      input.value = deep_copy(parameter.value, *made.pool, Elements::copied);
    }
    made.places.push_back(std::move(input));
  }
}

void make_images(Prepared& made, ErrorTexts& texts) {
  for (Code& function : made.code.functions) made.functions.push_back(image_of(function, *made.pool, texts));
  const auto code = std::make_unique<loops::Code>(made.code.plan->program.code);
  made.main = image_of(made.code, *made.pool, texts);
  store_numbers(*made.main.plan, *code, made.results);
  made.code.invocable.clear();
}

}  // namespace

std::unique_ptr<ir::Graph> stage_fixed(CompilerParts& parts, const Value& function, std::span<const Value> given,
                                       FixedWalk& walk, const WrittenExtents* written) {
  std::vector<Value> args = bind(parts.host.eager(), function, given);
  check_unchanged(given, args);
  walk.given = given.size();
  Specialization made;
  std::unique_ptr<ir::Graph> graph =
      stage(parts.context, parts.walker, made, function, args, Signature(), {&walk, written});
  if (made.interpreted) throw Refusal{reason_text(made.reason), made.reason_at};
  if (!graph->unstaged.empty()) {
    const ir::Graph::Unstaged& first = graph->unstaged.front();
    const auto call = parts.host.call_of_program(*graph, first.at, first.frame);
    if (first.reason.ends_with("an import is known only at run time")) {
      if (call) throw Refusal{"`" + call->function + "` imports a module when it runs", call->site};
      throw Refusal{"it imports a module when it runs: import at the top of the file", first.at};
    }
    std::string reason = reason_text(first.reason);
    if (!call) throw Refusal{std::move(reason), first.at};
    if (!reason.starts_with(call->function + ": ")) reason += ", in `" + call->function + "`";
    throw Refusal{std::move(reason), call->site};
  }
  if (graph->recursive) throw Refusal{"it calls itself in a way that only the interpreter can run"};
  return graph;
}

namespace {

Code code_to_prepare(CompilerParts& parts, const Value& function, std::span<const Value> given, FixedWalk& walk) {
  std::unique_ptr<ir::Graph> graph = stage_fixed(parts, function, given, walk);
  PipelineOptions options = parts.policy.options;
  options.interrupt = parts.context.interrupt;
  Code code = jit::compile(std::move(graph), options);
  if (!code.runs()) throw Refusal{no_machine_code};
  check(code);
  return code;
}

}  // namespace

std::shared_ptr<const Prepared> prepare(CompilerParts& parts, const Value& body, std::span<const Value> given,
                                        PlaceOf place_of, bool none_too) {
  try {
    if (parts.context.isa == ops::Isa::baseline) throw Refusal{no_machine_code};
    FixedWalk walk;
    auto made = std::make_shared<Prepared>();
    made->code = code_to_prepare(parts, body, given, walk);
    const Memory::Use use(*made->pool);
    made->name = body.function().name();
    made->isa = parts.context.isa;
    made->memory_limit = parts.context.pool->account().limit;
    made->guarded = parts.context.pool->guarded();
    add_inputs(walk, *made);
    Results(*made->code.graph, *made, none_too).add(made->code.graph->body.results[0], made->code.plan->result);
    ErrorTexts texts(parts.host, place_of);
    ClosureParts closure;
    if (closure_parts(body.function(), closure)) made->itself.whole = place_of(closure.function->name_span);
    make_images(*made, texts);
    return made;
  } catch (const Refusal& refusal) {
    fail_at(refusal.at, "not_prepared", body.function().name() + " cannot be prepared: " + refusal.why);
  } catch (const NotCopied& not_copied) {
    fail_at({}, "not_prepared", body.function().name() + " cannot be prepared: it holds " + not_copied.what);
  } catch (const std::logic_error& bug) {
    fail_at({}, "internal", std::string("this is a bug in covec: the compiler: ") + bug.what());
  }
}

std::shared_ptr<const Prepared> prepare(Compiler& compiler, const Value& function, const std::string& types,
                                        PlaceOf place_of) {
  CompilerParts& parts = parts_of(compiler);
  const Value body = compiler.is_compiled(function) ? *function.function().compiled_from() : function;
  if (compiler.is_compiled(function) && parts.policy.device_for(compiler.request_of(function)) != nullptr)
    fail_at({}, "not_prepared", body.function().name() + " cannot be prepared: it runs on a device");
  return prepare(parts, body, example_arguments(*parts.context.pool, body, types, Extents::fixed), place_of, true);
}

}  // namespace covec::jit
