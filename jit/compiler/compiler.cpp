#include "jit/compiler/compiler.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/explain.hpp"
#include "jit/specialize/stage.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

std::unique_ptr<Compiler> make_compiler(Session& session) { return std::make_unique<jit::JitCompiler>(session); }

}  // namespace covec

namespace covec::jit {

namespace {

constexpr unsigned warn_after = 16;  // compilations of one function
constexpr unsigned most_closed = 3;  // lengths of a list, or texts, that have code of their own

// What could be compiled whole, but is better interpreted, leaves nothing.
size_t left_to_interpreter(const Specialization& made) {
  if (made.by_choice) return 0;
  return made.interpreted ? SIZE_MAX : made.share.interpreted();
}

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
  return found == nullptr || compiled.suits(*found) ? found : nullptr;
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
  if (found != nullptr && !compiled.suits(*found)) return nullptr;
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
  return policy_.tier == Tier::timed && !made.says_errors_again && made.look_ns() == 0;
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
