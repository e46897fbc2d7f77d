#include "jit/specialize/function_compiler.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "jit/specialize/cause.hpp"
#include "jit/specialize/perf_map.hpp"
#include "jit/specialize/stage.hpp"
#include "jit/specialize/written_loops.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/perf_map.hpp"
#include "stdlib/ops/contract/activity.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::jit {

namespace {

// What the graph keeps of the program does not keep the program's text; what text it is of is noted.
void keep(ir::Graph& graph, Specialization& made) {
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
    if (closure_parts(frame.closure.function(), parts)) made.key.source_units.push_back(parts.source_unit);
    value(frame.closure);
  }
}

}  // namespace

// Without a signature: for the processor, of full precision, not measured.
void FunctionCompiler::generate(Specialization& made, std::unique_ptr<ir::Graph> graph, const Signature* signature) {
  PipelineOptions options = policy_.options;
  options.libraries = &libraries_;
  options.interrupt = context_.interrupt;
  options.placed = context_.activities != nullptr;
  if (signature != nullptr) {
    options.device = signature->device;
    if (options.device != nullptr) options.eager_kernels = false;  // the library's are the processor's
    if (signature->automatic && options.device_use == runtime::DeviceUse::large)
      options.device_use = runtime::DeviceUse::profitable;
    options.precision = signature->precision;
  }
  made.code = jit::compile(std::move(graph), options);
  if (signature != nullptr && signature->measured) made.code.measure();
  if (!made.code.runs()) made.interpret(no_machine_code);
  const char* const wants_map = context_.gate->variable("COVEC_PERF_MAP");
  if (wants_map != nullptr && std::string_view(wants_map) == "1")
    gate::append_to_perf_map(perf_map_of(made.code, made.name));
}

// Whether there is nothing to decide about who makes a call.
bool FunctionCompiler::stays_code(const Specialization& made, const Signature& signature) const {
  if (made.interpreted) return false;
  if (policy_.compiles_all || signature.device != nullptr) return true;
  return policy_.tier == Tier::timed && (made.acts || (!made.replays_errors && made.check_ns() == 0));
}

namespace {

// The function of the program that `function` is, or is made of: by grad, say.
const core::Function* program_function(const Value& function) {
  ClosureParts parts;
  Value at = function;
  while (at.is(ObjectKind::function) && !closure_parts(at.function(), parts)) {
    const std::vector<Value> captures = at.function().captures();
    at = captures.empty() ? Value() : captures[0];
  }
  return at.is(ObjectKind::function) ? parts.function : nullptr;
}

}  // namespace

// What is thrown leaves nothing in the table: the next call tries again.
Specialization& FunctionCompiler::make(const Value& function, std::span<Value> args, Signature& signature) {
  const ops::ActivityScope scope(context_.activities, ops::Activity::Kind::compiling, program_function(function));
  const Specialization* const like = table_.find_family(signature);
  Specialization& made = table_.add(signature, like != nullptr ? like->family.get() : nullptr);
  try {
    fill(made, function, args, signature);
  } catch (...) {
    table_.remove(made, signature);
    throw;
  }
  if (!made.replays_errors || made.code.graph->calls_itself) made.guard.prepare(function, args, made.key);
  return made;
}

namespace {

bool has_loop(const ir::Region& region) {
  return std::ranges::any_of(region.operations, [](const ir::Operation& operation) {
    return is_loop(operation) || std::ranges::any_of(operation.regions, has_loop);
  });
}

bool has_loop(const ir::Graph& graph) { return graph.has_recursion() || has_loop(graph.body); }

// SIZE_MAX: it is not staged at all.
size_t left_out(const Specialization& made, const ir::Graph& graph) {
  return made.interpreted ? SIZE_MAX : graph.unstaged.size();
}

}  // namespace

// For any extents where there is no loop. Extents that are known may show while staging that a statement fails: then it
// is staged for any, too, so that the run says so. What is most likely comes first.
std::unique_ptr<ir::Graph> FunctionCompiler::staged(Specialization& made, const Value& function, std::span<Value> args,
                                                    Signature& signature) {
  Family& family = *made.family;
  const auto once = [&](const Family* small) {
    made.begin_again();
    std::unique_ptr<ir::Graph> graph = stage(context_, walker_, made, function, args, signature, {.small = small});
    if (!graph->one_by_one.empty()) family.max_extent = max_example_extent;
    return graph;
  };
  // Of the graph that has been made last: which names it reads is known by now.
  const auto knows_extents = [&] {
    made.key.is_of_family(signature);
    return std::ranges::any_of(family.known_of(signature.extents), [](SmallExtents each) { return each != 0; });
  };
  std::unique_ptr<ir::Graph> graph;
  if (!family.left_out) {
    const bool small_first = writes_loop(function);
    const int64_t most = small_first ? family.max_extent : max_example_extent;
    graph = once(small_first ? &family : nullptr);
    if (family.max_extent > most && knows_extents()) graph = once(&family);
    if (small_first && knows_extents()) {
      if (left_out(made, *graph) == 0 && has_loop(*graph)) return graph;
      graph = once(nullptr);
    }
    family.left_out = left_out(made, *graph);
    family.takes_all = made.interpreted || !has_loop(*graph);
    if (!knows_extents()) return graph;
  }
  graph = once(&family);
  return left_out(made, *graph) <= *family.left_out ? std::move(graph) : once(nullptr);
}

void FunctionCompiler::fill(Specialization& made, const Value& function, std::span<Value> args, Signature& signature) {
  try {
    made.name = function.function().name();
    const Specialization* const before = table_.last_invalid(signature);
    made.may_replay = before == nullptr || before->may_replay;
    explain_cause(made, table_, function, args);  // as far as it is known, should staging fail
    std::unique_ptr<ir::Graph> graph = staged(made, function, args, signature);
    table_.join_family(made, signature);
    explain_cause(made, table_, function, args);
    if (before != nullptr) {
      made.cause.text = before->why_invalid;
      made.again = true;
    }
    const bool waits = policy_.decide(made, *graph, function, signature);
    made.share = share_of(*graph);
    made.frames = graph->frames_inside();
    if (!policy_.compiles_all && !made.by_choice && (made.interpreted || !graph->unstaged.empty())) made.watch.start();
    keep(*graph, made);
    made.stays_code = stays_code(made, signature);
    if (waits)
      made.waiting = std::move(graph);
    else if (!made.interpreted)
      generate(made, std::move(graph), &signature);
  } catch (const std::logic_error& bug) {
    if (policy_.compiles_all) fail(message("internal"), {std::string("the compiler: ") + bug.what()});
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  } catch (const CovecError& error) {
    const Diagnostic& first = error.diagnostics.front();
    if (policy_.compiles_all || first.code != "internal") throw;
    made.interpret(first.message, first.labels.empty() ? Span() : first.labels.front().span);
  }
}

void FunctionCompiler::finish(Specialization& made, const char* why) {
  const Value function = made.waiting->frames.empty() ? Value() : made.waiting->frames[0].closure;
  const ops::ActivityScope scope(context_.activities, ops::Activity::Kind::compiling, program_function(function));
  if (why != nullptr) {
    made.by_choice = false;
    made.cause.text = why;
  }
  std::unique_ptr<ir::Graph> graph = std::move(made.waiting);
  made.interpreted = false;
  try {
    policy_.check_repetitions(made, *graph);
    if (!made.interpreted) generate(made, std::move(graph), nullptr);
  } catch (const std::logic_error& bug) {
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  } catch (...) {
    made.interpret("it was interrupted while it was compiled");
    throw;
  }
}

}  // namespace covec::jit
