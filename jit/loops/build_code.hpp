// The ScalarBuilder of the function itself: it turns an operator's body into instructions of Code.
#pragma once

#include <unordered_map>
#include <utility>

#include "jit/loops/program.hpp"
#include "jit/loops/rare_pieces.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::loops {

class CodeBuilder final : public ops::ScalarBuilder {
 public:
  explicit CodeBuilder(Code& code) : code_(code) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  // An operator's body; `otherwise` is set where it is known only at run time whether it gives the result: where that
  // holds, the operator must be applied instead.
  ops::ScalarRef apply(const ops::Call& call, std::span<const ops::ScalarRef> operands,
                       std::optional<ops::ScalarRef>& otherwise);
  Register fresh(Dtype dtype, std::string_view name = {});
  void name(Register number, std::string_view name) { code_.register_names[number] = name; }
  Dtype dtype_of(Register r) const { return code_.registers[r]; }
  // What is appended has this place from here on, where it has none of its own. Gives the place before.
  uint32_t set_place(uint32_t place) { return std::exchange(place_, place); }
  void append(Instruction instruction);
  void move(Register to, Register from);
  void load(Register to, SlotId slot);
  void store(SlotId slot, Register from);
  void step(uint32_t index) { append(instruction::CallStep{index}); }
  // if (condition), hardly ever; the caller appends EndIf.
  void begin_cold(Register condition);
  void drop_empty_else();  // when nothing has been appended since

 private:
  Code& code_;
  uint32_t place_ = 0;
  RarePieces rare_;
  std::unordered_map<Register, uint64_t> constants_;  // what converts one is another
};

// The bytes of a number, the low ones of the word.
uint64_t bits_of(const Value& number);

}  // namespace covec::loops
