#include "jit/source/c99.hpp"

namespace covec::source {

std::string c99_identifier(const std::string& name) {
  std::string identifier;
  for (char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    identifier += plain ? c : '_';
  }
  if (identifier.empty() || (identifier[0] >= '0' && identifier[0] <= '9')) identifier.insert(0, "_");
  return identifier;
}

std::string c99_kernel_name(const loops::Program& program, size_t kernel) {
  return c99_identifier(program.code.name) + "_kernel" + std::to_string(kernel);
}
std::string c99_code_name(const loops::Program& program) { return c99_identifier(program.code.name) + "_code"; }

std::string c99(const loops::Program& program) {
  std::string text = c99_prelude();
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    text += "\n" + c99_kernel(program.kernels[k], c99_kernel_name(program, k));
  }
  return text + "\n" + c99_code(program, c99_code_name(program));
}

}  // namespace covec::source
