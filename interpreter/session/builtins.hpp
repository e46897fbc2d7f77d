// The language's builtins, made from the operators' entries: names, parameters, methods and operators for the resolver,
// fast paths for the walker. All sessions share them. Function values are counted objects, so each session makes its
// own at their first use.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/eval/values/builtin.hpp"

namespace covec {

class EngineBuiltins : public Builtins {
 public:
  static const EngineBuiltins& all();
  const Builtin* find(std::string_view name) const override;
  const Builtin& of(Operator op) const override { return *operators_[static_cast<size_t>(op)]; }
  std::vector<std::string_view> names() const override;
  std::vector<std::string_view> modules() const override;
  bool module_has(std::string_view module, std::string_view name) const override;
  const Builtin& dtype(Dtype dtype) const { return *dtypes_[static_cast<size_t>(dtype)]; }

 private:
  EngineBuiltins();
  EngineBuiltin& add(const ops::Entry& entry);
  void set_operator(Operator op, const ops::Entry& entry, Quick quick);
  std::deque<EngineBuiltin> all_;
  std::unordered_map<std::string_view, EngineBuiltin*> by_name_;
  std::unordered_map<const ops::Entry*, EngineBuiltin*> by_entry_;
  const Builtin* operators_[operator_count] = {};
  const Builtin* dtypes_[dtype_count] = {};
};

class BuiltinValues {
 public:
  const Value& of(const Builtin& builtin);

 private:
  std::vector<Value> values_;  // by EngineBuiltin::number; none: not made yet
};

}  // namespace covec
