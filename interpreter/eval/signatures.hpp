// Signatures: annotated arguments and results, checked at each call: dtype classes, ranks and dimensions. A name stands
// for one number across a signature; the first argument that has it says which, and an argument that disagrees is shown
// beside that first one.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/binding.hpp"

namespace covec {

class Signatures {
 public:
  Signatures(const Applier& applier, const Reporter& reporter, const InterpreterHost& host, Expressions& expressions,
             const StagedValues& staged_values)
      : applier_(applier), reporter_(reporter), host_(host), expressions_(expressions), staged_values_(staged_values) {}

  void check_parameters(const core::Function& function, const Given& given, Frame& frame);
  void check_result(const core::Function& function, Value& result, Frame& frame);

 private:
  class Check;
  Value cast(const Value& value, Dtype dtype, Span span, const Frame& f) const;

  const Applier& applier_;
  const Reporter& reporter_;
  const InterpreterHost& host_;
  Expressions& expressions_;
  const StagedValues& staged_values_;
};

}  // namespace covec
