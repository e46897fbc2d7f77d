#include "jit/compiler/compiler.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/active_call.hpp"
#include "jit/compiler/explain.hpp"
#include "jit/compiler/stage.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec {

std::unique_ptr<Compiler> make_compiler(Session& session) { return std::make_unique<jit::JitCompiler>(session); }

}  // namespace covec

namespace covec::jit {

namespace {

constexpr unsigned warn_after = 16;        // compilations of one function
constexpr unsigned most_closed = 3;        // lengths of a list, or texts, that have code of their own
constexpr uint64_t saved_by_lending = 65;  // ns; measured with functions of a few operations
constexpr unsigned patience = 8;           // calls of the interpreter in turn before one goes without a look

// What could be compiled whole, but is better interpreted, leaves nothing.
size_t left_to_interpreter(const Specialization& made) {
  if (made.by_choice) return 0;
  return made.interpreted ? SIZE_MAX : made.share.interpreted();
}

// With strict=true, code that leaves something to the interpreter does not.
bool suits(const Compiled& compiled, const Specialization& made) {
  return !compiled.request().strict || made.whole() || made.by_choice;
}

void check_strict(const Compiled& compiled, const Specialization& made) {
  if (suits(compiled, made)) return;
  fail(message("compile_strict"), {compiled.function().function().name(), made.why_not_whole()});
}

// Whether calls may go to the interpreter without a look.
bool may_lend(const Compiled& compiled) {
  return compiled.function().function().callable_kind == CallableKind::closure && !compiled.request().strict;
}

// What it takes to look at so many parts of what goes in beyond what is needed anyway, in ns.
uint64_t looking_at(size_t words) {
  constexpr uint64_t each = 40;
  return words <= Specialization::few_looks ? 0 : words * each;
}

// What goes in, and what it takes to copy what may be changed in place, so that the call can be made again.
struct Sizes {
  static constexpr uint64_t of_item = 8, bytes_in_ns = 32, worth = 1000;  // ns of an item of a list; ns to speak of
  int64_t elements = 0, largest = 0;                                      // largest: of a tensor
  uint64_t copying = 0;
  bool open() const { return true; }
  bool leaf(const Value& value) {
    if (value.is_tensor()) {
      elements += value.tensor().size();
      largest = std::max(largest, value.tensor().size());
      copying += static_cast<uint64_t>(value.tensor().size()) * size_of(value.tensor().dtype()) / bytes_in_ns;
    } else if (value.is(ObjectKind::list)) {
      elements += static_cast<int64_t>(value.list().size());
      copying += of_item * value.list().size();
    } else {
      ++elements;
    }
    return true;
  }
  bool whole(const Value&) { return true; }
  bool parts(const Value&, size_t) { return true; }
  uint64_t copying_to_speak_of() const { return copying < worth ? 0 : copying; }
};

Sizes sizes_of(std::span<const Value> args) {
  Sizes sizes;
  for (const Value& arg : args) walk(arg, sizes);
  return sizes;
}

// While the interpreter makes a call again, the calls inside it are the interpreter's, too.
class LentToItself {
 public:
  explicit LentToItself(Compiled& compiled) : compiled_(compiled) {
    compiled.lend(compiled.function().function(), Callable::always);
  }
  LentToItself(const LentToItself&) = delete;
  LentToItself& operator=(const LentToItself&) = delete;
  ~LentToItself() { compiled_.take_back(); }

 private:
  Compiled& compiled_;
};

// A signature with the memory of an earlier one.
class Borrowed {
 public:
  explicit Borrowed(Signature& spare) : spare_(spare), signature_(std::exchange(spare, Signature())) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    signature_.clear();
    spare_ = std::move(signature_);
  }
  Signature& signature() { return signature_; }

 private:
  Signature& spare_;
  Signature signature_;
};

}  // namespace

JitCompiler::JitCompiler(Session& session)
    : session_(session),
      context_(context_of(session)),
      walker_(walker_of(session)),
      policy_(context_),
      host_(context_, walker_),
      dispatcher_(policy_.tier) {
  context_.compiler = this;
}

JitCompiler::~JitCompiler() { context_.compiler = nullptr; }

Value JitCompiler::compile(const Value& function, const CompileRequest& request) {
  if (function.function().entry() != nullptr) return function;
  if (is_compiled(function)) {
    const auto& compiled = static_cast<const Compiled&>(function.function());
    CompileRequest both = request;
    both.strict = request.strict || compiled.request().strict;
    if (both.device == nullptr && !both.automatic) both.device = compiled.request().device;
    if (both.precision == Precision::full) both.precision = compiled.request().precision;
    if (both == compiled.request()) return function;
    return Value::adopt(new Compiled(*this, compiled.function(), both));
  }
  if (!__builtin_cpu_supports("avx2") && context_.output != nullptr && context_.warned.insert("no AVX2").second) {
    context_.output->warn("this processor has no AVX2: compiled functions run eagerly, with the same results");
  }
  return Value::adopt(new Compiled(*this, function, request));
}

bool JitCompiler::is_compiled(const Value& function) const {
  return function.is(ObjectKind::function) && function.function().callable_kind == CallableKind::compiled;
}

std::string JitCompiler::explain(const Value& function, const ExplainRequest& request) {
  const bool compiled = is_compiled(function);
  if (!compiled && !compiles_all()) return unmarked(function);
  const Value& body = compiled ? static_cast<const Compiled&>(function.function()).function() : function;
  if (request.measure) {
    if (!roofline_) roofline_.emplace(eager());
    if (compiled) static_cast<Compiled&>(function.function()).measure();
    measure(table_, body);
  }
  return jit::explain(walker_, table_, body, compilations_.gave_up_on(body),
                      {request.full, request.measure ? &*roofline_ : nullptr});
}

// --- calls ---

Value JitCompiler::run(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  const bool known = last.made != nullptr && last.generation == table_.generation();
  if ((!known || last.made->watched) && !watching_) [[unlikely]]
    return run_watched(compiled, args, last);
  return run_any_way(compiled, args, last);
}

namespace {

// Calls inside count as part of the outermost one.
class Watching {
 public:
  explicit Watching(bool& now) : now_(now) { now_ = true; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { now_ = false; }

 private:
  bool& now_;
};

}  // namespace

// A function that is interpreted for the most part, though it is to be compiled, says so when that has taken long.
Value JitCompiler::run_watched(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  constexpr uint64_t long_time = 2000000000;
  const auto before = std::chrono::steady_clock::now();
  const uint64_t by_interpreter = host_.interpreted();
  Value result;
  {
    const Watching watching(watching_);
    result = run_any_way(compiled, args, last);
  }
  const Specialization* const made = last.made;
  if (made == nullptr || last.generation != table_.generation() || !made->watched) return result;
  const auto nanoseconds = std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
  const uint64_t taken = static_cast<uint64_t>(nanoseconds) * last.stands_for;
  made->taken += taken;
  made->taken_by_interpreter += made->interpreted ? taken : host_.interpreted() - by_interpreter;
  if (made->taken_by_interpreter >= long_time && made->taken_by_interpreter > made->taken / 2) {
    made->watched = false;
    if (context_.output != nullptr) context_.output->warn(cliff_text(walker_, *made));
  }
  return result;
}

Value JitCompiler::run_any_way(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  if (compiled.body != nullptr || !policy_.enabled) [[unlikely]] {
    if (compiled.body != nullptr) compiled.borrow();
    return compiled.function().function().call(eager(), args, {});
  }
  const uint64_t began = last.may_be_timed > 0 ? dispatcher_.now() : 0;
  last.may_be_timed -= began != 0;
  Specialization* const made = last.find(args, table_.generation());
  if (made == nullptr || !has_room(*made)) return run_any(compiled, args, last, began);
  last.made = made;
  if (made->stays_code) {
    last.by_interpreter = 0;
    return run_code(compiled, args, last);
  }
  return dispatch(
      compiled, args, last, *made, began, [&] { return run_code(compiled, args, last); },
      [&] { return compiled.function().function().call(eager(), args, {}); });
}

Value JitCompiler::run_code(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  if (last.made->says_errors_again) return run_carefully(compiled, args, last);
  return last.made->plain ? execute(*last.made, args) : run_again(*last.made, last.captured, args);
}

// --- who makes a call ---

// By code, or by the interpreter: facts decide first, and then what both take (jit/dispatch).
template <class ByCode, class ByInterpreter>
Value JitCompiler::dispatch(Compiled& compiled, std::span<Value> args, LastCalls& last, Specialization& made,
                            uint64_t began, ByCode by_code, ByInterpreter by_interpreter) {
  if (made.waits() && compiled.is_measured()) {
    finish(made, "it is to be measured");
    if (!made.interpreted) made.code.measure();
  }
  if (made.interpreted && !made.waits()) return interpret(compiled, last, looking_at(made.looks()), by_interpreter);
  const Sizes sizes = sizes_of(args);
  if (made.waits() && sizes.largest > Standings::many && made.elements <= Standings::many)
    finish(made, "its tensors have grown");
  if (made.interpreted && !made.waits()) return by_interpreter();
  if (compiled.request().strict || compiled.is_measured()) return made.interpreted ? by_interpreter() : by_code();
  const uint64_t overhead = looking_at(made.looks()) + (made.says_errors_again ? sizes.copying_to_speak_of() : 0);
  if (overhead == 0 && !made.by_choice && policy_.tier == Tier::timed) {
    last.by_interpreter = 0;
    return by_code();
  }
  Standing& standing = made.standing(sizes.elements);
  if (standing.state == Standing::State::unseen) began = 0;  // the code may have been made since
  standing.overhead = overhead;
  standing.saved = may_lend(compiled) ? saved_by_lending : 0;
  const Dispatcher::Turn turn = dispatcher_.turn(standing, made.by_choice, std::exchange(last.stands_for, uint64_t{1}));
  if (turn.engine == Engine::code && made.waits()) {
    finish(made, nullptr);
    began = 0;
  }
  if (standing.state == Standing::State::probing) last.may_be_timed = LastCalls::most;
  if (turn.engine == Engine::interpreter || made.interpreted)
    return interpret_for_now(compiled, last, standing, turn, by_interpreter);
  last.by_interpreter = 0;
  if (!turn.timed) return by_code();
  Dispatcher::Timed timed(dispatcher_, standing, turn);
  if (began == 0) began = dispatcher_.now();
  Value result = by_code();
  timed.took(dispatcher_.now() - began);
  return result;
}

template <class ByInterpreter>
Value JitCompiler::interpret_for_now(Compiled& compiled, LastCalls& last, Standing& standing, Dispatcher::Turn turn,
                                     ByInterpreter by_interpreter) {
  ++last.by_interpreter;
  if (!turn.timed) return by_interpreter();
  Dispatcher::Timed timed(dispatcher_, standing, turn);
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  const uint64_t taken = dispatcher_.now() - began;
  timed.took(taken);
  if (standing.state == Standing::State::interpreter) lend(compiled, last, standing.overhead, taken, standing.left);
  return result;
}

// What no code can be made for.
template <class ByInterpreter>
Value JitCompiler::interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter) {
  last.stands_for = 1;
  if (++last.by_interpreter < patience) return by_interpreter();
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  if (context_.innermost == nullptr && context_.batches.empty())
    lend(compiled, last, look, dispatcher_.now() - began, Dispatcher::most);
  return result;
}

// Where the interpreter makes call after call, most go without a look at what goes in.
void JitCompiler::lend(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most) {
  if (!may_lend(compiled) || last.by_interpreter < patience || compiled.body != nullptr) return;
  const uint64_t calls = dispatcher_.without_look(look, call, most);
  if (calls == 0) return;
  compiled.lend(compiled.function().function(), static_cast<unsigned>(calls));
  last.stands_for = calls + 1;
}

// Code that little was expected of is made after all. `why`: it counts as code from now on.
void JitCompiler::finish(Specialization& made, const char* why) {
  if (why != nullptr) {
    made.by_choice = false;
    made.cause = why;
  }
  std::unique_ptr<ir::Graph> graph = std::move(made.waiting);
  made.interpreted = false;
  try {
    policy_.check_repetitions(made, *graph);
    if (!made.interpreted) compile(made, std::move(graph), nullptr);
  } catch (const std::logic_error& bug) {
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  } catch (...) {
    made.interpret("it was interrupted while it was compiled");
    throw;
  }
}

Value JitCompiler::run_carefully(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  SmallVector<Value, 8> given(args.size());
  std::ranges::copy(args, given.data());
  return carefully(*last.made, compiled, args, [&] {
    return last.made->plain ? execute(*last.made, span_of(given))
                            : run_again(*last.made, last.captured, span_of(given));
  });
}

// The leaves in Signature's order: captures, arguments, globals.
Value JitCompiler::run_again(const Specialization& made, std::span<const Value> captured, std::span<Value> args) {
  SmallVector<Value, 8> leaves(captured.size() + made.pattern.leaves());
  Value* next = std::ranges::copy(captured, leaves.data()).out;
  for (Value& arg : args) {
    next = copy_leaves(arg, next, made.open);
    arg = Value();  // the leaves are the function's alone now, where nobody else has them
  }
  for (const Value* global : made.globals) next = copy_leaves(*global, next);
  return execute(made, span_of(leaves));
}

Value JitCompiler::run_any(Compiled& compiled, std::span<Value> args, LastCalls& last, uint64_t began) {
  const Value& function = compiled.function();
  Borrowed borrowed(spare_signature_);
  Signature& signature = borrowed.signature();
  const auto interpreted = [&] {
    signature.leaves.clear();  // what is changed in place is not copied for them
    return function.function().call(eager(), args, {});
  };
  Specialization* code = known_open(compiled, args, signature, last);
  if (code == nullptr) {
    const bool describable = describe(compiled, args, signature, false);
    if (signature.holds_more && context_.innermost != nullptr) return interpreted();
    if (describable && signature.level != 0) return run_active(compiled, args, signature, last, began);
    if (!describable)  // the signature is that of a part
      code = find_open(compiled, args, signature);
    else
      code = is_of(last, signature) ? last.made : &find(compiled, args, signature);
  }
  if (code == nullptr) return interpret(compiled, last, looking_at(signature.words.size()), interpreted);
  check_strict(compiled, *code);
  if (!has_room(*code)) return interpreted();
  if (last.made == nullptr) {
    Signature captures;
    captures.add(function);
    last.captured = std::move(captures.leaves);
  }
  last.add(*code, table_.generation());
  if (code->recursive) compiled.lend(function.function(), Callable::always);
  const auto by_code = [&] {
    if (code->says_errors_again)
      return carefully(*code, compiled, args, [&] { return execute(*code, signature.leaves); });
    for (Value& arg : args) arg = Value();  // the leaves are the function's alone now, where nobody else has them
    return execute(*code, signature.leaves);
  };
  if (code->stays_code) {
    last.by_interpreter = 0;
    return by_code();
  }
  if (code->interpreted && !code->waits())
    return interpret(compiled, last, looking_at(signature.words.size()), interpreted);
  return dispatch(compiled, args, last, *code, began, by_code, interpreted);
}

Value JitCompiler::run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCalls& last,
                              uint64_t began) {
  const auto interpreted = [&] {
    signature.leaves.clear();
    return compiled.function().function().call(eager(), args, {});
  };
  if (!can_be_entry(context_, signature)) return interpreted();
  signature.memory = context_.innermost->tape->memory_bound();
  if (signature.memory != 0) signature.words.push_back(signature.memory);
  Specialization& made = find(compiled, args, signature);
  check_strict(compiled, made);
  if (made.interpreted || !has_room(made)) return interpreted();
  const auto by_code = [&] {
    return carefully(made, compiled, args, [&] { return call_active(host_, context_, made, signature); });
  };
  if (made.stays_code) return by_code();
  return dispatch(compiled, args, last, made, began, by_code, interpreted);
}

// Calls that are part of the code count as the interpreter counts them: it says where they are too many.
bool JitCompiler::has_room(const Specialization& made) const {
  return made.frames == 0 || walker_.calls_left(1) > made.frames;
}

Value JitCompiler::execute(const Specialization& made, std::span<Value> inputs) {
  const RunHost::Site site(host_);
  return runtime::run(*made.code.plan, made.code.backend, host_, inputs);
}

// An error is left to the interpreter to say where nothing but draws has happened, which are taken back. What fails
// after an effect says what the program says (Policy::decide).
template <class Run>
Value JitCompiler::carefully(const Specialization& made, Compiled& compiled, std::span<Value> args, Run run) {
  if (!made.says_errors_again) return run();
  const ops::Random random = context_.random;
  const uint64_t effects = host_.effects();
  const auto is_final = [&](ErrorKind kind) { return ends_all(kind) || host_.effects() != effects; };
  try {
    return run();
  } catch (const CovecError& error) {
    if (is_final(error.diagnostics.front().kind)) throw;
  } catch (const OpError& error) {
    if (is_final(error.kind)) throw;
  }
  context_.random = random;
  const Value& function = compiled.function();
  if (!made.code.graph->calls_itself) return function.function().call(eager(), args, {});
  const LentToItself alone(compiled);
  return function.function().call(eager(), args, {});
}

// --- code ---

bool JitCompiler::describe(const Compiled& compiled, std::span<const Value> args, Signature& signature,
                           bool open) const {
  signature.clear();
  signature.measured = compiled.is_measured();
  if (!signature.add(compiled.function())) return false;
  signature.varies = signature.may_open = false;  // what is captured stays
  if (open) signature.begin_open();
  if (!std::all_of(args.begin(), args.end(), [&](const Value& arg) { return signature.add(arg); })) return false;
  signature.own = signature.leaves.size();
  signature.device = policy_.device_for(compiled.request());
  if (signature.device == nullptr) return true;
  signature.words.push_back(reinterpret_cast<uint64_t>(signature.device));
  signature.automatic = compiled.request().automatic;
  signature.precision = compiled.request().precision;
  signature.words.push_back(2 * static_cast<uint64_t>(signature.precision) + signature.automatic);
  return true;
}

bool JitCompiler::is_of(const LastCalls& last, Signature& signature) const {
  return last.made != nullptr && last.generation == table_.generation() && last.made->words == signature.words &&
         last.made->globals_match(signature);
}

// Open code, where the function has some: what goes in is not looked through for it.
Specialization* JitCompiler::known_open(const Compiled& compiled, std::span<Value> args, Signature& signature,
                                        const LastCalls& last) const {
  if (!last.open || !describe(compiled, args, signature, true) || signature.level != 0) return nullptr;
  if (signature.holds_more && context_.innermost != nullptr) return nullptr;
  Specialization* const found = is_of(last, signature) ? last.made : table_.find(signature);
  return found == nullptr || suits(compiled, *found) ? found : nullptr;
}

Specialization& JitCompiler::find(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  const Value& function = compiled.function();
  if (Specialization* known = table_.find(signature)) return *known;
  if (Specialization* open = find_open(compiled, args, signature)) return *open;
  if (has_many(function, signature.varies)) {
    compilations_.give_up(function);
    return table_.many();
  }
  if (table_.is_full()) {
    if (!policy_.compiles_all && context_.output != nullptr && context_.warned.insert("code table").second)
      context_.output->warn("this run has compiled as much as a session keeps: what comes now runs eagerly");
    return table_.full();
  }
  Specialization& made = make(function, args, signature);
  made.globals_match(signature);
  count(function, made);
  if (signature.may_open && signature.level == 0) count_closed(compiled, args, made);
  return made;
}

// Code for lists of any length, for any text and for long trees as a whole, where several have had code of their own or
// would be long to look through, and it leaves no more to the interpreter than theirs does: it knows less.
Specialization* JitCompiler::find_open(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  if (!signature.may_open || signature.level != 0) return nullptr;
  Signature open;
  if (!describe(compiled, args, open, true) || open.level != 0) return nullptr;
  if (open.holds_more && context_.innermost != nullptr) return nullptr;
  Compilations::Closed* const closed = compilations_.closed(compiled.function(), open);
  if (closed == nullptr || closed->stays) return nullptr;
  if (closed->count < most_closed && !open.is_long() && !open.long_text) return nullptr;
  Specialization* found = table_.find(open);
  if (found != nullptr && !suits(compiled, *found)) return nullptr;
  if (found == nullptr) {
    if (table_.is_full() || has_many(compiled.function(), false)) return nullptr;
    Specialization& made = make(compiled.function(), args, open);
    const bool any =
        open.long_text && !compiled.request().strict;  // looking at such a text takes longer than it is worth
    const size_t most_left = any ? SIZE_MAX : closed->count > 0 ? closed->left_out : 0;
    if (left_to_interpreter(made) > most_left) {
      closed->stays = true;
      table_.remove(made, open);
      return nullptr;
    }
    made.globals_match(open);
    count(compiled.function(), made);
    found = &made;
  }
  signature = std::move(open);
  return found;
}

void JitCompiler::count_closed(const Compiled& compiled, std::span<const Value> args, const Specialization& made) {
  Signature open;
  if (!describe(compiled, args, open, true)) return;
  Compilations::Closed* const closed = compilations_.closed(compiled.function(), open);
  if (closed == nullptr) return;
  ++closed->count;
  closed->left_out = std::min(closed->left_out, left_to_interpreter(made));
}

bool JitCompiler::has_many(const Value& function, bool varies) const {
  return !policy_.compiles_all && compilations_.has_many(function, varies);
}

// A function that is compiled again and again is told once, with what changed last.
void JitCompiler::count(const Value& function, const Specialization& made) {
  if (made.again) return;
  ClosureParts parts;
  const bool many = compilations_.count(function) == warn_after && closure_parts(function.function(), parts);
  if (!many || policy_.compiles_all || policy_.tier != Tier::timed || context_.output == nullptr || made.interpreted)
    return;
  context_.output->warn(function.function().name() + " has been compiled " + std::to_string(warn_after) +
                        " times: " + shortened(made.cause));
}

// What the graph keeps of the program does not keep the program's text; what text it is of is noted.
void JitCompiler::keep(ir::Graph& graph, Specialization& made) {
  const std::function<void(Value&)> value = [](Value& v) { v = kept_in_code(v); };
  const std::function<void(ir::Region&)> region = [&](ir::Region& r) {
    for (ir::Operation& operation : r.operations) {
      for (Value& v : operation.args) value(v);
      for (Value& v : operation.rest) value(v);
      for (ir::Region& inner : operation.regions) region(inner);
    }
    for (Value& v : r.results) value(v);
  };
  region(graph.body);
  for (ir::Frame& frame : graph.frames) {
    ClosureParts parts;
    if (closure_parts(frame.closure.function(), parts)) made.homes.push_back(parts.home);
    value(frame.closure);
  }
}

void JitCompiler::forget(FunctionRef<bool(const void* home)> gone) {
  const bool was_full = table_.is_full();
  table_.forget(gone);
  if (was_full) compilations_.clear();
  compilations_.forget(gone);
}

// Without a signature: for the processor, of full precision, not measured.
void JitCompiler::compile(Specialization& made, std::unique_ptr<ir::Graph> graph, const Signature* signature) {
  PipelineOptions options = policy_.options;
  options.libraries = &libraries_;
  options.interrupt = context_.interrupt;
  if (signature != nullptr) {
    options.device = signature->device;
    if (options.device != nullptr) options.eager_kernels = false;  // the library's are the processor's
    if (signature->automatic && options.device_use == runtime::DeviceUse::large)
      options.device_use = runtime::DeviceUse::pays;
    options.precision = signature->precision;
  }
  made.code = jit::compile(std::move(graph), options);
  if (signature != nullptr && signature->measured) made.code.measure();
  if (!made.code.runs()) made.interpret(no_machine_code);
}

// Whether there is nothing to decide about who makes a call.
bool JitCompiler::stays_code(const Specialization& made, const Signature& signature) const {
  if (made.interpreted) return false;
  if (policy_.compiles_all || signature.device != nullptr) return true;
  return policy_.tier == Tier::timed && !made.says_errors_again && looking_at(made.looks()) == 0;
}

Specialization& JitCompiler::make(const Value& function, std::span<Value> args, const Signature& signature) {
  Specialization& made = table_.add(signature);
  try {
    made.name = function.function().name();
    explain_cause(made, table_, function, args);
    if (const char* why = table_.why_aside(signature)) {
      made.cause = why;
      made.again = true;
    }
    std::unique_ptr<ir::Graph> graph = stage(context_, walker_, made, function, args, signature);
    const bool waits = policy_.decide(made, *graph, function, signature);
    made.share = share_of(*graph);
    made.frames = graph->frames_inside();
    made.watched = !policy_.compiles_all && !made.by_choice && (made.interpreted || !graph->unstaged.empty());
    keep(*graph, made);
    made.stays_code = stays_code(made, signature);
    if (waits)
      made.waiting = std::move(graph);
    else if (!made.interpreted)
      compile(made, std::move(graph), &signature);
  } catch (const std::logic_error& bug) {
    if (policy_.compiles_all) fail(message("internal"), {std::string("the compiler: ") + bug.what()});
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  } catch (...) {  // an interrupt, no memory: the next call tries again
    table_.remove(made, signature);
    throw;
  }
  if (!made.says_errors_again || made.code.graph->calls_itself) made.prepare_comparison(function, args);
  return made;
}

}  // namespace covec::jit
