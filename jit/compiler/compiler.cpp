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

constexpr unsigned warn_after = 16;  // compilations of one function
constexpr unsigned most_closed = 3;  // lengths of a list, or texts, that have code of their own
constexpr unsigned patience = 8;     // looks in vain before a call goes without
constexpr unsigned doublings_where_many = 12;
constexpr unsigned doublings_where_known = 7;
constexpr size_t much = 500;  // words that take long to find

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

// Where code is looked for in vain again and again, more and more calls go without a look: it takes longer the larger
// the arguments are, and where each call brings what is new, none is ever found.
void lend(Compiled& compiled, LastCall& last, unsigned doublings) {
  if (!may_lend(compiled) || ++last.in_vain < patience) return;
  last.lent = 1u << std::min(last.in_vain - patience, doublings);
  compiled.lend(compiled.function().function(), last.lent);
}

unsigned doublings_of(const Specialization& made) { return made.large ? doublings_where_many : doublings_where_known; }

// Code that is interpreted as it does little: whether to look at all that goes in, which may have grown. Calls that are
// lent in between are rare enough.
bool looks_again(const Compiled& compiled, std::span<const Value> args, LastCall& last) {
  constexpr unsigned calls = 128;
  if (!last.made->by_choice) return false;
  if (!last.made->plain && (may_lend(compiled) || ++last.glances % calls == 0)) return true;
  return Policy::why_outgrown(*last.made, args, compiled.is_measured()) != nullptr;
}

uint64_t looking_at(size_t words) { return words <= Contest::few_words ? 0 : words * Contest::of_word; }

// What is changed in place is copied where the values before must be there to make the call again.
uint64_t copying(std::span<const Value> args) {
  struct Sizes {
    uint64_t ns = 0;
    bool open() const { return true; }
    bool leaf(const Value& value) {
      if (value.is_tensor())
        ns += static_cast<uint64_t>(value.tensor().size()) * size_of(value.tensor().dtype()) / Contest::bytes_in_ns;
      if (value.is(ObjectKind::list)) ns += Contest::of_item * value.list().size();
      return true;
    }
    bool whole(const Value&) { return true; }
    bool parts(const Value&, size_t) { return true; }
  } sizes;
  for (const Value& arg : args) walk(arg, sizes);
  return sizes.ns < Contest::worth ? 0 : sizes.ns;
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
      host_(context_, walker_) {
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

Value JitCompiler::run(Compiled& compiled, std::span<Value> args, LastCall& last) {
  if ((last.made == nullptr || last.made->watched) && !watching_) [[unlikely]]
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
Value JitCompiler::run_watched(Compiled& compiled, std::span<Value> args, LastCall& last) {
  constexpr uint64_t long_time = 2000000000;
  const auto before = std::chrono::steady_clock::now();
  const uint64_t by_interpreter = host_.interpreted();
  last.lent = 0;
  Value result;
  {
    const Watching watching(watching_);
    result = run_any_way(compiled, args, last);
  }
  const Specialization* const made = last.made;
  if (made == nullptr || !made->watched) return result;
  const auto nanoseconds = std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
  const uint64_t taken = static_cast<uint64_t>(nanoseconds) * (1 + last.lent);
  made->taken += taken;
  made->taken_by_interpreter += made->interpreted ? taken : host_.interpreted() - by_interpreter;
  if (made->taken_by_interpreter >= long_time && made->taken_by_interpreter > made->taken / 2) {
    made->watched = false;
    if (context_.output != nullptr) context_.output->warn(cliff_text(walker_, *made));
  }
  return result;
}

Value JitCompiler::run_any_way(Compiled& compiled, std::span<Value> args, LastCall& last) {
  return last.contest.is_on() ? run_contested(compiled, args, last) : run_code(compiled, args, last);
}

Value JitCompiler::run_contested(Compiled& compiled, std::span<Value> args, LastCall& last) {
  Callable& body = compiled.function().function();
  if (compiled.body != nullptr) {
    compiled.borrow();
    return body.call(eager(), args, {});
  }
  const Contest::Turn turn = last.contest.turn();
  if (turn == Contest::Turn::code || compiled.is_measured()) return run_code(compiled, args, last);
  const auto before = std::chrono::steady_clock::now();
  const auto nanoseconds = [&] {
    return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count());
  };
  const Specialization* const made = last.made;
  if (turn == Contest::Turn::timed_code) {
    Value result = run_code(compiled, args, last);
    if (last.made == made) last.contest.code_took(nanoseconds());
    return result;
  }
  Value result = body.call(eager(), args, {});
  if (const unsigned calls = last.contest.interpreter_took(nanoseconds()); calls > 0) compiled.lend(body, calls);
  return result;
}

// What a call costs is not weighed where the program says how it is to run.
bool JitCompiler::may_contest(const Compiled& compiled, const Signature& signature) const {
  return may_lend(compiled) && !policy_.compiles_all && !signature.measured && signature.device == nullptr;
}

Value JitCompiler::run_code(Compiled& compiled, std::span<Value> args, LastCall& last) {
  if (last.made == nullptr || last.generation != table_.generation() || !last.made->fits(args) ||
      !has_room(*last.made)) {
    return run_any(compiled, args, last);
  }
  if (last.made->interpreted) {
    if (looks_again(compiled, args, last)) return run_any(compiled, args, last);
    if (!last.made->recursive) lend(compiled, last, doublings_of(*last.made));
    return compiled.function().function().call(eager(), args, {});
  }
  if (last.made->says_errors_again) return run_carefully(compiled, args, last);
  return last.made->plain ? execute(*last.made, args) : run_again(*last.made, last.captured, args);
}

Value JitCompiler::run_carefully(Compiled& compiled, std::span<Value> args, const LastCall& last) {
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

Value JitCompiler::run_any(Compiled& compiled, std::span<Value> args, LastCall& last) {
  const Value& function = compiled.function();
  if (const bool lent = compiled.body != nullptr; lent || !policy_.enabled) {
    if (lent) compiled.borrow();
    return function.function().call(eager(), args, {});
  }
  Borrowed borrowed(spare_signature_);
  Signature& signature = borrowed.signature();
  const auto interpreted = [&] {
    signature.leaves.clear();  // what is changed in place is not copied for them
    return function.function().call(eager(), args, {});
  };
  const Specialization* code = known_open(compiled, args, signature, last);
  if (code == nullptr) {
    const bool describable = describe(compiled, args, signature, false);
    if (signature.holds_more && context_.innermost != nullptr) return interpreted();
    if (describable && signature.level != 0) return run_active(compiled, args, signature, last);
    if (!describable)  // the signature is that of a part
      code = find_open(compiled, args, signature);
    else
      code = is_of(last, signature) ? last.made : &find(compiled, args, signature);
  }
  if (code == nullptr) {
    if (context_.innermost == nullptr && context_.batches.empty())
      lend(compiled, last, signature.words.size() > much ? doublings_where_many : doublings_where_known);
    return interpreted();
  }
  const Specialization& found = weighed(compiled, args, signature, *code);
  check_strict(compiled, found);
  if (!has_room(found)) return interpreted();
  if (last.made == nullptr) {
    Signature captures;
    captures.add(function);
    last.captured = std::move(captures.leaves);
  }
  last.made = &found;
  last.open |= found.open;
  last.generation = table_.generation();
  if (found.recursive) compiled.lend(function.function(), Callable::always);
  if (found.interpreted) {
    if (!found.recursive) lend(compiled, last, &found == &table_.many() ? doublings_where_many : doublings_of(found));
    return interpreted();
  }
  last.in_vain = 0;
  if (may_contest(compiled, signature))
    last.contest.costs(looking_at(found.looks()) + (found.says_errors_again ? copying(args) : 0));
  if (found.says_errors_again)
    return carefully(found, compiled, args, [&] { return execute(found, signature.leaves); });
  for (Value& arg : args) arg = Value();  // the leaves are the function's alone now, where nobody else has them
  return execute(found, signature.leaves);
}

Value JitCompiler::run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCall& last) {
  const Value& function = compiled.function();
  if (can_be_entry(context_, signature)) {
    signature.memory = context_.innermost->tape->memory_bound();
    if (signature.memory != 0) signature.words.push_back(signature.memory);
    const Specialization& made = find(compiled, args, signature);
    check_strict(compiled, made);
    if (!made.interpreted && has_room(made)) {
      if (may_contest(compiled, signature)) last.contest.costs(looking_at(made.looks()));
      return carefully(made, compiled, args, [&] { return call_active(host_, context_, made, signature); });
    }
  }
  signature.leaves.clear();
  return function.function().call(eager(), args, {});
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

bool JitCompiler::is_of(const LastCall& last, Signature& signature) const {
  return last.made != nullptr && last.generation == table_.generation() && last.made->words == signature.words &&
         last.made->globals_match(signature);
}

// Open code, where the function has some: what goes in is not looked through for it.
const Specialization* JitCompiler::known_open(const Compiled& compiled, std::span<Value> args, Signature& signature,
                                              const LastCall& last) const {
  if (!last.open || !describe(compiled, args, signature, true) || signature.level != 0) return nullptr;
  if (signature.holds_more && context_.innermost != nullptr) return nullptr;
  const Specialization* const found = is_of(last, signature) ? last.made : table_.find(signature);
  return found == nullptr || suits(compiled, *found) ? found : nullptr;
}

const Specialization& JitCompiler::find(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  const Value& function = compiled.function();
  if (const Specialization* known = table_.find(signature)) return *known;
  if (const Specialization* open = find_open(compiled, args, signature)) return *open;
  if (has_many(function, signature.varies)) {
    compilations_.give_up(function);
    return table_.many();
  }
  if (table_.is_full()) {
    if (!policy_.compiles_all && context_.output != nullptr && context_.warned.insert("code table").second)
      context_.output->warn("this run has compiled as much as a session keeps: what comes now runs eagerly");
    return table_.full();
  }
  const Specialization& made = make(function, args, signature);
  made.globals_match(signature);
  count(function, made);
  if (signature.may_open && signature.level == 0) count_closed(compiled, args, made);
  return made;
}

// The same, or what takes its place where it is interpreted as it did little with what it was made for.
const Specialization& JitCompiler::weighed(const Compiled& compiled, std::span<Value> args, Signature& signature,
                                           const Specialization& found) {
  if (&found == &table_.many()) return found;
  const auto own = std::span<const Value>(signature.leaves).first(signature.own);
  const char* const why = Policy::why_outgrown(found, own, signature.measured);
  if (why == nullptr) return found;
  table_.set_aside(found, signature, why);
  signature.leaves.resize(signature.own);
  return find(compiled, args, signature);
}

// Code for lists of any length, for any text and for long trees as a whole, where several have had code of their own or
// would be long to look through, and it leaves no more to the interpreter than theirs does: it knows less.
const Specialization* JitCompiler::find_open(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  if (!signature.may_open || signature.level != 0) return nullptr;
  Signature open;
  if (!describe(compiled, args, open, true) || open.level != 0) return nullptr;
  if (open.holds_more && context_.innermost != nullptr) return nullptr;
  Compilations::Closed* const closed = compilations_.closed(compiled.function(), open);
  if (closed == nullptr || closed->stays) return nullptr;
  if (closed->count < most_closed && !open.is_long() && !open.long_text) return nullptr;
  const Specialization* found = table_.find(open);
  if (found != nullptr && !suits(compiled, *found)) return nullptr;
  if (found == nullptr) {
    if (table_.is_full() || has_many(compiled.function(), false)) return nullptr;
    const Specialization& made = make(compiled.function(), args, open);
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
  if (!many || policy_.compiles_all || context_.output == nullptr || made.interpreted) return;
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

const Specialization& JitCompiler::make(const Value& function, std::span<Value> args, const Signature& signature) {
  Specialization& made = table_.add(signature);
  try {
    made.name = function.function().name();
    explain_cause(made, table_, function, args);
    if (const char* why = table_.why_aside(signature)) {
      made.cause = why;
      made.again = true;
    }
    std::unique_ptr<ir::Graph> graph = stage(context_, walker_, made, function, args, signature);
    policy_.decide(made, *graph, function, signature);
    made.share = share_of(*graph);
    made.frames = graph->frames_inside();
    made.watched = !policy_.compiles_all && !made.by_choice && (made.interpreted || !graph->unstaged.empty());
    keep(*graph, made);
    PipelineOptions options = policy_.options;
    options.libraries = &libraries_;
    options.interrupt = context_.interrupt;
    options.device = signature.device;
    if (options.device != nullptr) options.eager_kernels = false;  // the library's are the processor's
    if (signature.automatic && options.device_use == runtime::DeviceUse::large)
      options.device_use = runtime::DeviceUse::pays;
    options.precision = signature.precision;
    if (!made.interpreted) made.code = jit::compile(std::move(graph), options);
    if (signature.measured && !made.interpreted) made.code.measure();
    if (!made.interpreted && !made.code.runs()) made.interpret(no_machine_code);
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
