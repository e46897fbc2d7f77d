// The oracle engine: compiles the C99 text of a loop program with cc, and loads it. The trade-off: cc takes some 50 ms,
// so this is for checking, not for use. A Cache avoids compiling the same text again.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "jit/loops/program.hpp"

namespace covec::gate {
class CLibrary;  // stdlib/gate/c_library.hpp
}  // namespace covec::gate

namespace covec::source {

class CompiledC {
 public:
  // The names of its functions.
  CompiledC(std::shared_ptr<const gate::CLibrary> library, const std::string& code,
            const std::vector<std::string>& kernels);
  loops::CodeFunction code() const { return code_; }
  loops::KernelFunction kernel(size_t number) const { return kernels_[number]; }

 private:
  std::shared_ptr<const gate::CLibrary> library_;
  loops::CodeFunction code_ = nullptr;
  std::vector<loops::KernelFunction> kernels_;
};

// Libraries by their text.
struct Cache {
  std::unordered_map<std::string, std::shared_ptr<const gate::CLibrary>> libraries;
};

// Throws std::runtime_error with what cc says where it does not compile the text: a bug in covec.
std::unique_ptr<CompiledC> compile(const loops::Program& program, Cache* cache = nullptr);

}  // namespace covec::source
