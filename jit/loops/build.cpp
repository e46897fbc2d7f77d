// Each operation becomes nests of its own; fusing them is the work of later passes. A pointwise body is emitted by the
// operator's own lowering, a reduction is a map of its elements combined by the pointwise operator of its kind.
#include "jit/loops/build.hpp"

#include <cstring>

#include "jit/loops/body_builder.hpp"
#include "jit/loops/reduce.hpp"
#include "jit/lower/lower.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::loops {

namespace {

const Symbol* symbol(const Value& value) {
  return value.is(ObjectKind::symbol) ? static_cast<const Symbol*>(value.object()) : nullptr;
}

}  // namespace

Access access_aligned(uint32_t buffer, unsigned rank, unsigned result_rank) {
  Access access{buffer, {}, {}};
  for (unsigned axis = 0; axis < rank; ++axis) access.loop.push_back(result_rank - rank + axis);
  return access;
}

namespace {

class Building {
 public:
  explicit Building(const ir::Graph& graph) : graph_(graph) { program_.graph = &graph; }

  Program run() {
    for (uint32_t value = 0; value < graph_.types.size(); ++value) {
      program_.buffers.push_back({graph_.types[value], value, value < graph_.parameters()});
    }
    for (uint32_t o = 0; o < graph_.operations.size(); ++o) build(o);
    for (const Value& result : graph_.results) {
      const Symbol* s = symbol(result);
      if (s == nullptr) throw ir::NotLowered{{}, "its result does not depend on its parameters"};
      program_.results.push_back(s->id);
    }
    return std::move(program_);
  }

 private:
  void build(uint32_t o) {
    const ir::Operation& operation = graph_.operations[o];
    if (operation.entry->pointwise != nullptr) return pointwise(o, operation);
    if (operation.entry->reduce != nullptr) return reduce(program_, o, operation);
    if (operation.entry == &ops::reshape_entry()) return copy_reshaped(o, operation);
    throw ir::NotLowered{operation.span, std::string(operation.entry->name) + " has no loops yet"};
  }

  // The elements in order: the target is written as if it had the operand's shape.
  void copy_reshaped(uint32_t o, const ir::Operation& operation) {
    const Symbol* from = symbol(operation.args[0]);
    if (from == nullptr) throw ir::NotLowered{operation.span, "a reshape of a constant"};
    const Shape& shape = from->type.shape;
    Nest nest;
    nest.operation = o;
    nest.dtype = operation.type.dtype;
    nest.loops.assign(shape.begin(), shape.end());
    nest.target = access_aligned(operation.result, shape.rank(), shape.rank());
    nest.target.shape = shape;
    BodyBuilder builder(nest.body);
    nest.body.value = builder.load(from->type.dtype, access_aligned(from->id, shape.rank(), shape.rank())).id;
    program_.nests.push_back(std::move(nest));
  }

  void pointwise(uint32_t o, const ir::Operation& operation) {
    Nest nest;
    nest.operation = o;
    nest.dtype = operation.type.dtype;
    nest.loops.assign(operation.type.shape.begin(), operation.type.shape.end());
    const unsigned rank = operation.type.shape.rank();
    nest.target = access_aligned(operation.result, rank, rank);
    BodyBuilder builder(nest.body);
    std::vector<Value> args = operation.args, rest = operation.rest;
    std::vector<ops::ScalarRef> operands;
    for (const Value& arg : args) operands.push_back(operand(builder, arg, rank));
    const ops::Call call{*operation.entry, args, rest, operation.literals};
    if (const auto fails = ops::lower_pointwise_failure(builder, call, operands)) nest.body.fails = fails->id;
    nest.body.value = ops::lower_pointwise(builder, call, operands).id;
    program_.nests.push_back(std::move(nest));
  }

  ops::ScalarRef operand(BodyBuilder& builder, const Value& value, unsigned rank) {
    if (const Symbol* s = symbol(value)) {
      return builder.load(s->type.dtype, access_aligned(s->id, s->type.shape.rank(), rank));
    }
    if (!value.is_scalar()) throw ir::NotLowered{{}, "an operand that is no number"};
    uint64_t bits = 0;
    std::memcpy(&bits, value.scalar_data(), size_of(value.scalar_dtype()));
    return builder.constant(value.scalar_dtype(), bits);
  }

  const ir::Graph& graph_;
  Program program_;
};

}  // namespace

Program build(const ir::Graph& graph) { return Building(graph).run(); }

}  // namespace covec::loops
