#include "jit/pipeline.hpp"

#include <stdexcept>

#include "jit/loops/build.hpp"
#include "jit/passes/passes.hpp"

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

}  // namespace

// --- the tensor IR, rewritten ---

void optimize(ir::Graph& graph, std::vector<PassTime>& times, const PipelineOptions& options) {
  static constexpr struct {
    const char* name;
    void (*run)(ir::Graph&);
  } passes[] = {
      {"residuals", passes::residuals},  // values that reverse regions need are carried to them
      {"dce", passes::dce},              // what nobody needs goes
      {"fold", passes::fold},            // what is known is computed
      {"simplify", passes::simplify},    // rewrites that keep every bit
      {"cse", passes::cse},              // equal operations once
      {"licm", passes::licm},            // out of loops what does not change there
      {"simplify", passes::simplify},    // and again: what one pass has found out may help another
      {"cse", passes::cse},
      {"licm", passes::licm},
      {"dce", passes::dce},
  };
  Clock clock;
  for (const auto& pass : passes) {
    pass.run(graph);
    times.push_back({pass.name, clock.lap()});
    if (options.watch) options.watch(pass.name, graph);
    if (options.verify || debug_build) check(pass.name, ir::verify(graph));
  }
}

// --- all of it ---

void compile(Specialization& made, std::unique_ptr<ir::Graph> staged, const PipelineOptions& options) {
  if (options.watch) options.watch("ir", *staged);
  optimize(*staged, made.times, options);
  made.graph = std::move(staged);

  Clock clock;
  made.plan = loops::build(made.graph, {.eager_kernels = options.eager_kernels});  // loops, kernels and steps
  made.times.push_back({"loops", clock.lap()});
#ifndef NDEBUG
  check("loops", loops::verify(made.plan->program));
#endif

  if (options.engine == BackEnd::c99) {  // the oracle: C text, compiled by cc
    made.c99 = source::compile(made.plan->program);
    made.backend.code = made.c99->code();
    for (size_t k = 0; k < made.plan->program.kernels.size(); ++k) made.kernels.push_back(made.c99->kernel(k));
  } else {
    made.machine = simd::compile(made.plan->program, options.isa, options.listing);  // machine code
    if (made.machine == nullptr) {
      made.interpret("the function is too large for machine code, or this processor has no AVX2");
      return;
    }
    made.backend.code = made.machine->code();
    for (size_t k = 0; k < made.plan->program.kernels.size(); ++k) made.kernels.push_back(made.machine->kernel(k));
    made.code_bytes = made.machine->bytes();
  }
  made.backend.kernels = made.kernels.data();
  made.times.push_back({"code", clock.lap()});
}

}  // namespace covec::jit
