#include "jit/source/c99.hpp"

#include <unordered_map>

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

// Many kernels of a long program are alike. Each is written once: cc takes most of the time of a test.
C99Text c99(const loops::Program& program) {
  C99Text text{c99_prelude(), {}};
  std::unordered_map<std::string, std::string> written;  // a kernel without its name: the name it has
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const std::string name = c99_kernel_name(program, k);
    const auto [found, is_new] = written.try_emplace(c99_kernel(program.kernels[k], ""), name);
    if (is_new) text.text += "\n" + c99_kernel(program.kernels[k], name);
    text.kernels.push_back(found->second);
  }
  text.text += "\n" + c99_code(program, c99_code_name(program));
  return text;
}

}  // namespace covec::source
