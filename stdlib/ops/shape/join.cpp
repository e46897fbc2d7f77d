// Joins tensors: concat along an existing axis, stack along a new one. Both copy contiguous blocks of elements. The
// operands' dtypes are promoted as in arithmetic between tensors.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/interrupt_chunks.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

unsigned first_part(const Call& call) { return static_cast<unsigned>(call.args.size()); }

void require_parts(const Call& call) {
  if (!call.args[0].is_none()) {
    fail(message("join_tensors"), {std::string(call.entry.name), describe(call.args[0])}, {label_of(call, 0)},
         "write " + std::string(call.entry.name) + "((a, b))");
  }
  if (call.rest.empty()) fail(message("join_empty"), {std::string(call.entry.name)});
}

// As arithmetic between the parts would give.
template <class TypeOf>
Dtype joined_dtype(const Call& call, const TypeOf& type_of_part) {
  SmallVector<PromotionOperand, 16> parts(call.operands() - first_part(call));
  for (unsigned i = first_part(call); i < call.operands(); ++i) {
    const Type type = type_of_part(i);
    parts[i - first_part(call)] = {type.dtype, type.shape.rank() > 0 ? OperandClass::tensor : OperandClass::rank0};
  }
  return promote(span_of(parts));
}

Dtype joined_dtype(const Call& call) {
  return joined_dtype(call, [&](unsigned i) { return operand_type(call, i); });
}

// --- type rules ---

struct Joint {
  unsigned axis, along;
};

std::vector<std::string> concat_parts(const void* self, int64_t a, int64_t b) {
  const Joint& joint = *static_cast<const Joint*>(self);
  return {std::to_string(joint.along), std::to_string(a), std::to_string(b), std::to_string(joint.axis)};
}

Type concat_type(ShapeBuilder& shapes, const Call& call) {
  require_parts(call);
  const unsigned first = first_part(call);
  Type result = operand_type(call, first);
  if (result.shape.rank() == 0) fail(message("concat_scalar"), {}, {label_of(call, first)});
  const unsigned axis = normal_axis(call, integer_argument(call, 1), result.shape.rank());
  for (unsigned i = first + 1; i < call.operands(); ++i) {
    const Type part = operand_type(call, i);
    if (part.shape.rank() != result.shape.rank()) {
      fail(message("concat_rank"), {operand_type(call, first).text(), part.text()},
           {label_of(call, first), label_of(call, i)});
    }
    for (unsigned j = 0; j < part.shape.rank(); ++j) {
      const Joint joint{j, axis};
      if (j != axis)
        shapes.require_equal(result.shape[j], part.shape[j], {&message("concat_shape"), concat_parts, nullptr, &joint});
    }
    result.shape[axis] = shapes.add(result.shape[axis], part.shape[axis]);
  }
  return {joined_dtype(call), result.shape};
}

std::vector<std::string> stack_parts(const void* self, int64_t, int64_t) {
  const auto& [a, b] = *static_cast<const std::pair<Type, Type>*>(self);
  return {a.text(), b.text()};
}

void require_same_shape(ShapeBuilder& shapes, const Type& a, const Type& b, const Mismatch& otherwise) {
  if (a.shape.rank() != b.shape.rank()) ShapeBuilder::raise(otherwise, a.shape.rank(), b.shape.rank());
  for (unsigned i = 0; i < a.shape.rank(); ++i) shapes.require_equal(a.shape[i], b.shape[i], otherwise);
}

// Results of examples; those of an outer batch are in front of the new axis, and are not told of.
struct Example {
  const Call& call;
  unsigned operand;
  Type type(unsigned i) const {
    Type type = operand_type(call, i);
    for (int64_t outer = integer_argument(call, 1); outer > 0; --outer) type.shape.erase(0);
    return type;
  }
};

std::vector<std::string> example_parts(const void* self, int64_t, int64_t) {
  const Example& example = *static_cast<const Example*>(self);
  const unsigned first = first_part(example.call);
  return {example.call.args[2].string().text, std::to_string(example.operand - first),
          example.type(example.operand).text(), example.type(first).text()};
}

Type stack_type(ShapeBuilder& shapes, const Call& call) {
  require_parts(call);
  const unsigned first = first_part(call);
  const Type part = operand_type(call, first);
  const bool examples = &call.entry == &stack_examples_entry();
  for (unsigned i = first + 1; i < call.operands(); ++i) {
    const Type other = operand_type(call, i);
    const std::pair<Type, Type> both(part, other);
    const Example example{call, i};
    require_same_shape(shapes, part, other,
                       examples ? Mismatch{&message("examples_differ"), example_parts, nullptr, &example}
                                : Mismatch{&message("stack_shape"), stack_parts, nullptr, &both});
  }
  Shape shape = part.shape;
  const unsigned axis = normal_axis(call, integer_argument(call, 1), shape.rank() + 1);
  shape.insert(axis, Dim(static_cast<int64_t>(call.rest.size())));
  return {joined_dtype(call), shape};
}

// --- eager ---

// Elements of `shape` from `axis` on: what lies together.
int64_t elements_from(const Shape& shape, unsigned axis) {
  int64_t count = 1;
  for (unsigned i = axis; i < shape.rank(); ++i) count *= shape[i].number();
  return count;
}

int64_t elements_before(const Shape& shape, unsigned axis) {
  int64_t count = 1;
  for (unsigned i = 0; i < axis; ++i) count *= shape[i].number();
  return count;
}

// `count` chunks that lie together, to places `period` bytes apart.
template <size_t chunk>
void spread(std::byte* to, size_t period, const std::byte* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i, to += period, from += chunk) std::memcpy(to, from, chunk);
}
void spread_some(std::byte* to, size_t period, const std::byte* from, size_t chunk, int64_t count) {
  switch (chunk) {
    case 1: return spread<1>(to, period, from, count);
    case 2: return spread<2>(to, period, from, count);
    case 4: return spread<4>(to, period, from, count);
    case 8: return spread<8>(to, period, from, count);
    case 16: return spread<16>(to, period, from, count);
    default:
      for (int64_t i = 0; i < count; ++i, to += period, from += chunk) copy_long(to, from, chunk);
  }
}
void spread(std::byte* to, size_t period, const std::byte* from, size_t chunk, int64_t count) {
  in_chunks(count, chunk, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin);
    spread_some(to + first * period, period, from + first * chunk, chunk, end - begin);
  });
}

Value join(Builder& builder, Call& call, const Type& type, unsigned axis) {
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const size_t width = size_of(type.dtype);
  const int64_t outer = elements_before(type.shape, axis);
  const size_t period = static_cast<size_t>(elements_from(type.shape, axis)) * width;
  std::byte* to = result.tensor().data();
  for (Value& operand : call.rest) {
    const Value part = contiguous(builder.pool(), cast_to(builder, std::move(operand), type.dtype));
    const int64_t elements = part.is_scalar() ? 1 : part.tensor().size();
    if (elements == 0) continue;
    const size_t chunk = static_cast<size_t>(elements / outer) * width;
    const std::byte* from = static_cast<const std::byte*>(data_of(part));
    spread(to, period, from, chunk, outer);
    to += chunk;
  }
  return result;
}

Value concat_eager(Builder& builder, Call& call) {
  const Type type = concat_type(builder, call);
  return join(builder, call, type, normal_axis(call, integer_argument(call, 1), type.shape.rank()));
}

Value stack_eager(Builder& builder, Call& call) {
  const Type type = stack_type(builder, call);
  return join(builder, call, type, normal_axis(call, integer_argument(call, 1), type.shape.rank()));
}

// --- derivatives ---

Value concat_transpose(RuleContext& rule, unsigned i, const Residuals& residuals, const Value& cotangent) {
  const Call call = residual_call(concat_entry(), residuals);
  const unsigned axis = normal_axis(call, integer_argument(call, 1), residuals.types[i].shape.rank());
  Dim start = 0;
  for (size_t j = residuals.parameters; j < i; ++j) start = rule.builder().add(start, residuals.types[j].shape[axis]);
  return rule.cast(narrow(rule.builder(), cotangent, axis, start, residuals.types[i].shape[axis]),
                   residuals.types[i].dtype);
}

Value stack_transpose(RuleContext& rule, unsigned i, const Residuals& residuals, const Value& cotangent) {
  const Call call = residual_call(stack_entry(), residuals);
  const unsigned axis = normal_axis(call, integer_argument(call, 1), residuals.types[i].shape.rank() + 1);
  Value part = narrow(rule.builder(), cotangent, axis, static_cast<int64_t>(i - residuals.parameters), 1);
  return rule.cast(reshape(rule.builder(), std::move(part), residuals.types[i].shape), residuals.types[i].dtype);
}

// --- batches ---

// Numbers keep their class: what one example's promotion gives is cast to before the parts are joined as batches.
Value join_batch(Builder& builder, Call& call, const Batching& batching) {
  if (call.rest.empty()) return Value::unbound();  // one tensor, not several: the loop reports it
  const bool stacks = &call.entry != &concat_entry();
  const unsigned first = first_part(call);
  const Dtype dtype = joined_dtype(call, [&](unsigned i) { return example_type(call, i, batching); });
  const unsigned rank = example_type(call, first, batching).shape.rank() + (stacks ? 1 : 0);
  if (rank == 0) return Value::unbound();  // concat of numbers: the loop reports it
  const unsigned axis = normal_axis(call, integer_argument(call, 1), rank);
  std::vector<Value> parts;
  for (unsigned i = first; i < call.operands(); ++i) {
    Value part = with_batch_axis(builder, std::move(call.operand(i)), batching.batched[i], batching.size);
    parts.push_back(cast_to(builder, std::move(part), dtype));
  }
  call.args[1] = static_cast<int64_t>(axis) + 1;
  return ops::call(builder, call.entry, call.args, parts);
}

}  // namespace

const Entry& concat_entry() {
  static const Entry entry{
      .name = "concat",
      .doc = "A tuple or list of tensors one after another along `axis`; their other sizes must agree.",
      .parameters = {tensors_parameter("tensors"), attribute("axis", int64_t{0})},
      .carries = true,
      .type = concat_type,
      .eager = concat_eager,
      .device = DeviceForm::concat,
      .complex = by_parts_of_rest,
      .derivative = Derivative::linearly(Derivative::rest_bit, concat_transpose),
      .batch = join_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "([1.0, 2], [3.0])", .expected = "[1.0, 2, 3]", .differentiate = true},
                  {.arguments = "([[1], [2]], [[3, 4], [5, 6]]), axis=1", .expected = "[[1, 3, 4], [2, 5, 6]]"},
                  {.arguments = "list([1, 2], [0.5]), axis=-1", .expected = "[1, 2, 0.5]"},
                  {.arguments = "(zeros(0, 2), [[1.0, 2]])", .expected = "[[1.0, 2]]"}},
  };
  return entry;
}

namespace {

Value stack_of_tensor_eager(Builder& builder, Call& call) {
  const Call named{stack_entry(), call.args, call.rest, call.literals};  // for errors
  const bool complex = is_complex(call.args[0]);
  const unsigned rank = complex ? logical_type(shaped_part(call.args[0])).shape.rank()
                                : operand_of(builder, call, 0).shape.rank(),
                 to = normal_axis(named, integer_argument(named, 1), rank);
  std::vector<unsigned> order;
  for (unsigned i = 1; i < rank; ++i) order.push_back(i);
  order.insert(order.begin() + to, 0);
  if (!complex) return permute(builder, std::move(call.args[0]), order);
  const Complex& z = complex_of(call.args[0]);
  return make_complex(permute(builder, z.re(), order), permute(builder, z.im(), order));
}

// While a function is staged, a list of records that only the run knows is a list for each leaf.
const ListOfTrees* run_list_of_records(const Value& list) {
  const auto* trees = list.is(ObjectKind::sequence) ? dynamic_cast<const ListOfTrees*>(&list.sequence()) : nullptr;
  return trees != nullptr && has_named_children(trees->item) ? trees : nullptr;
}

Value stack_of_records_eager(Builder& builder, Call& call) {
  if (const ListOfTrees* trees = run_list_of_records(call.args[0])) {
    std::vector<Value> stacked;
    for (const Value& column : trees->columns)
      stacked.push_back(ops::call(builder, stack_entry(), {column, call.args[1]}));
    return with_leaves(trees->item, stacked);
  }
  const std::vector<Value> records = *children(call.args[0]);
  return map_containers(records, [&](std::span<const Value> leaves) {
    return ops::call(builder, stack_entry(), {make_tuple({leaves.begin(), leaves.end()}), call.args[1]});
  });
}

const Entry& stack_of_tensor_entry() {
  static const Entry entry{
      .name = "stack_of_tensor",
      .doc = "`stack` of the parts of a tensor along its first axis.",
      .parameters = {any_parameter("x"), attribute("axis", int64_t{0})},
      .carries = true,
      .eager = stack_of_tensor_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]], axis=1", .expected = "[[1.0, 3], [2, 4]]", .differentiate = true},
                  {.arguments = "[1, 2]", .expected = "[1, 2]"}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "stack"};
  return entry;
}

}  // namespace

const Entry& stack_of_records_entry() {
  static const Entry entry{.name = "stack_of_records",
                           .doc = "`stack` of each field of records.",
                           .parameters = {any_parameter("records"), attribute("axis", int64_t{0})},
                           .eager = stack_of_records_eager,
                           .derivative = Derivative::of_parts(),
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "({a: 1.0, b: [1, 2]}, {a: 2.5, b: [3, 4]})",
                                        .expected = "{a: [1.0, 2.5], b: [[1, 2], [3, 4]]}"}},
                           .internal = true,
                           .staging = Staging::structural,
                           .part_of = "stack"};
  return entry;
}

namespace {

// What has parts of its own: a tensor, or records.
const Entry* stack_instead(std::span<const Value> args, uint32_t) {
  const bool along_number = args.size() < 2 || args[1].is_unbound() || is_integer(args[1]);
  if (args.empty() || !along_number) return nullptr;
  if (is_run_list(args[0])) return run_list_of_records(args[0]) != nullptr ? &stack_of_records_entry() : nullptr;
  const Value& part = shaped_part(args[0]);
  if (is_operand(part)) return logical_type(part).shape.empty() ? nullptr : &stack_of_tensor_entry();
  const std::vector<Value>* const items =
      args[0].is(ObjectKind::tuple) || args[0].is(ObjectKind::list) ? children(args[0]) : nullptr;
  const bool records = items != nullptr && !items->empty() && has_named_children(items->front());
  return records ? &stack_of_records_entry() : nullptr;
}

}  // namespace

const Entry& stack_entry() {
  static const Entry entry{
      .name = "stack",
      .doc =
          "A tuple or list of tensors of one shape side by side along a new axis, put at `axis` of the result.\n\n"
          "Of a tensor, its parts along the first axis; of records, each field by itself.",
      .parameters = {tensors_parameter("tensors"), attribute("axis", int64_t{0})},
      .carries = true,
      .type = stack_type,
      .eager = stack_eager,
      .device = DeviceForm::stack,
      .complex = by_parts_of_rest,
      .derivative = Derivative::linearly(Derivative::rest_bit, stack_transpose),
      .batch = join_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "([1.0, 2], [3.0, 4])", .expected = "[[1.0, 2], [3, 4]]", .differentiate = true},
                  {.arguments = "([1, 2], [3, 4]), axis=1", .expected = "[[1, 3], [2, 4]]"},
                  {.arguments = "(1.0, 2.0, 3.0)", .expected = "[1.0, 2, 3]", .differentiate = true},
                  {.arguments = "(1, 2.5)", .expected = "[1, 2.5]"},
                  {.arguments = "(zeros(0), zeros(0))", .expected = "zeros(2, 0)"}},
      .instead = stack_instead,
  };
  return entry;
}

const Entry& stack_examples_entry() {
  static const Entry entry{
      .name = "stack_examples",
      .doc = "The same of what a function gives for examples; `what` is told where they differ.",
      .parameters = {tensors_parameter("tensors"), attribute("axis"), attribute("what")},
      .carries = true,
      .type = stack_type,
      .eager = stack_eager,
      .device = DeviceForm::stack,
      .complex = by_parts_of_rest,
      .derivative = Derivative::linearly(Derivative::rest_bit, stack_transpose),
      .batch = join_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

Family shape_join_entries() {
  static const Entry* const entries[] = {&concat_entry(), &stack_entry(), &stack_examples_entry(),
                                         &stack_of_tensor_entry(), &stack_of_records_entry()};
  return entries;
}

}  // namespace covec::ops
