#include "jit/compiler/policy.hpp"

#include <cstdlib>
#include <cstring>

#include "jit/compiler/pays.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::jit {

namespace {

bool named(const char* variable, const char* value) {
  const char* set = std::getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

// Anything that cannot be done twice; draws can be taken back.
bool has_effects(const ir::Operation& operation);

bool has_effects(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    if (has_effects(operation)) return true;
  }
  return false;
}

bool has_effects(const ir::Operation& operation) {
  if (operation.kind == ir::Kind::interpret || operation.kind == ir::Kind::call) return true;
  if (operation.kind == ir::Kind::apply && (operation.entry->effects.prints || operation.entry->effects.outside)) {
    return true;
  }
  for (const ir::Region& inner : operation.regions) {
    if (has_effects(inner)) return true;
  }
  return false;
}

}  // namespace

Policy::Policy(const ops::Context& context, bool use_environment) {
  const auto chosen = [&](const char* variable, const char* value) {
    return use_environment && named(variable, value);
  };
  const bool c99 = chosen("COVEC_ENGINE", "c99");
  compiles_all = c99 || chosen("COVEC_ENGINE", "compiled");
  options.engine = c99 ? BackEnd::c99 : BackEnd::simd;
  options.isa = context.isa;
  options.eager_kernels = !compiles_all && !chosen("COVEC_EAGER_KERNELS", "none");
  options.verify = compiles_all;
  options.check = context.pool->guarded();
  if (context.devices != nullptr && context.devices->forced()) {
    options.device_use = runtime::DeviceUse::all;
    if (compiles_all) device = context.devices->first();
  }
  enabled = !chosen("COVEC_ENGINE", "eager") && (c99 || context.isa != ops::Isa::baseline);
}

device::Accelerator* Policy::device_for(const CompileRequest& request) const {
  return request.device != nullptr ? request.device : device;
}

void Policy::decide(Specialization& made, const ir::Graph& graph, const Value& function, bool of_texts) const {
  ClosureParts parts;
  // Compiled and interpreted calls in turn would cost more than interpreted ones.
  if (graph.recursive) made.interpret("a function that calls itself");
  made.recursive = graph.recursive && closure_parts(function.function(), parts);
  const Pays found = made.interpreted || compiles_all ? Pays::yes : pays(graph, of_texts);
  made.by_choice = found != Pays::yes && graph.unstaged.empty();
  if (found == Pays::too_little)
    made.interpret("so few operations on numbers that calling the code would take longer");
  else if (made.by_choice)
    made.interpret("text and values whose type only the run knows, which are no faster compiled");
  else if (found == Pays::no)
    made.interpret(graph.unstaged.front().reason, graph.unstaged.front().at);
  if (made.interpreted || !graph.fails_in_batch) return;
  if (made.active.inputs > 0) return made.interpret("a check of extents in a function on a tape");
  made.says_errors_again = !has_effects(graph.body);
  if (!made.says_errors_again) made.interpret("what may have to be done again, beside effects");
}

}  // namespace covec::jit
