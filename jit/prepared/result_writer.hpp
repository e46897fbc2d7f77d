// Writes what a run has given to the host's memory: a number, a tensor, or the elements of a vector one by one. It
// writes when the run has ended, so that an error leaves the outputs as they were. Start at write().
#pragma once

#include <vector>

#include "jit/prepared/bindings.hpp"
#include "jit/runtime/activation.hpp"

namespace covec::jit {

class ResultWriter {
 public:
  ResultWriter(const std::vector<PreparedOutput>& results, Bindings& bindings, runtime::Activation& activation)
      : results_(results), bindings_(bindings), activation_(activation) {}
  void write(Pool& pool);

 private:
  using Output = Bindings::Output;
  void keep_apart(Pool& pool);
  const Value& value_of(const loops::Operand& operand) const {
    return operand.kind == loops::Operand::Kind::slot ? activation_.held(operand.slot) : operand.value;
  }
  void write_numbers(const Output& output, const std::vector<loops::Operand>& numbers);
  static void write_tensor(Output& output, const Value& made);
  static void write_number(const Output& output, const Value& made);

  const std::vector<PreparedOutput>& results_;
  Bindings& bindings_;
  runtime::Activation& activation_;
};

}  // namespace covec::jit
