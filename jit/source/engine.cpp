#include "jit/source/engine.hpp"

#include "jit/source/c99.hpp"
#include "stdlib/gate/c_library.hpp"

namespace covec::source {

CompiledC::CompiledC(std::shared_ptr<const gate::CLibrary> library, const std::string& code,
                     const std::vector<std::string>& kernels)
    : library_(std::move(library)), code_(library_->find<loops::CodeFunction>(code)) {
  for (const std::string& kernel : kernels) kernels_.push_back(library_->find<loops::KernelFunction>(kernel));
}

std::unique_ptr<CompiledC> compile(const loops::Program& program, Cache* cache) {
  const C99Text c = c99(program);
  std::shared_ptr<const gate::CLibrary> own;
  std::shared_ptr<const gate::CLibrary>& library = cache == nullptr ? own : cache->libraries[c.text];
  if (library == nullptr) library = gate::compile_c(c.text);
  return std::make_unique<CompiledC>(library, c99_code_name(program), c.kernels);
}

}  // namespace covec::source
