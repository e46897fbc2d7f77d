// What the walker asks of its session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/core.hpp"
#include "interpreter/eval/values/module.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

// A place as a program is told of it; line 0: none.
struct ProgramPosition {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
};

class InterpreterHost {
 public:
  virtual ~InterpreterHost() = default;
  virtual Module& import(const core::Import& import, const Module& from) = 0;
  virtual void found_test(const core::Function& function, const Value& closure) = 0;
  virtual void found_bench(const core::Function& function, const Value& closure) = 0;
  virtual Value dtype_value(Dtype dtype) const = 0;
  virtual const Builtin& operator_of(Operator op) const = 0;
  virtual Value value_of(const Builtin& builtin) const = 0;         // as a function, or a constant
  virtual const Builtin* builtin(std::string_view name) const = 0;  // nullptr when there is none
  virtual std::vector<std::string_view> builtin_names() const = 0;
  virtual std::string_view source(Span span) const = 0;
  virtual std::string place_text(Span span) const = 0;  // "model.covec:7"
  virtual ProgramPosition place_of(Span span) const = 0;
  virtual std::string_view library_of(
      Span span) const = 0;  // "nn" in the built-in module nn; "" in a program's own text
  virtual bool compiles_all() const = 0;
  virtual const ops::Entry* compile_entry() const = 0;  // compile(f, …), which is also @compile
};

}  // namespace covec
