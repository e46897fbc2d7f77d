#include "jit/passes/scalar_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/random/examples.hpp"
#include "stdlib/ops/random/random.hpp"

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

Value ScalarWriter::draw(const Operation& operation, size_t element, bool last, Dtype dtype) {
  const auto numbers = static_cast<int64_t>(*ops::floats_drawn(*operation.entry, operation.args, dtype));
  const Value key = operation.entry == &ops::keyed_draw_entry() ? operation.args[1] : Value();
  std::vector<Value> args = {Value(numbers), Value(static_cast<int64_t>(element)), Value(last), key};
  return graph_.symbol(append(ops::draw_element_entry(), std::move(args), {dtype, {}}).results[0]);
}

Value ScalarWriter::combine(const Recipe& recipe, const Operation& operation, std::vector<Value> numbers, Dtype dtype) {
  switch (recipe.kind) {
    case Recipe::Kind::pick: return numbers[0];
    case Recipe::Kind::add: {  // a sum of bools would be an integer
      const ops::Entry& sum = dtype == Dtype::boolean ? ops::handles().bit_or : ops::handles().add;
      return numbers.size() == 1 ? numbers[0] : apply(sum, std::move(numbers), dtype);
    }
    case Recipe::Kind::pointwise: return of_elements(recipe, operation, std::move(numbers), dtype);
    case Recipe::Kind::lanes:
    case Recipe::Kind::in_order: {
      const ops::Entry& entry = operation.entry->reduce != nullptr ? *operation.entry : ops::handles().sum;
      return reduced(recipe, *entry.reduce, std::move(numbers));
    }
    case Recipe::Kind::draw: break;  // draw()
    case Recipe::Kind::dot:
    case Recipe::Kind::chain: return product(recipe, std::move(numbers), dtype);
    case Recipe::Kind::unless_zero: return unless_zero(std::move(numbers), dtype);
    case Recipe::Kind::part:
    case Recipe::Kind::extreme:
    case Recipe::Kind::system: break;
  }
  return Value();
}

// NaN comes first, whether the largest or the smallest is asked for; -0 is less than 0.
Value ScalarWriter::extreme(const std::vector<Value>& numbers, bool smallest) {
  const ops::Handles& known = ops::handles();
  const auto truth = [&](const ops::Entry& entry, std::vector<Value> args) {
    return apply(entry, std::move(args), Dtype::boolean);
  };
  const Dtype dtype = dtype_of_number(numbers[0]);
  const ops::Entry& order = smallest ? known.less : known.greater;
  const Value one = Evaluator::number(1, dtype);
  const auto sign = [&](const Value& x) { return apply(ops::entry_of<ops::CopySign>(), {one, x}, dtype); };
  Value best = numbers[0], at = Value(int64_t{0});
  for (size_t k = 1; k < numbers.size(); ++k) {
    const Value& x = numbers[k];
    Value is_better = truth(order, {x, best});
    if (is_float(dtype)) {
      const Value is_number = truth(known.logical_not, {truth(known.isnan, {best})});
      const Value first_nan = truth(known.bit_and, {truth(known.isnan, {x}), is_number});
      const Value other_zero =
          truth(known.bit_and, {truth(known.equal, {x, best}), truth(order, {sign(x), sign(best)})});
      is_better = truth(known.bit_or, {is_better, truth(known.bit_or, {first_nan, other_zero})});
    }
    at = apply(known.where, {is_better, Value(static_cast<int64_t>(k)), at}, Dtype::i64);
    if (k + 1 < numbers.size()) best = apply(known.where, {is_better, x, best}, dtype);
  }
  return at;
}

// The first, or the second where all others are 0.
Value ScalarWriter::unless_zero(std::vector<Value> numbers, Dtype dtype) {
  Value zeros = Value(true);
  for (size_t i = 2; i < numbers.size(); ++i) {
    const Value zero = Evaluator::number(0, dtype_of_number(numbers[i]));
    const Value is_zero = apply(ops::handles().equal, {numbers[i], zero}, Dtype::boolean);
    zeros = apply(ops::handles().bit_and, {zeros, is_zero}, Dtype::boolean);
  }
  return apply(ops::handles().where, {zeros, numbers[1], numbers[0]}, dtype);
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

// Finite factors beside one cotangent make no NaN of a term 0.
bool ScalarWriter::may_need_repair(const Recipe& recipe, const std::vector<std::vector<Value>>& numbers) const {
  if (recipe.zeros == 0) return false;
  if (std::popcount(recipe.zeros) > 1) return true;
  const size_t other = (recipe.zeros & 1) != 0 ? 1 : 0;
  const auto finite = [](const Value& number) { return !is_symbol(number) && std::isfinite(number.real()); };
  for (const std::vector<Value>& each : numbers) {
    for (size_t k = other; k < each.size(); k += 2) {
      if (!finite(each[k])) return true;
    }
  }
  return false;
}

// The library's rule (convolution/repair_nan.hpp): term by term, in the order of the indices, without those that have
// a cotangent of 0. The sum of all elements is NaN if one of them is, so it is what is looked at first.
std::vector<Value> ScalarWriter::repaired(const Recipe& recipe, std::vector<Value> elements,
                                          const std::vector<std::vector<Value>>& numbers, Dtype dtype) {
  if (!may_need_repair(recipe, numbers)) return elements;
  const ops::Handles& known = ops::handles();
  const Value sum = lanes(ops::Combine::add, elements, dtype);
  Operation repair;
  repair.kind = Kind::if_;
  repair.place = place_;
  repair.args = {apply(known.isnan, {sum}, Dtype::boolean)};
  repair.regions.resize(2);
  repair.regions[1].results = elements;
  std::vector<Operation>* const outside = write_to(&repair.regions[0].operations);
  for (size_t k = 0; k < elements.size(); ++k) {
    const Value wrong = apply(known.isnan, {elements[k]}, Dtype::boolean);
    Value again = product_again(recipe, numbers[k], dtype);
    repair.regions[0].results.push_back(apply(known.where, {wrong, std::move(again), elements[k]}, dtype));
  }
  write_to(outside);
  for (Value& element : elements) {
    repair.results.push_back(graph_.add({dtype, {}}));
    element = graph_.symbol(repair.results.back());
  }
  add(std::move(repair));
  return elements;
}

Value ScalarWriter::product_again(const Recipe& recipe, std::vector<Value> numbers, Dtype dtype) {
  const ops::Handles& known = ops::handles();
  const Value zero = Evaluator::number(0, dtype);
  for (Value& number : numbers) number = converted(std::move(number), dtype);
  Value sum = zero;
  for (size_t k = 0; k < numbers.size(); k += 2) {
    Value more = apply(known.add, {sum, apply(known.multiply, {numbers[k], numbers[k + 1]}, dtype)}, dtype);
    for (size_t factor = 0; factor < 2; ++factor) {
      if ((recipe.zeros >> factor & 1) == 0) continue;
      const Value none = apply(known.equal, {numbers[k + factor], zero}, Dtype::boolean);
      more = apply(known.where, {none, sum, std::move(more)}, dtype);
    }
    sum = std::move(more);
  }
  return sum;
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
