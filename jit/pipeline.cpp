#include "jit/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>

#include "jit/device/code.hpp"
#include "jit/loops/coalesce.hpp"
#include "jit/loops/fuse/units_text.hpp"
#include "jit/loops/lanes/find_lanes.hpp"
#include "jit/loops/own_calls.hpp"
#include "jit/loops/routine_of_function.hpp"
#include "jit/loops/views.hpp"
#include "jit/passes/passes.hpp"
#include "jit/runtime/meter.hpp"
#include "jit/simd/compile.hpp"
#include "jit/source/engine.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::jit {

namespace {

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double microseconds = std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
    return microseconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

#ifdef NDEBUG
constexpr bool debug_build = false;
#else
constexpr bool debug_build = true;
#endif

void check(const std::string& pass, const std::string& fault) {
  if (!fault.empty()) throw std::logic_error("after " + pass + ": " + fault);
}

// Machine code is small beside what it is made of: once that is there, it is made.
void look(const PipelineOptions& options) {
  if (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed)) fail(message("interrupted"));
}

}  // namespace

// --- the tensor IR, rewritten ---

namespace {

// When a pass runs: with_own_stacks where what is pushed is popped in the same graph; once for a graph and its
// functions.
enum class Only : uint8_t { always, on_devices, on_processor, with_own_stacks, once };

bool is_for(Only only, const ir::Graph& graph, const PipelineOptions& options) {
  switch (only) {
    case Only::always: break;
    case Only::on_devices: return options.for_device();
    case Only::on_processor: return !options.for_device() && !options.plain;
    case Only::with_own_stacks: return !graph.shares_stacks();
    case Only::once: return !graph.is_function && !options.again;
  }
  return true;
}

struct GraphPass {
  const char* name;
  Pass run;
  Only only = Only::always;
};

std::span<const GraphPass> graph_passes() {
  static constexpr GraphPass passes[] = {
      {"residuals", passes::residuals, Only::once},  // values that reverse regions need are carried to them
      {"dce", passes::dce, Only::once},              // what nobody needs goes
      {"outline", passes::outline, Only::once},      // functions that call themselves become graphs of their own
      {"examples", passes::examples_in_lanes, Only::on_processor},
      {"fold", passes::fold},                                   // what is known is computed
      {"simplify", passes::simplify},                           // rewrites that keep every bit
      {"unroll", passes::unroll},                               // short loops of known length
      {"cse", passes::cse},                                     // equal operations once
      {"licm", passes::licm},                                   // out of loops what does not change there
      {"scalarize", passes::scalarize, Only::with_own_stacks},  // small tensors become numbers
      {"examples", passes::examples_together, Only::on_devices},
      {"examples", passes::examples_in_lanes, Only::on_processor},
      {"examples", passes::examples_apart},                // one by one, or all at once
      {"speculate", passes::speculate, Only::on_devices},  // both ways of short branches
      {"simplify", passes::simplify},                      // and again: what one pass has found out may help another
      {"cse", passes::cse},
      {"lengths", passes::lengths, Only::on_processor},      // of vectors of numbers
      {"diagonals", passes::diagonals, Only::on_processor},  // of Jacobians
      {"dce", passes::dce},
      {"licm", passes::licm},
      {"joined_loops", passes::joined_loops, Only::with_own_stacks},
      {"idle_loops", passes::idle_loops},
      {"row_loops", passes::row_loops, Only::on_processor},    // rows that a loop computes, by element
      {"row_groups", passes::row_groups, Only::on_processor},  // short rows, column by column
      {"invariant_elements", passes::invariant_elements},      // in registers while a loop lasts
      {"scalar_replacement", passes::scalar_replacement},      // elements set in one iteration and read in the next
      {"dce", passes::dce},
      {"additions", passes::additions},  // of a reverse loop, in loops whose iterations are independent
      {"dce", passes::dce},
  };
  return passes;
}

}  // namespace

Pass pass_named(std::string_view name) {
  const auto pass =
      std::ranges::find(graph_passes(), name, [](const GraphPass& each) -> std::string_view { return each.name; });
  return pass != graph_passes().end() ? pass->run : nullptr;
}

void optimize(ir::Graph& graph, std::vector<PassTime>& times, const PipelineOptions& options) {
  Clock clock;
  for (const GraphPass& pass : graph_passes()) {
    if (!is_for(pass.only, graph, options)) continue;
    look(options);
    pass.run(graph);
    times.push_back({pass.name, clock.lap()});
    if (options.verify || debug_build) check(pass.name, ir::verify(graph));
  }
  for (const ir::Functions::Function& function : graph.functions.all) optimize(*function.graph, times, options);
}

// --- loops, kernels and steps ---

std::unique_ptr<const loops::Plan> make_plan(std::shared_ptr<const ir::Graph> graph, const loops::BuildOptions& options,
                                             bool verify, std::vector<PassTime>* times) {
  static constexpr struct {
    const char* name;
    void (*run)(loops::Plan&);
    bool of_plain = false;
  } passes[] = {
      {"coalesce", loops::coalesce, true},  // what is made only to be moved is made where it goes
      {"lanes", loops::find_lanes},         // iterations that may be computed side by side
      {"views", loops::find_views},         // a tensor's elements are found once before a loop
  };
  Clock clock;
  const auto note = [&](const char* name) {
    if (times != nullptr) times->push_back({name, clock.lap()});
  };
  const loops::FuseLimits limits = loops::limits_of(*graph, options);
  const loops::Block block = loops::schedule(*graph, graph->body, limits);  // what runs together, and in which order
  note("kernels");
  if (verify) check("kernels", loops::verify(block));
  std::unique_ptr<loops::Plan> plan = loops::build(std::move(graph), block, limits);
  note("loops");
  if (verify) check("loops", loops::verify(plan->program));
  if (plan->graph->is_function) {  // one that calls itself and changes nothing but numbers
    loops::make_routine_of_function(*plan, options.function);
    note("routine");
    if (verify) check("routine", loops::verify(plan->program));
  }
  for (const auto& pass : passes) {
    if (options.plain && !pass.of_plain) continue;
    pass.run(*plan);
    note(pass.name);
    if (verify) check(pass.name, loops::verify(plan->program));
  }
  if (plan->graph->is_function) loops::find_own_calls(*plan, options.function);
  return plan;
}

namespace {

// --- made code ---

template <class Made>
void take_code(Code& code, const Made& made) {
  code.backend.code = made.code();
  code.kernels.clear();
  for (size_t k = 0; k < code.plan->program.kernels.size(); ++k) code.kernels.push_back(made.kernel(k));
  code.backend.kernels = code.kernels.data();
}

void take_lane_loops(Code& code) {
  const size_t count = code.plan->program.lane_loops.size();
  code.lane_loops.clear();
  for (size_t k = 0; k < count; ++k) code.lane_loops.push_back(code.machine->lane_loop(k));
  if (count == 0) return;
  code.backend.lane_loops = code.lane_loops.data();
  code.lanes = simd::lanes(code.isa);
}

// A function's own code may have as many; each becomes some 23 bytes, and takes as many microseconds.
constexpr size_t max_instructions = 60'000;

// A profile may begin when code has been made: then its places are found by making it again, as it is.
auto places_of(const loops::Program& program, ops::Isa isa, simd::CodeOptions options) {
  options.listing = false;
  options.placed = true;
  return [&program, isa, options] {
    const std::unique_ptr<simd::Compiled> same = simd::compile(program, isa, options);
    return same != nullptr ? std::move(same->placed().places) : std::vector<ops::PlacedCode::From>();
  };
}

std::unique_ptr<simd::Compiled> machine_code(const Code& code, simd::CodeOptions options) {
  options.checked = code.checked;
  std::unique_ptr<simd::Compiled> made = simd::compile(code.plan->program, code.isa, options);
  if (made != nullptr) made->placed().find = places_of(code.plan->program, code.isa, options);
  return made;
}

void take_machine_code(Code& code, std::unique_ptr<simd::Compiled> machine) {
  if (machine == nullptr) return;
  code.machine = std::move(machine);
  take_code(code, *code.machine);
  take_lane_loops(code);
  code.backend.cells = code.machine->cells();
  code.backend.placed = &code.machine->placed();
  code.bytes += code.machine->bytes();
}

void make_machine_code(Code& code, const PipelineOptions& options) {
  code.isa = options.isa;
  code.checked = options.check;
  take_machine_code(code, machine_code(code, {.listing = options.listing, .placed = options.placed}));
}

void make_c99(Code& code, source::Cache* libraries) {  // the oracle: C text, compiled by cc
  code.c99 = source::compile(code.plan->program, libraries);
  take_code(code, *code.c99);
}

}  // namespace

Code::Code() = default;
Code::Code(Code&& other) noexcept = default;
Code& Code::operator=(Code&& other) noexcept = default;
Code::~Code() = default;

void Code::measure() {
  if (meter != nullptr || device != nullptr || !runs()) return;
  meter = std::make_unique<runtime::Meter>(*plan);
  backend.meter = meter.get();
  if (machine == nullptr) return;
  std::unique_ptr<simd::Compiled> timed = machine_code(*this, {.timed = true});
  if (timed == nullptr) return;
  bytes -= machine->bytes();
  untimed = std::move(machine);
  take_machine_code(*this, std::move(timed));
}

// --- all of it ---

namespace {

// An optimized graph becomes code.
Code make_code(std::shared_ptr<const ir::Graph> graph, const PipelineOptions& options, uint32_t function = 0) {
  Code code;
  code.graph = std::move(graph);
  look(options);
  const loops::BuildOptions of_plan = {
      .device = options.for_device(), .eager_kernels = options.eager_kernels, .function = function};
  code.plan = make_plan(code.graph, of_plan, options.verify || debug_build, &code.times);

  look(options);
  Clock clock;
  if (code.plan->program.code.instructions.size() <= max_instructions)
    options.engine == BackEnd::c99 ? make_c99(code, options.libraries) : make_machine_code(code, options);
  if (options.device != nullptr) {
    code.device =
        std::make_unique<runtime::DeviceCode>(*options.device, *code.plan, options.device_use, options.precision);
    code.backend.device = code.device.get();
  }
  code.times.push_back({"code", clock.lap()});
  return code;
}

// All of them, or none runs.
void make_functions(Code& code, const PipelineOptions& options) {
  for (const ir::Functions::Function& function : code.graph->functions.all) {
    code.functions.push_back(make_code(function.graph, options, static_cast<uint32_t>(code.functions.size())));
    code.bytes += code.functions.back().bytes;
    if (!code.functions.back().runs()) code.backend.code = nullptr;
  }
  for (const Code& function : code.functions) code.invocable.push_back({function.plan.get(), &function.backend});
  for (Code& function : code.functions) function.backend.functions = code.invocable.data();
  code.backend.functions = code.invocable.data();
}

}  // namespace

Code compile(std::unique_ptr<ir::Graph> graph, const PipelineOptions& options) {
  std::vector<PassTime> times;
  optimize(*graph, times, options);
  Code code = make_code(std::move(graph), options);
  code.times.insert(code.times.begin(), times.begin(), times.end());
  make_functions(code, options);
  return code;
}

}  // namespace covec::jit
