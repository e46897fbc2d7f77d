// `covec dump`: compiles one function for given types and shows one stage of it. The types become example arguments (a
// number; a tensor of extents 2). Staging looks only at their dtypes and ranks; it also knows the extents that the
// types give. Start at dump_compiled().
#include "jit/compiler/dump.hpp"

#include <stdexcept>

#include "jit/compiler/compiler.hpp"
#include "jit/device/code.hpp"
#include "jit/loops/fuse/units_text.hpp"
#include "jit/simd/compile.hpp"
#include "jit/source/c99.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/stage.hpp"

namespace covec::jit {

namespace {

// --- the stages ---

[[noreturn]] void not_compiled(const Value& function, const std::string& reason) {
  fail_at({}, "not_compiled", function.function().name() + " is not compiled: " + reason,
          "it runs in the interpreter, with the same results");
}

std::string text_of(const Code& code, const std::string& stage, bool eager_kernels) {
  const auto with_functions = [&](auto print) {
    std::string text = print(code);
    for (const Code& function : code.functions) text += "\n" + print(function);
    return text;
  };
  if (stage == "opt") return with_functions([](const Code& each) { return ir::print(*each.graph); });
  if (stage == "kernels") {
    const loops::BuildOptions build = {.eager_kernels = eager_kernels};
    return with_functions([&](const Code& each) {
      const ir::Graph& graph = *each.graph;
      return "kernels " + graph.name + "\n" +
             loops::print(loops::schedule(graph, graph.body, loops::limits_of(graph, build)));
    });
  }
  if (stage == "loops") return with_functions([](const Code& each) { return loops::print(each.plan->program); });
  if (stage == "opencl") return runtime::device_text(*code.plan, device::Dialect::opencl);
  if (stage == "cuda") return runtime::device_text(*code.plan, device::Dialect::cuda);
  return stage == "c" ? source::c99(code.plan->program).text : code.machine->listing();
}

std::string dump(CompilerParts& parts, const Value& function, const std::string& wanted, const std::string& types) {
  WrittenExtents written;
  std::vector<Value> args = example_arguments(*parts.context.pool, function, types, Extents::any, &written);
  PipelineOptions options = parts.policy.options;
  options.engine = BackEnd::simd;
  options.listing = wanted == "asm";
  options.dumps_device = wanted == "opencl" || wanted == "cuda";
  options.eager_kernels = options.eager_kernels && !options.dumps_device;  // the library's are the processor's
  Specialization made;
  try {
    std::unique_ptr<ir::Graph> graph =
        stage(parts.context, parts.walker, made, function, args, Signature(), {nullptr, &written});
    if (made.interpreted) not_compiled(function, made.reason);
    if (wanted == "ir") return ir::print(*graph);
    made.code = jit::compile(std::move(graph), options);
  } catch (const std::logic_error& bug) {
    fail_at({}, "internal", std::string("this is a bug in covec: the compiler: ") + bug.what());
  }
  if (wanted == "asm" && !made.code.runs()) not_compiled(function, no_machine_code);
  return text_of(made.code, wanted, options.eager_kernels);
}

}  // namespace

std::string dump_compiled(Compiler& compiler, const Value& function, const std::string& stage,
                          const std::string& types) {
  const Value* compiled = function.function().compiled_from();
  return dump(parts_of(compiler), compiled != nullptr ? *compiled : function, stage, types);
}

}  // namespace covec::jit
