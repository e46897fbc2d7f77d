#include "jit/source/engine.hpp"

#include "jit/source/c99.hpp"
#include "stdlib/gate/c_library.hpp"

namespace covec::source {

CompiledC::CompiledC(std::shared_ptr<const gate::CLibrary> library, const loops::Program& program)
    : library_(std::move(library)), code_(library_->find<loops::CodeFunction>(c99_code_name(program))) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    kernels_.push_back(library_->find<loops::KernelFunction>(c99_kernel_name(program, k)));
  }
}

std::unique_ptr<CompiledC> compile(const loops::Program& program, Cache* cache) {
  const std::string text = c99(program);
  if (cache == nullptr) return std::make_unique<CompiledC>(gate::compile_c(text), program);
  std::shared_ptr<const gate::CLibrary>& library = cache->libraries[text];
  if (library == nullptr) library = gate::compile_c(text);
  return std::make_unique<CompiledC>(library, program);
}

}  // namespace covec::source
