// C libraries that are found at run time, where they are installed; none of them is linked. Start at Library.
#pragma once

#include <span>
#include <string>

namespace covec::gate {

class Library {
 public:
  // The first of these that the loader finds. It stays loaded: drivers keep threads of their own.
  explicit Library(std::span<const std::string> names);
  explicit Library(const std::string& name) : Library(std::span(&name, 1)) {}

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }
  // Why it cannot be used: no name opens, or the first function that was not found. "" where it can.
  const std::string& missing() const { return missing_; }
  // A function or an object of the library; nullptr: it has none of that name.
  void* address_of(const char* name) const;
  // Whether it has the function.
  template <class Function>
  bool find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(name));
    if (function == nullptr && missing_.empty()) missing_ = std::string("it has no ") + name;
    return function != nullptr;
  }
  // Unloads it: nothing found in it may be used any more.
  void close();

 private:
  void* handle_ = nullptr;
  std::string name_, missing_;
};

}  // namespace covec::gate
