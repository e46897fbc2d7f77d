// The compiler on one screen: from a staged graph to code.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jit/device/use.hpp"
#include "jit/loops/build/build.hpp"
#include "jit/runtime/run.hpp"
#include "stdlib/value/precision.hpp"

namespace covec::simd {
class Compiled;
}
namespace covec::source {
class CompiledC;
struct Cache;
}  // namespace covec::source
namespace covec::device {
class Accelerator;
}

namespace covec::jit {

enum class BackEnd : uint8_t { simd, c99 };

struct PipelineOptions {
  BackEnd engine = BackEnd::simd;
  ops::Isa isa = ops::Isa::avx2;
  bool listing = false;       // keep the assembly text
  bool eager_kernels = true;  // the library's kernels for long bodies that stand alone; false: code for all
  bool check = false;         // the code looks before each computed place in memory (jit/simd/machine/checks.hpp)
  device::Accelerator* device = nullptr;  // where kernels over tensors run; nullptr: the processor
  bool plain = false;                     // for text that others run (loops::BuildOptions::plain)
  bool dumps_device = false;              // what a device would be given is looked at, without one
  runtime::DeviceUse device_use = runtime::DeviceUse::large;
  Precision precision = Precision::full;         // of products there
  source::Cache* libraries = nullptr;            // what cc has made of texts before
  bool again = false;                            // the graph has been optimized, and is now that more is known of it
  bool placed = false;                           // a profile is being taken (CodeOptions::placed)
  bool verify = false;                           // look for faults after each pass (debug builds always do)
  const std::atomic<bool>* interrupt = nullptr;  // looked at between passes
  bool for_device() const { return device != nullptr || dumps_device; }
};

struct PassTime {
  std::string name;
  double microseconds = 0;
};

// What a graph has become, with all that running it needs.
struct Code {
  Code();
  Code(Code&& other) noexcept;
  Code& operator=(Code&& other) noexcept;
  ~Code();

  std::shared_ptr<const ir::Graph> graph;
  std::unique_ptr<const loops::Plan> plan;
  std::unique_ptr<simd::Compiled> machine;  // nullptr where there is too much for the back end; then nothing runs it
  std::unique_ptr<simd::Compiled> untimed;  // what it was before it was measured: a call may still be in it
  std::unique_ptr<source::CompiledC> c99;   // in its place, with that engine
  std::vector<loops::KernelFunction> kernels;
  std::vector<loops::LaneFunction> lane_loops;
  int lanes = 0;  // of these
  ops::Isa isa = ops::Isa::avx2;
  bool checked = false;  // CodeOptions::checked
  std::unique_ptr<runtime::DeviceCode> device;
  std::unique_ptr<runtime::Meter> meter;
  runtime::Backend backend;
  std::vector<Code> functions;               // that call themselves (ir::Functions)
  std::vector<runtime::Function> invocable;  // those
  size_t bytes = 0;
  std::vector<PassTime> times;
  bool runs() const { return backend.code != nullptr; }
  // From the next call on each step is timed; not on a device, which goes on while the processor does.
  void measure();
};

inline constexpr const char* no_machine_code =
    "the function is too large for machine code, or this processor has no AVX2";

// A staged graph, optimised and made code. Throws std::logic_error for a bug in covec.
Code compile(std::unique_ptr<ir::Graph> graph, const PipelineOptions& options);
// An optimized graph as loops, kernels and steps.
std::unique_ptr<const loops::Plan> make_plan(std::shared_ptr<const ir::Graph> graph,
                                             const loops::BuildOptions& options = {}, bool verify = true,
                                             std::vector<PassTime>* times = nullptr);
using Pass = void (*)(ir::Graph&);
// Of those that optimize() runs the first of this name; nullptr: there is none.
Pass pass_named(std::string_view name);
// The passes alone.
void optimize(ir::Graph& graph, std::vector<PassTime>& times, const PipelineOptions& options);

}  // namespace covec::jit
