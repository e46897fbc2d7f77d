#include "jit/passes/scalar_writer.hpp"

#include <algorithm>
#include <bit>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

Operation& ScalarWriter::append(const ops::Entry& entry, std::vector<Value> args, const Type& type) {
  Operation& made = out_->emplace_back();
  made.entry = &entry;
  made.args = std::move(args);
  made.place = place_;
  made.results = {graph_.add(type)};
  return made;
}

Value ScalarWriter::apply(const ops::Entry& entry, std::vector<Value> args, Dtype dtype) {
  if (std::ranges::none_of(args, has_symbols)) {
    if (std::optional<Value> known = evaluator_.run(entry, args); known && known->is_scalar()) return *known;
  }
  return graph_.symbol(append(entry, std::move(args), {dtype, {}}).results[0]);
}

Dtype ScalarWriter::dtype_of_number(const Value& number) const {
  return is_symbol(number) ? graph_.values[id_of(number)].type.dtype : number.scalar_dtype();
}

Value ScalarWriter::converted(Value number, Dtype to) {
  if (dtype_of_number(number) == to) return number;
  return apply(ops::cast_entry(to), {std::move(number)}, to);
}

Value ScalarWriter::combine(const Recipe& recipe, const Operation& operation, std::vector<Value> numbers, Dtype dtype) {
  switch (recipe.kind) {
    case Recipe::Kind::pick: return numbers[0];
    case Recipe::Kind::add:
      return numbers.size() == 1 ? numbers[0] : apply(ops::handles().add, std::move(numbers), dtype);
    case Recipe::Kind::pointwise: return of_elements(recipe, operation, std::move(numbers), dtype);
    case Recipe::Kind::lanes:
    case Recipe::Kind::in_order: return reduced(recipe, *operation.entry->reduce, std::move(numbers));
    case Recipe::Kind::dot:
    case Recipe::Kind::chain: return product(recipe, std::move(numbers), dtype);
  }
  return Value();
}

Value ScalarWriter::of_elements(const Recipe& recipe, const Operation& operation, std::vector<Value> numbers,
                                Dtype dtype) {
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = converted(std::move(numbers[i]), recipe.operands[i]);
  for (size_t i = numbers.size(); i < operation.args.size(); ++i) numbers.push_back(operation.args[i]);
  return apply(*operation.entry, std::move(numbers), dtype);
}

Value ScalarWriter::reduced(const Recipe& recipe, const ops::ReduceOperator& reduce, std::vector<Value> numbers) {
  const Dtype dtype = reduce.accumulator(dtype_of_number(numbers[0]));
  const Value divisor = Evaluator::number(static_cast<int32_t>(numbers.size()), dtype);
  for (Value& number : numbers) number = converted(std::move(number), dtype);
  Value all = numbers[0];
  if (recipe.kind == Recipe::Kind::lanes)
    all = lanes(reduce.combine, std::move(numbers), dtype);
  else
    for (size_t i = 1; i < numbers.size(); ++i) all = both(reduce.combine, all, numbers[i], dtype);
  return reduce.divides ? apply(ops::handles().divide, {all, divisor}, dtype) : all;
}

// Lanes are added to the ones half as far, so the higher half is at most as long as the lower one.
Value ScalarWriter::lanes(ops::Combine combine, std::vector<Value> numbers, Dtype dtype) {
  for (size_t half = std::bit_ceil(numbers.size()) / 2; half > 0; half /= 2) {
    for (size_t i = 0; i + half < numbers.size(); ++i) numbers[i] = both(combine, numbers[i], numbers[i + half], dtype);
    numbers.resize(half);
  }
  return numbers[0];
}

Value ScalarWriter::product(const Recipe& recipe, std::vector<Value> numbers, Dtype dtype) {
  for (Value& number : numbers) number = converted(std::move(number), dtype);
  std::vector<Value> products;
  Value chain = Evaluator::number(0, dtype);
  for (size_t k = 0; k < numbers.size(); k += 2) {
    if (recipe.kind == Recipe::Kind::dot)
      products.push_back(apply(ops::handles().multiply, {numbers[k], numbers[k + 1]}, dtype));
    else
      chain = apply(ops::entry_of<ops::FusedMultiplyAdd>(), {numbers[k], numbers[k + 1], chain}, dtype);
  }
  return products.empty() ? chain : lanes(ops::Combine::add, std::move(products), dtype);
}

Value ScalarWriter::both(ops::Combine combine, const Value& a, const Value& b, Dtype dtype) {
  using ops::Combine;
  const ops::Handles& known = ops::handles();
  const ops::Entry& entry = combine == Combine::add          ? known.add
                            : combine == Combine::multiply   ? known.multiply
                            : combine == Combine::maximum    ? known.maximum
                            : combine == Combine::minimum    ? known.minimum
                            : combine == Combine::logical_or ? known.bit_or
                                                             : known.bit_and;
  return apply(entry, {a, b}, dtype);
}

}  // namespace covec::passes
