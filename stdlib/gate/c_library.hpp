// C text, compiled by the system's cc and loaded: what the oracle engine runs (COVEC_ENGINE=c99, `covec verify --c`),
// and nothing that a program can ask for.
#pragma once

#include <memory>
#include <string>

namespace covec::gate {

class CLibrary {
 public:
  explicit CLibrary(const std::string& path);
  CLibrary(const CLibrary&) = delete;
  CLibrary& operator=(const CLibrary&) = delete;
  ~CLibrary();

  template <class Function>
  Function find(const std::string& name) const {
    return reinterpret_cast<Function>(address_of(name));
  }

 private:
  void* address_of(const std::string& name) const;
  void* handle_;
};

// Throws std::runtime_error with what cc says where it does not compile the text.
std::shared_ptr<const CLibrary> compile_c(const std::string& text);

}  // namespace covec::gate
