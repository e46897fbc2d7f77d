#include "jit/loops/build_kernel.hpp"

#include <algorithm>
#include <cstring>

#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/parts.hpp"

namespace covec::loops {

using ops::ScalarOp;
using ops::ScalarRef;

namespace {

// Longer pieces are left out: a call of the eager kernel costs a vector about as much as this.
constexpr uint32_t longest_in_kernel = 48;

// Eager kernels take operands of their dtype, and what is computed in floats gives floats of the same dtype.
bool has_eager_kernel(const ops::Call& call, const ops::PointwiseTyping& typing, int64_t parameter) {
  const ops::PointwiseOperator& op = *call.entry.pointwise;
  if (!is_float(typing.compute) || !is_float(typing.result) || op.info.types == ops::TypeClass::cast) return false;
  if (parameter != static_cast<int32_t>(parameter)) return false;
  for (unsigned i = 0; i < ops::pointwise_operands(call); ++i) {
    if (typing.operand(i) != typing.compute) return false;
  }
  return op.kernel(ops::Isa::baseline, typing.compute) != nullptr;
}

size_t hash_of(const KernelInstruction& i) {
  uint64_t hash = uint64_t(i.kind) | uint64_t(i.dtype) << 8 | uint64_t(i.op) << 16 | uint64_t{i.index} << 32;
  for (const uint64_t word : {uint64_t{i.operands[0]} | uint64_t{i.operands[1]} << 32, uint64_t{i.operands[2]}, i.bits})
    hash = (hash ^ hash >> 29 ^ word) * 0xff51afd7ed558ccd;
  return hash ^ hash >> 32;
}

bool same(const KernelInstruction& a, const KernelInstruction& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.op == b.op && a.index == b.index && a.bits == b.bits &&
         std::equal(a.operands, a.operands + 3, b.operands);
}

}  // namespace

uint32_t SharedInstructions::find(const KernelInstruction& instruction) const {
  for (size_t at = hash_of(instruction);; ++at) {
    const uint32_t id = places_[at & (places_.size() - 1)];
    if (id == nothing) return nothing;
    if (same(kernel_.code[id], instruction)) return id;
  }
}

void SharedInstructions::put(uint32_t id) {
  size_t at = hash_of(kernel_.code[id]);
  while (places_[at & (places_.size() - 1)] != nothing) ++at;
  places_[at & (places_.size() - 1)] = id;
}

void SharedInstructions::add(uint32_t id) {
  added_.push_back(id);
  if (2 * added_.size() <= places_.size()) return put(id);
  places_.assign(2 * places_.size(), nothing);
  for (const uint32_t each : added_) put(each);
}

// Rare parts are rare in programs too: the table is made again without what was added.
void SharedInstructions::end_rare() {
  added_.resize(scopes_.back());
  scopes_.pop_back();
  std::ranges::fill(places_, nothing);
  for (const uint32_t each : added_) put(each);
}

ScalarRef KernelBuilder::append(const KernelInstruction& instruction) {
  kernel_.code.push_back(instruction);
  return {static_cast<uint32_t>(kernel_.code.size() - 1), instruction.dtype};
}

ScalarRef KernelBuilder::shared(const KernelInstruction& i) {
  if (const uint32_t found = made_.find(i); found != SharedInstructions::nothing) return {found, i.dtype};
  const ScalarRef made = append(i);
  made_.add(made.id);
  return made;
}

ScalarRef KernelBuilder::constant(Dtype dtype, uint64_t bits) {
  if (rare_.counting()) return {0, dtype};
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::constant;
  instruction.dtype = dtype;
  instruction.bits = bits;
  return shared(instruction);
}

ScalarRef KernelBuilder::load(Dtype dtype, uint32_t input) {
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::load;
  instruction.dtype = dtype;
  instruction.index = input;
  return shared(instruction);
}

ScalarRef KernelBuilder::number(Dtype dtype, uint32_t index) {
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::number;
  instruction.dtype = dtype;
  instruction.index = index;
  return shared(instruction);
}

std::optional<uint64_t> KernelBuilder::constant_bits(ScalarRef value) const {
  const KernelInstruction& instruction = kernel_.code[value.id];
  if (instruction.kind != KernelInstruction::Kind::constant) return std::nullopt;
  return instruction.bits;
}

// Comparisons of integer constants: whether a division by a written number can fail.
std::optional<bool> KernelBuilder::known(ScalarOp op, ScalarRef a, ScalarRef b) const {
  if (kind_of(a.dtype) != DtypeKind::integer || a.dtype != b.dtype) return std::nullopt;
  const auto left = constant_bits(a), right = constant_bits(b);
  if (!left || !right) return std::nullopt;
  const bool narrow = a.dtype == Dtype::i32;
  const int64_t x = narrow ? static_cast<int32_t>(*left) : static_cast<int64_t>(*left);
  const int64_t y = narrow ? static_cast<int32_t>(*right) : static_cast<int64_t>(*right);
  switch (op) {
    case ScalarOp::lt: return x < y;
    case ScalarOp::le: return x <= y;
    case ScalarOp::eq: return x == y;
    case ScalarOp::ne: return x != y;
    default: return std::nullopt;
  }
}

ScalarRef KernelBuilder::emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) {
  if (rare_.counting()) return rare_.count(result);
  const uint8_t arity = info_of(op).arity;
  if (arity == 2) {
    if (const auto truth = known(op, a, b)) return constant(Dtype::boolean, *truth);
  }
  // An integer constant in another integer dtype is a constant, so that failures stay visible.
  if (op == ScalarOp::convert && !is_float(a.dtype) && kind_of(result) == DtypeKind::integer) {
    if (const auto bits = constant_bits(a)) {
      const Value number = ops::converted_number(Value::scalar(a.dtype, &*bits), result);
      uint64_t converted = 0;
      std::memcpy(&converted, number.scalar_data(), size_of(result));
      return constant(result, converted);
    }
  }
  KernelInstruction instruction;
  instruction.dtype = result;
  instruction.op = op;
  instruction.arity = arity;
  const ScalarRef operands[3] = {a, b, c};
  for (unsigned i = 0; i < arity; ++i) instruction.operands[i] = operands[i].id;
  return shared(instruction);
}

// To a half it is one instruction for now: of a number or a constant it is done elsewhere (narrow.hpp), and else
// spelled out (with_half_as_f32).
ScalarRef KernelBuilder::convert(ScalarRef value, Dtype to) {
  if (!is_half(to) || is_narrow(value.dtype) || spell_out_) return ScalarBuilder::convert(value, to);
  return emit(ScalarOp::convert, to, value, {}, {});
}

ScalarRef KernelBuilder::rare(ScalarRef condition, ScalarRef usual, ScalarRef (*slow)(void* state), void* state) {
  if (rare_.counting()) return slow(state);
  if (rare_.leaves_out(*this, condition, usual, longest_in_kernel, slow, state)) return usual;
  begin_rare(condition);
  const RareResult result{slow(state), usual};
  return end_rare(condition, {&result, 1})[0];
}

void KernelBuilder::begin_rare(ScalarRef condition) {
  KernelInstruction begin;
  begin.kind = KernelInstruction::Kind::rare;
  begin.dtype = Dtype::boolean;
  begin.operands[0] = condition.id;
  append(begin);
  made_.begin_rare();
}

std::vector<ScalarRef> KernelBuilder::end_rare(ScalarRef condition, std::span<const RareResult> results) {
  made_.end_rare();
  std::vector<ScalarRef> given;
  for (const RareResult& result : results) {
    KernelInstruction end;
    end.kind = given.empty() ? KernelInstruction::Kind::end_rare : KernelInstruction::Kind::rare_result;
    end.dtype = result.usual.dtype;
    end.operands[0] = condition.id;
    end.operands[1] = result.inside.id;
    end.operands[2] = result.usual.id;
    given.push_back(append(end));
  }
  return given;
}

ScalarRef KernelBuilder::apply(const ops::Call& call, std::span<const ScalarRef> operands) {
  const ops::PointwiseTyping typing = ops::pointwise_typing(call);
  const ops::PointwiseOperator& op = *call.entry.pointwise;
  const unsigned count = ops::pointwise_operands(call);
  const int64_t parameter = ops::pointwise_parameter(call);
  ScalarRef in[3];
  for (unsigned i = 0; i < count; ++i) in[i] = ops::promoted_operand(*this, call, typing, operands[i], i);
  rare_.begin(outline_ && has_eager_kernel(call, typing, parameter));
  ScalarRef result = op.lower(*this, typing.compute, {in, count}, parameter);
  if (const auto condition = rare_.end()) {
    KernelInstruction instruction;
    instruction.kind = KernelInstruction::Kind::outlined;
    instruction.dtype = result.dtype;
    instruction.arity = static_cast<uint8_t>(2 + count);
    instruction.operands[0] = condition->id;
    instruction.operands[1] = result.id;
    for (unsigned i = 0; i < count; ++i) instruction.operands[2 + i] = in[i].id;
    instruction.index = static_cast<uint32_t>(kernel_.outlined.size());
    kernel_.outlined.push_back({&op, typing.compute, parameter});
    result = append(instruction);
  }
  return convert(result, typing.result);
}

// Emits again what is there: the usual part of what was outlined becomes one with the body's.
Kernel expanded(const Kernel& kernel) {
  if (kernel.outlined.empty()) return kernel;
  Kernel whole = kernel;
  whole.code.clear();
  whole.outlined.clear();
  KernelBuilder builder(whole, false);
  std::vector<ScalarRef> values;
  for (const KernelInstruction& i : kernel.code) values.push_back(builder.expanded(i, kernel, values));
  for (Kernel::Output& output : whole.outputs) output.value = values[output.value].id;
  if (kernel.fails != Kernel::never) whole.fails = values[kernel.fails].id;
  return whole;
}

// The same, where half-precision numbers are made of f32 only.
Kernel with_half_as_f32(const Kernel& kernel) {
  const auto is_short = [&](const KernelInstruction& i) {
    return i.kind == KernelInstruction::Kind::scalar && i.op == ScalarOp::convert && is_half(i.dtype) &&
           kernel.code[i.operands[0]].dtype != Dtype::f32;
  };
  if (std::ranges::none_of(kernel.code, is_short)) return kernel;
  Kernel whole = kernel;
  whole.code.clear();
  KernelBuilder builder(whole, true, true);
  std::vector<ScalarRef> values;
  for (const KernelInstruction& i : kernel.code) {
    values.push_back(is_short(i) ? builder.convert(values[i.operands[0]], i.dtype) : builder.moved(i, values));
  }
  for (Kernel::Output& output : whole.outputs) output.value = values[output.value].id;
  if (kernel.fails != Kernel::never) whole.fails = values[kernel.fails].id;
  return whole;
}

// An instruction whose operands have become `values`.
ScalarRef KernelBuilder::moved(KernelInstruction i, std::span<const ScalarRef> values) {
  using Kind = KernelInstruction::Kind;
  for (unsigned k = 0; k < 5 && !values.empty(); ++k) i.operands[k] = values[i.operands[k]].id;
  switch (i.kind) {
    case Kind::rare: made_.begin_rare(); return append(i);
    case Kind::end_rare: made_.end_rare(); return append(i);
    case Kind::rare_result:
    case Kind::outlined: return append(i);
    default: return shared(i);
  }
}

// The same, with nothing outlined.
ScalarRef KernelBuilder::expanded(const KernelInstruction& i, const Kernel& from, std::span<const ScalarRef> values) {
  if (i.kind != KernelInstruction::Kind::outlined) return moved(i, values);
  ScalarRef in[3];
  for (unsigned k = 2; k < i.arity; ++k) in[k - 2] = values[i.operands[k]];
  const Kernel::Outlined& outlined = from.outlined[i.index];
  return outlined.op->lower(*this, outlined.dtype, {in, i.arity - size_t{2}}, outlined.parameter);
}

void KernelBuilder::fail_where(ScalarRef failing) {
  if (constant_bits(failing) == 0u) return;
  if (kernel_.fails == Kernel::never) {
    kernel_.fails = failing.id;
  } else {
    const ScalarRef before{kernel_.fails, Dtype::boolean};
    kernel_.fails = emit(ScalarOp::bit_or, Dtype::boolean, before, failing, {}).id;
  }
}

}  // namespace covec::loops
