#include "stdlib/gate/library.hpp"

#include <dlfcn.h>

namespace covec::gate {

Library::Library(std::span<const std::string> names) {
  for (const std::string& name : names) {
    name_ = name;
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      missing_.clear();
      return;
    }
    const char* said = dlerror();
    missing_ = said != nullptr ? said : "it is not there";
  }
}

void* Library::address_of(const char* name) const { return handle_ != nullptr ? dlsym(handle_, name) : nullptr; }

void Library::close() {
  if (handle_ != nullptr) dlclose(handle_);
  handle_ = nullptr;
}

}  // namespace covec::gate
