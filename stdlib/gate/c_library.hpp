// Compiles C text with the system's cc and loads it. Only the oracle engine uses it (COVEC_ENGINE=c99, `covec verify
// --c`); a program cannot ask for it. Where COVEC_TEST_CACHE names a folder, which only tests do, the libraries are
// kept there (kernel_cache.hpp), and the oracle compiles at -O0 instead of -O1, which takes two thirds of the time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "stdlib/gate/library.hpp"

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
  Library library_;
};

// Throws std::runtime_error with what cc says where it does not compile the text.
std::shared_ptr<const CLibrary> compile_c(const std::string& text);
// C99 that counts on nothing but IEEE arithmetic, by this compiler with these flags.
std::shared_ptr<const CLibrary> compile_c_with(const std::string& compiler, std::span<const std::string> flags,
                                               const std::string& text);
// Whether there is such a compiler on the path.
bool has_c_compiler(const std::string& compiler);

}  // namespace covec::gate
