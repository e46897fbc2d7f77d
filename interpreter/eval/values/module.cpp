// Values of a module never move: closures and frames point at them.
#include "interpreter/eval/values/module.hpp"

#include <algorithm>
#include <new>

#include "interpreter/eval/values/reserved_values.hpp"

namespace covec {

Globals::Globals() : data_(reserve_values(max_values_of_module)) {}

Globals::~Globals() {
  clear();
  release_values(data_, max_values_of_module);
}

bool Globals::grow(size_t size) {
  if (size > max_values_of_module) return false;
  for (; size_ < size; ++size_) new (data_ + size_) Value(Value::unbound());
  return true;
}

void Globals::clear() {
  for (size_t i = 0; i < size_; ++i) data_[i] = Value::unbound();
}

const Value* Module::find(std::string_view global) const {
  const auto found = scope.slots.find(global);
  if (found == scope.slots.end() || found->second >= globals.size()) return nullptr;
  const Value& value = globals.data()[found->second];
  return value.is_unbound() ? nullptr : &value;
}

bool Module::gets_rule(std::string_view global) const {
  const auto found = scope.slots.find(global);
  return found != scope.slots.end() && std::ranges::find(scope.given_rules, found->second) != scope.given_rules.end();
}

}  // namespace covec
