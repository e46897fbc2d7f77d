// The composition root of the command: joins the frontend, the interpreter, the operators and the compiler, and runs
// them on a stack that is deep enough.
#include <malloc.h>

#include "interpreter/command/command.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/lsp/lsp.hpp"
#include "interpreter/session/stack.hpp"
#include "jit/compiler/compare_emitted.hpp"
#include "jit/compiler/dump.hpp"
#include "jit/compiler/emit.hpp"
#include "jit/compiler/shapes.hpp"
#include "stdlib/value/floating_state.hpp"

namespace {

covec::jit::EmitRequest request_of(const covec::EmitTask& task) {
  return {task.function, task.types_of, task.cotangent, task.types, task.name, task.origin};
}

std::string shape(covec::Compiler& compiler, const covec::Value& function, const covec::ShapeQuestion& question) {
  return covec::jit::type_of_variable(compiler, function,
                                      {question.name, question.use, question.function, question.written});
}

covec::EmittedFiles emit(covec::Compiler& compiler, const covec::EmitTask& task, covec::PlaceText place_text) {
  covec::emit::Emitted emitted = covec::jit::emit_function(compiler, request_of(task), place_text);
  return {std::move(emitted.name), std::move(emitted.source), std::move(emitted.header), std::move(emitted.lines)};
}

covec::EmitComparison compare(covec::Compiler& compiler, const covec::EmitTask& task, covec::PlaceText place_text,
                              const covec::CompareTask& how) {
  covec::jit::Comparison made =
      covec::jit::compare_emitted(compiler, request_of(task), place_text, {how.given, how.draws, how.build});
  return {std::move(made.report), made.same};
}

}  // namespace

int main(int argc, char** argv) {
  // One arena for the first thread and the deep stack's: a second one would grow by a system call for every few pages.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, 1 << 20);  // nor the first by one for every 128 KiB
  // Long texts and lists that come and go stay in the arena: the system would clear each of their pages again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  covec::FloatingState().set();  // a library that was preloaded may have left another; threads take it over
  const covec::Parts parts{covec::jit::dump_compiled, shape, emit, compare, covec::make_compiler, covec::serve_editor};
  return covec::run_on_big_stack([&] { return covec::run_command(argc, argv, parts); });
}
