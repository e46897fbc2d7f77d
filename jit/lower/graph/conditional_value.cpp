#include "jit/lower/graph/conditional_value.hpp"

#include <cstring>

namespace covec::ir {

namespace {

Value unbound_with(int64_t number) {
  Value variable = Value::unbound();
  std::memcpy(variable.scalar_data(), &number, sizeof number);
  return variable;
}

int64_t number_of(const Value& variable) { return variable.is_unbound() ? variable.i64() : 0; }

}  // namespace

Value ConditionalValues::hold(ConditionalValue conditional) {
  all_.push_back(std::move(conditional));
  return unbound_with(static_cast<int64_t>(all_.size()));
}

const ConditionalValue* ConditionalValues::find(const Value& variable) const {
  const int64_t number = number_of(variable);
  return number == 0 ? nullptr : &all_[static_cast<size_t>(number - 1)];
}

bool is_undefined(const Value& variable) { return variable.is_unbound() && number_of(variable) == 0; }

std::vector<Value> values_of(const Staging::Variables& variables) {
  std::vector<Value> values;
  values.reserve(variables.size());
  for (const Value* variable : variables) values.push_back(*variable);
  return values;
}

void put_back(const Staging::Variables& variables, const std::vector<Value>& values) {
  for (size_t i = 0; i < variables.size(); ++i) *variables[i] = values[i];
}

void unbound_where_absent(const Staging::Variables& variables) {
  for (Value* variable : variables) {
    if (variable->is_none()) *variable = Value::unbound();
  }
}

void none_where_absent(const Staging::Variables& variables) {
  for (Value* variable : variables) {
    if (is_undefined(*variable)) *variable = Value();
  }
}

}  // namespace covec::ir
