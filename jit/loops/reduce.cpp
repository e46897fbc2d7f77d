#include "jit/loops/reduce.hpp"

#include <cstring>

#include "jit/loops/body_builder.hpp"
#include "jit/lower/lower.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/reduce.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::loops {

namespace {

using ops::ReduceKind;
using ops::ScalarOp;
using ops::ScalarRef;

uint64_t bits_of(double number, Dtype dtype) {
  uint64_t bits = 0;
  switch (dtype) {
    case Dtype::f32: {
      const auto narrow = static_cast<float>(number);
      std::memcpy(&bits, &narrow, sizeof narrow);
      break;
    }
    case Dtype::f64: std::memcpy(&bits, &number, sizeof number); break;
    default: bits = static_cast<uint64_t>(static_cast<int64_t>(number));
  }
  return bits;
}

// Whether the right value takes the left one's place as the first extreme: it is beyond it, or the first NaN.
ScalarRef takes_over(BodyBuilder& builder, ScalarRef left, ScalarRef right, bool smallest) {
  const ScalarRef beyond = smallest ? builder.emit(ScalarOp::lt, Dtype::boolean, right, left, {})
                                    : builder.emit(ScalarOp::lt, Dtype::boolean, left, right, {});
  if (!is_float(left.dtype)) return beyond;
  const ScalarRef right_nan = builder.emit(ScalarOp::ne, Dtype::boolean, right, right, {});
  const ScalarRef left_number = builder.emit(ScalarOp::eq, Dtype::boolean, left, left, {});
  const ScalarRef first_nan = builder.emit(ScalarOp::bit_and, Dtype::boolean, right_nan, left_number, {});
  return builder.emit(ScalarOp::bit_or, Dtype::boolean, beyond, first_nan, {});
}

ScalarRef combined(BodyBuilder& builder, ops::Combine combine, ScalarRef left, ScalarRef right) {
  const Dtype dtype = left.dtype;
  const ScalarRef pair[2] = {left, right};
  const std::span<const ScalarRef> operands(pair);
  switch (combine) {
    case ops::Combine::add: return builder.emit(ScalarOp::add, dtype, left, right, {});
    case ops::Combine::multiply: return builder.emit(ScalarOp::mul, dtype, left, right, {});
    case ops::Combine::logical_or: return builder.emit(ScalarOp::bit_or, dtype, left, right, {});
    case ops::Combine::logical_and: return builder.emit(ScalarOp::bit_and, dtype, left, right, {});
    case ops::Combine::maximum:
      if (dtype == Dtype::boolean) return builder.emit(ScalarOp::bit_or, dtype, left, right, {});
      return ops::entry_of<ops::Maximum>().pointwise->lower(builder, dtype, operands, 0);
    case ops::Combine::minimum:
      if (dtype == Dtype::boolean) return builder.emit(ScalarOp::bit_and, dtype, left, right, {});
      return ops::entry_of<ops::Minimum>().pointwise->lower(builder, dtype, operands, 0);
    case ops::Combine::first_largest: return takes_over(builder, left, right, false);
    case ops::Combine::first_smallest: return takes_over(builder, left, right, true);
  }
  return left;
}

Combine combine_of(const ops::ReduceOperator& op, Dtype accumulator, bool last_axis) {
  Combine combine;
  BodyBuilder builder(combine.body);
  const ScalarRef left = builder.argument(accumulator, 0);
  const ScalarRef right = builder.argument(accumulator, 1);
  combine.body.value = combined(builder, op.combine, left, right).id;
  combine.accumulator = accumulator;
  combine.start_bits = bits_of(op.start, accumulator);
  combine.empty_bits = bits_of(op.empty, accumulator);
  const bool position = op.kind == ReduceKind::argmax || op.kind == ReduceKind::argmin;
  combine.order = position          ? Combine::Order::position
                  : !op.has_empty   ? Combine::Order::any
                  : last_axis       ? Combine::Order::lanes
                                    : Combine::Order::chain;
  return combine;
}

bool in(uint32_t axes, unsigned axis) { return (axes >> axis) & 1; }

// One pass over some axes of `from`.
class Pass {
 public:
  Pass(uint32_t operation, const ops::ReduceOperator& op, uint32_t from, const Type& type)
      : operation_(operation), op_(op), from_(from), type_(type) {}

  // Reduces `axes` into `target`, whose axis for kept axis a is target_axis[a] (others have extent 1).
  Nest nest(uint32_t axes, uint32_t target, const std::vector<uint32_t>& target_axis, unsigned target_rank) const {
    const unsigned rank = type_.shape.rank();
    Nest nest;
    nest.operation = operation_;
    std::vector<uint32_t> loop_of(rank);
    uint32_t next = 0;
    for (unsigned a = 0; a < rank; ++a) {
      if (!in(axes, a)) loop_of[a] = next++;
    }
    const uint32_t kept = next;
    for (unsigned a = 0; a < rank; ++a) {
      if (in(axes, a)) loop_of[a] = next++;
    }
    nest.reduced = next - kept;
    nest.loops.resize(rank);
    for (unsigned a = 0; a < rank; ++a) nest.loops[loop_of[a]] = type_.shape[a];
    nest.target = {target, std::vector<uint32_t>(target_rank, Access::fixed), {}};
    for (unsigned a = 0; a < rank; ++a) {
      if (loop_of[a] < kept) nest.target.loop[target_axis[a]] = loop_of[a];
    }
    BodyBuilder builder(nest.body);
    const ScalarRef element = builder.load(type_.dtype, {from_, loop_of, {}});
    nest.body.value = builder.convert(element, op_.accumulator(type_.dtype)).id;
    nest.combine = combine_of(op_, op_.accumulator(type_.dtype), in(axes, rank - 1));
    nest.combine->must_have_elements = !op_.has_empty;
    nest.dtype = op_.result(type_.dtype);
    return nest;
  }

 private:
  uint32_t operation_;
  const ops::ReduceOperator& op_;
  uint32_t from_;
  Type type_;
};

// The sets of axes to reduce one after the other, the last first. Where the order of combining is fixed, axes that are not
// neighbours are separate passes.
std::vector<uint32_t> passes_of(uint32_t axes, unsigned rank, bool ordered) {
  if (!ordered) return axes == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{axes};
  std::vector<uint32_t> passes;
  for (unsigned a = rank; a-- > 0;) {
    if (!in(axes, a)) continue;
    if (a + 1 < rank && in(axes, a + 1)) passes.back() |= 1u << a;
    else passes.push_back(1u << a);
  }
  return passes;
}

// No axes are reduced: every element is its own result.
Nest copied(uint32_t o, const ops::ReduceOperator& op, uint32_t from, const Type& type, uint32_t target) {
  Nest nest;
  nest.operation = o;
  nest.loops.assign(type.shape.begin(), type.shape.end());
  nest.target = access_aligned(target, type.shape.rank(), type.shape.rank());
  nest.dtype = op.result(type.dtype);
  BodyBuilder builder(nest.body);
  const bool position = op.kind == ReduceKind::argmax || op.kind == ReduceKind::argmin;
  const ScalarRef element = builder.load(type.dtype, access_aligned(from, type.shape.rank(), type.shape.rank()));
  nest.body.value = position ? builder.constant(Dtype::i64, 0).id : builder.convert(element, nest.dtype).id;
  return nest;
}

}  // namespace

void reduce(Program& program, uint32_t o, const ir::Operation& operation) {
  const ops::ReduceOperator& op = *operation.entry->reduce;
  if (!operation.args[0].is(ObjectKind::symbol)) throw ir::NotLowered{operation.span, "a reduction of a constant"};
  const auto& x = *static_cast<const Symbol*>(operation.args[0].object());
  std::vector<Value> args = operation.args;
  const ops::ReduceArguments arguments = ops::reduce_arguments({*operation.entry, args, {}, 0}, x.type.shape.rank());
  Type type = x.type;
  const std::vector<uint32_t> passes = passes_of(arguments.axes, type.shape.rank(), op.has_empty);
  if (passes.empty()) return program.nests.push_back(copied(o, op, x.id, type, operation.result));

  uint32_t from = x.id;
  std::vector<Dim> divisor;
  std::vector<uint32_t> place(type.shape.rank());  // in the result with kept dimensions, of the axes that are left
  for (uint32_t a = 0; a < type.shape.rank(); ++a) place[a] = a;
  for (size_t pass = 0; pass < passes.size(); ++pass) {
    const uint32_t axes = passes[pass];
    const bool last = pass + 1 == passes.size();
    Type next{op.result(type.dtype), {}};
    std::vector<uint32_t> target_axis(type.shape.rank()), next_place;
    for (unsigned a = 0; a < type.shape.rank(); ++a) {
      if (in(axes, a)) {
        divisor.push_back(type.shape[a]);
        continue;
      }
      target_axis[a] = last && arguments.keepdims ? place[a] : next.shape.rank();
      next.shape.push_back(type.shape[a]);
      next_place.push_back(place[a]);
    }
    // Between passes reduced axes are dropped; the last one writes the operation's own shape.
    const uint32_t target = last ? operation.result : static_cast<uint32_t>(program.buffers.size());
    if (!last) program.buffers.push_back({next, 0, false});
    const unsigned target_rank = last ? operation.type.shape.rank() : next.shape.rank();
    Nest nest = Pass(o, op, from, type).nest(axes, target, target_axis, target_rank);
    if (last && op.divides) nest.divisor = divisor;
    program.nests.push_back(std::move(nest));
    from = target;
    type = next;
    place = std::move(next_place);
  }
}

}  // namespace covec::loops
