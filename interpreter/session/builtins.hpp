// The language's builtins for one session, made from the operators' entries: names, parameters, methods and operators
// for the resolver, short ways and function values for the walker.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/eval/builtin.hpp"

namespace covec {

class EngineBuiltins : public Builtins {
 public:
  EngineBuiltins();
  const Builtin* find(std::string_view name) const override;
  const Builtin& of(Operator op) const override { return *operators_[static_cast<size_t>(op)]; }
  std::vector<std::string_view> names() const override;
  const Value& dtype(Dtype dtype) const { return dtypes_[static_cast<size_t>(dtype)]; }

 private:
  EngineBuiltin& add(const ops::Entry& entry);
  void set_operator(Operator op, const ops::Entry& entry, Quick quick);
  std::deque<EngineBuiltin> all_;
  std::unordered_map<std::string_view, EngineBuiltin*> by_name_;
  std::unordered_map<const ops::Entry*, EngineBuiltin*> by_entry_;
  const Builtin* operators_[26] = {};
  Value dtypes_[8];
};

}  // namespace covec
