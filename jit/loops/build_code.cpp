#include "jit/loops/build_code.hpp"

#include <cstring>

#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::loops {

using ops::ScalarOp;
using ops::ScalarRef;

namespace {

// A longer piece is left out: the operator's kernel is called for a single number, which takes less than compiling it.
constexpr uint32_t longest_in_code = 8;

}  // namespace

uint64_t bits_of(const Value& number) {
  uint64_t bits = 0;
  if (number.tag() == Tag::boolean) return number.boolean();
  std::memcpy(&bits, number.scalar_data(), size_of(number.scalar_dtype()));
  return bits;
}

void CodeBuilder::append(Instruction instruction) {
  if (instruction.place == 0) instruction.place = place_;
  code_.instructions.push_back(std::move(instruction));
}

Register CodeBuilder::fresh(Dtype dtype, std::string_view name) {
  code_.registers.push_back(dtype);
  code_.register_names.emplace_back(name);
  return static_cast<Register>(code_.registers.size() - 1);
}

ScalarRef CodeBuilder::constant(Dtype dtype, uint64_t bits) {
  if (rare_.counting()) return {0, dtype};
  const Register made = fresh(dtype);
  append(instruction::Constant{made, bits});
  constants_.emplace(made, bits);
  return {made, dtype};
}

ScalarRef CodeBuilder::emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) {
  if (rare_.counting()) return rare_.count(result);
  if (op == ScalarOp::convert && (result == Dtype::f32 || result == Dtype::f64)) {
    if (const auto known = constants_.find(a.id); known != constants_.end()) {
      const Value number = ops::converted_number(Value::scalar(a.dtype, &known->second), result);
      return constant(result, bits_of(number));
    }
  }
  instruction::Scalar scalar{op, info_of(op).arity, fresh(result)};
  const ScalarRef operands[3] = {a, b, c};
  for (unsigned i = 0; i < scalar.arity; ++i) scalar.operands[i] = operands[i].id;
  append(scalar);
  return {scalar.to, result};
}

ScalarRef CodeBuilder::rare(ScalarRef condition, ScalarRef usual, ScalarRef (*slow)(void* state), void* state) {
  if (rare_.counting()) return slow(state);
  if (rare_.leaves_out(*this, condition, usual, longest_in_code, slow, state)) return usual;
  const Register result = fresh(usual.dtype);
  move(result, usual.id);
  begin_cold(condition.id);
  move(result, slow(state).id);
  append(instruction::EndIf{});
  return {result, usual.dtype};
}

ScalarRef CodeBuilder::apply(const ops::Call& call, std::span<const ScalarRef> operands,
                             std::optional<ScalarRef>& otherwise) {
  rare_.begin(true);
  const ScalarRef result = ops::lower_pointwise(*this, call, operands);
  otherwise = rare_.end();
  return result;
}

void CodeBuilder::begin_cold(Register condition) { append(instruction::If{condition, true}); }

void CodeBuilder::drop_empty_else() {
  if (is<instruction::Else>(code_.instructions.back())) code_.instructions.pop_back();
}

void CodeBuilder::move(Register to, Register from) {
  if (to != from) append(instruction::Move{to, from});
}

void CodeBuilder::load(Register to, SlotId slot) { append(instruction::Load{to, slot}); }

void CodeBuilder::store(SlotId slot, Register from) { append(instruction::Store{slot, from}); }

}  // namespace covec::loops
