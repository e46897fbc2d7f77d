// A page loads no libraries.
#include "stdlib/gate/library.hpp"

namespace covec::gate {

Library::Library(std::span<const std::string> names) : missing_("the page loads no libraries") {
  if (!names.empty()) name_ = names.back();
}

void* Library::address_of(const char*) const { return nullptr; }

void Library::close() { handle_ = nullptr; }

}  // namespace covec::gate
