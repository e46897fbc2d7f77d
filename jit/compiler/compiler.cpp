#include "jit/compiler/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/globals.hpp"
#include "jit/compiler/pays.hpp"
#include "jit/compiler/site.hpp"
#include "jit/lower/stager.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/tree.hpp"
#include "stdlib/value/walk.hpp"

namespace covec {

std::unique_ptr<Compiler> make_compiler(Session& session) { return std::make_unique<jit::JitCompiler>(session); }

}  // namespace covec

namespace covec::jit {

namespace {

constexpr unsigned most_made = 8192;  // compilations that a session keeps; what comes later is interpreted
constexpr unsigned warn_after = 16;   // compilations of one function

bool named(const char* variable, const char* value) {
  const char* set = std::getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

bool captures_nothing(const Value& function) {
  ClosureParts parts;
  return closure_parts(function.function(), parts) && function.function().captures().empty();
}

// Anything that cannot be done twice.
bool has_effects(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    if (operation.kind == ir::Kind::interpret || operation.kind == ir::Kind::call) return true;
    if (operation.kind == ir::Kind::apply && (operation.entry->effects.prints || operation.entry->effects.outside)) {
      return true;
    }
    for (const ir::Region& inner : operation.regions) {
      if (has_effects(inner)) return true;
    }
  }
  return false;
}

// While a function is staged nothing is written: what would warn is left to the interpreter.
class NoOutput final : public ops::Output {
 public:
  explicit NoOutput(ops::Context& context) : context_(context), before_(context.output), random_(context.random) {
    context_.output = this;
  }
  NoOutput(const NoOutput&) = delete;
  NoOutput& operator=(const NoOutput&) = delete;
  ~NoOutput() override {
    context_.output = before_;
    context_.random = random_;
  }
  void write(std::string_view) override { ir::not_staged("output"); }
  void warn(std::string_view text) override {
    context_.warned.erase(std::string(text));
    ir::not_staged("a warning");
  }

 private:
  ops::Context& context_;
  ops::Output* before_;
  const ops::Random random_;
};

// A function is staged by itself, whatever derivative the program is taking when it is first called.
class NoLevels {
 public:
  explicit NoLevels(ops::Context& context)
      : context_(context),
        innermost_(std::exchange(context.innermost, nullptr)),
        level_(std::exchange(context.level, 0)) {}
  NoLevels(const NoLevels&) = delete;
  NoLevels& operator=(const NoLevels&) = delete;
  ~NoLevels() {
    context_.innermost = innermost_;
    context_.level = level_;
  }

 private:
  ops::Context& context_;
  autodiff::OpenLevel* innermost_;
  const uint64_t level_;
};

}  // namespace

JitCompiler::JitCompiler(Session& session)
    : Host(walker_of(session).eager_builder()), context_(context_of(session)), walker_(walker_of(session)) {
  options_.isa = context_.isa;
  if (named("COVEC_ENGINE", "c99")) options_.engine = BackEnd::c99;
  compiles_all_ = named("COVEC_ENGINE", "c99") || named("COVEC_ENGINE", "compiled");
  options_.eager_kernels = !compiles_all_ && !named("COVEC_EAGER_KERNELS", "none");
  options_.verify = compiles_all_;
  enabled_ = !named("COVEC_ENGINE", "eager") && (options_.engine == BackEnd::c99 || options_.isa != ops::Isa::baseline);
  full_.interpret("the session holds as much code as it may");
  context_.engine = this;
}

JitCompiler::~JitCompiler() { context_.engine = nullptr; }

Value JitCompiler::compile(const Value& function, bool strict) {
  if (function.function().entry() != nullptr) return function;
  if (is_compiled(function)) {
    const auto& compiled = static_cast<const Compiled&>(function.function());
    if (!strict || compiled.options().strict) return function;
    return Value::adopt(new Compiled(*this, compiled.function(), {strict}));
  }
  if (!__builtin_cpu_supports("avx2") && context_.output != nullptr && context_.warned.insert("no AVX2").second) {
    context_.output->warn("this processor has no AVX2: compiled functions run eagerly, with the same results");
  }
  return Value::adopt(new Compiled(*this, function, {strict}));
}

bool JitCompiler::is_compiled(const Value& function) const {
  return function.is(ObjectKind::function) && function.function().callable_kind == CallableKind::compiled;
}

// --- calls ---

bool JitCompiler::describe(const Value& function, std::span<const Value> args, Signature& signature) {
  if (!signature.add(function)) return false;
  return std::all_of(args.begin(), args.end(), [&](const Value& arg) { return signature.add(arg); });
}

// The globals as they are now; their leaves follow the others.
bool JitCompiler::globals_match(const Specialization& made, Signature& signature) {
  if (made.globals.empty()) return true;
  Signature now;
  for (const Specialization::Global& global : made.globals) {
    if (!now.add(*global.slot)) return false;
  }
  if (now.words != made.global_words) return false;
  for (Value& leaf : now.leaves) signature.leaves.push_back(std::move(leaf));
  return true;
}

// Whether the code of the last call is the right one again; false also where that cannot be seen so quickly.
bool JitCompiler::as_before(const Specialization& made, std::span<const Value> args) {
  if (!made.comparable || args.size() != made.arguments) return false;
  Pattern::Walk walk(made.pattern);
  for (const Value& arg : args) {
    if (!walk.matches(arg)) return false;
  }
  for (const Specialization::Global& global : made.globals) {
    if (!walk.matches(*global.slot)) return false;
  }
  return true;
}

Value JitCompiler::run(Compiled& compiled, std::span<Value> args, LastCall& last) {
  if (last.made == nullptr || !as_before(*last.made, args)) return run_any(compiled, args, last);
  if (last.made->interpreted) return compiled.function().function().call(eager(), args, {});
  return last.made->plain ? execute(*last.made, args) : run_again(*last.made, last.captured, args);
}

// The leaves in Signature's order: captures, arguments, globals.
Value JitCompiler::run_again(const Specialization& made, std::span<const Value> captured, std::span<Value> args) {
  SmallVector<Value, 8> leaves(captured.size() + made.pattern.leaves());
  Value* next = std::ranges::copy(captured, leaves.data()).out;
  for (Value& arg : args) {
    next = copy_leaves(arg, next);
    arg = Value();  // the leaves are the function's alone now, where nobody else has them
  }
  for (const Specialization::Global& global : made.globals) next = copy_leaves(*global.slot, next);
  return execute(made, span_of(leaves));
}

Value JitCompiler::run_any(Compiled& compiled, std::span<Value> args, LastCall& last) {
  const Value& function = compiled.function();
  const auto interpreted = [&] { return function.function().call(eager(), args, {}); };
  if (!enabled_) return interpreted();
  struct Borrowed {  // with the memory of an earlier one
    Signature& spare;
    Signature signature = std::exchange(spare, Signature());
    ~Borrowed() {
      signature.clear();
      spare = std::move(signature);
    }
  } borrowed{spare_signature_};
  Signature& signature = borrowed.signature;
  if (!describe(function, args, signature)) return interpreted();
  if (signature.level != 0) return run_active(compiled, args, signature);
  const bool known =
      last.made != nullptr && last.made->words == signature.words && globals_match(*last.made, signature);
  const Specialization& found = known ? *last.made : find(function, args, signature);
  check_strict(compiled, found);
  if (last.made == nullptr) {
    Signature captures;
    captures.add(function);
    last.captured = std::move(captures.leaves);
  }
  last.made = &found;
  compiled.body = found.recursive ? &function.function() : nullptr;
  if (found.interpreted) return interpreted();
  if (found.says_errors_again) return run_carefully(found, function, args, signature.leaves);
  for (Value& arg : args) arg = Value();  // the leaves are the function's alone now, where nobody else has them
  return execute(found, signature.leaves);
}

void JitCompiler::check_strict(const Compiled& compiled, const Specialization& made) {
  if (!compiled.options().strict || made.whole()) return;
  fail(message("compile_strict"), {compiled.function().function().name(), made.why_not_whole()});
}

Value JitCompiler::execute(const Specialization& made, std::span<Value> inputs) {
  const Site site(*this);
  return runtime::run(*made.plan, made.backend, *this, inputs);
}

// An error is left to the interpreter to say: nothing but draws has happened, and those are taken back.
Value JitCompiler::run_carefully(const Specialization& made, const Value& function, std::span<Value> args,
                                 std::span<Value> inputs) {
  const ops::Random random = context_.random;
  try {
    return execute(made, inputs);
  } catch (const CovecError& error) {
    if (error.diagnostics.front().code == "interrupted") throw;
  }
  context_.random = random;
  return function.function().call(eager(), args, {});
}

const Specialization& JitCompiler::find(const Value& function, std::span<Value> args, Signature& signature) {
  Known& known = known_[signature.hash()];
  for (Specialization& made : known.made) {
    if (made.words == signature.words && globals_match(made, signature)) return made;
  }
  if (made_ >= most_made) return full_;
  Specialization& made = make(known, function, args, signature);
  globals_match(made, signature);
  count(function, made);
  return made;
}

// A function that is compiled again and again is told once, with what changed last.
void JitCompiler::count(const Value& function, const Specialization& made) {
  ClosureParts parts;
  if (compiles_all_ || !closure_parts(function.function(), parts)) return;
  if (++compilations_[parts.function] != warn_after || context_.output == nullptr) return;
  context_.output->warn(function.function().name() + " has been compiled " + std::to_string(warn_after) +
                        " times: " + made.cause);
}

Specialization& JitCompiler::make(Known& known, const Value& function, std::span<Value> args,
                                  const Signature& signature) {
  Specialization& made = known.made.emplace_back();
  made.words = signature.words;
  made.fixed = signature.fixed;
  made.name = function.function().name();
  made.number = ++made_;
  explain_cause(made, function, args);
  try {
    std::unique_ptr<ir::Graph> graph = stage(made, function, args, signature);
    decide(made, *graph, function);
    if (!made.interpreted) jit::compile(made, std::move(graph), options_);
  } catch (const std::logic_error& bug) {
    if (compiles_all_) fail(message("internal"), {std::string("the compiler: ") + bug.what()});
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  }
  if (!made.says_errors_again) prepare_comparison(made, function, args);
  return made;
}

void JitCompiler::prepare_comparison(Specialization& made, const Value& function, std::span<const Value> args) {
  made.arguments = args.size();
  made.comparable =
      std::ranges::all_of(args, [&](const Value& arg) { return made.pattern.add(arg); }) &&
      std::ranges::all_of(made.globals, [&](const auto& global) { return made.pattern.add(*global.slot); });
  made.plain = made.globals.empty() && captures_nothing(function) &&
               std::ranges::all_of(args, [](const Value& arg) { return arg.is_numeric(); });
}

// What is staged but better interpreted, and what needs care.
void JitCompiler::decide(Specialization& made, const ir::Graph& graph, const Value& function) {
  ClosureParts parts;
  // Compiled and interpreted calls in turn would cost more than interpreted ones.
  if (graph.recursive) made.interpret("a function that calls itself");
  made.recursive = graph.recursive && closure_parts(function.function(), parts);
  if (!made.interpreted && !compiles_all_ && !pays(graph)) made.interpret(graph.unstaged.front().reason);
  if (made.interpreted || !graph.fails_in_batch) return;
  if (made.active.inputs > 0) return made.interpret("a check of extents in a function on a tape");
  made.says_errors_again = !has_effects(graph.body);
  if (!made.says_errors_again) made.interpret("what may have to be done again, beside effects");
}

std::unique_ptr<ir::Graph> JitCompiler::stage(Specialization& made, const Value& function, std::span<Value> args,
                                              const Signature& signature) {
  auto graph = std::make_unique<ir::Graph>();
  graph->name = function.function().name();
  const NoLevels alone(context_);
  ir::Stager stager(context_, eager(), *graph);
  std::optional<ir::ActiveWalk> active;
  if (signature.level != 0) active.emplace(stager);
  size_t leaf_number = 0;
  const auto symbols = [&](const Value& value, const std::string& name) {
    return map_walk(value, [&](const Value& leaf) {
      Value symbol = stager.parameter(leaf.is_traced() ? leaf.traced().primal : leaf, name);
      const size_t number = leaf_number++;
      return leaf.is_traced() ? active->input(std::move(symbol), signature.active[number]) : symbol;
    });
  };
  const Value staged_function = symbols(function, "");
  const std::vector<std::string_view> names = function.function().parameter_names();
  std::vector<Value> staged_args;
  for (size_t i = 0; i < args.size(); ++i) {
    staged_args.push_back(symbols(args[i], i < names.size() ? std::string(names[i]) : ""));
  }
  StagedGlobals globals(walker_, made, symbols);
  stager.set_globals([&](const core::Function& body, Value* real) { return globals.of(body, real); });
  try {
    const NoOutput quiet(context_);
    Value result = walker_.stage(staged_function, staged_args, {}, stager, stager);
    if (active)
      made.active = active->finish(result);
    else
      stager.finish(std::move(result));
  } catch (const OpError& error) {
    if (error.code == "interrupted") throw;
    made.interpret(error.message);
  } catch (const CovecError& error) {
    if (error.diagnostics.front().code == "interrupted") throw;
    made.interpret(error.diagnostics.front().message);
  }
  return graph;
}

// --- what running code asks ---

std::vector<WalkedCall> JitCompiler::calls_of(const ir::Graph& graph, uint32_t frame) const {
  std::vector<WalkedCall> calls;
  for (; frame < graph.frames.size(); frame = graph.frames[frame].caller) {
    calls.push_back({graph.frames[frame].closure, graph.frames[frame].site});
  }
  if (!calls.empty()) calls.back().site = Span();
  return calls;
}

void JitCompiler::raise(const OpError& error, const ir::Graph& graph, uint32_t number) {
  const ir::Place& place = graph.places[number];
  const StagedPlace where{nullptr, place.whole, place.operands, place.entry, place.frame};
  context_.site = site_;
  walker_.raise_in(error, where, calls_of(graph, place.frame));
  __builtin_unreachable();
}

int64_t JitCompiler::interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                               std::span<Value> results) {
  ClosureParts parts;
  closure_parts(live[0].function(), parts);
  std::vector<Value> slots(parts.function->slots, Value::unbound());
  for (size_t i = 1; i + 1 < op.args.size(); i += 2) slots[static_cast<size_t>(live[i].i64())] = std::move(live[i + 1]);
  std::vector<WalkedCall> calls = calls_of(graph, graph.places[op.place].frame);
  calls[0].closure = live[0];
  Value result;
  context_.site = site_;
  const Flow flow = walker_.run_statement(*static_cast<const core::Stmt*>(op.node), slots, calls, result);
  for (size_t i = 0; i < op.rest.size(); ++i) results[i] = std::move(slots[static_cast<size_t>(op.rest[i].i64())]);
  if (op.exits) results[op.rest.size()] = std::move(result);
  return static_cast<int64_t>(flow);
}

Value JitCompiler::call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t number) {
  const ir::Place& place = graph.places[number];
  const StagedPlace where{nullptr, place.whole, place.operands, place.entry, place.frame};
  context_.site = site_;
  return walker_.call_in(function, args, where, calls_of(graph, place.frame));
}

}  // namespace covec::jit
