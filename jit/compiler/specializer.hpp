// Finds the code for a call by the types that go in, or has it made. Lists and texts may have code for each length, or
// generic code for all of them, which knows less. Start at find().
#pragma once

#include <span>

#include "jit/compiler/compiled.hpp"
#include "jit/specialize/compilations.hpp"
#include "jit/specialize/function_compiler.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

class Specializer {
 public:
  Specializer(ops::Context& context, const Policy& policy, CodeTable& table, FunctionCompiler& compiler)
      : context_(context), policy_(policy), table_(table), compiler_(compiler) {}
  Specializer(const Specializer&) = delete;
  Specializer& operator=(const Specializer&) = delete;

  // Describes a call; false where code cannot be made for it.
  bool describe(const Compiled& compiled, std::span<const Value> args, Signature& signature, bool generic) const;
  bool is_of(const LastCalls& last, Signature& signature) const;  // the last call's code fits
  Specialization* known_generic(const Compiled& compiled, std::span<Value> args, Signature& signature,
                                const LastCalls& last) const;
  // The code for these types, made now if need be. `signature` becomes the generic one where that has been found.
  Specialization& find(const Compiled& compiled, std::span<Value> args, Signature& signature);
  Specialization* find_generic(const Compiled& compiled, std::span<Value> args, Signature& signature);

  bool gave_up_on(const Value& function) const { return compilations_.gave_up_on(function); }
  // Texts of the program that are gone take their code along.
  void forget(FunctionRef<bool(const void* source_unit)> gone);

 private:
  void count(const Value& function, const Specialization& made);
  void count_per_length(const Compiled& compiled, std::span<const Value> args, const Specialization& made);
  bool has_many(const Value& function, bool varies) const;

  ops::Context& context_;
  const Policy& policy_;
  CodeTable& table_;
  FunctionCompiler& compiler_;
  Compilations compilations_;
};

}  // namespace covec::jit
