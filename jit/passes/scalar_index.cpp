#include "jit/passes/scalar_index.hpp"

#include <bit>
#include <span>
#include <unordered_map>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

using namespace ir;

namespace {

class Choosing {
 public:
  Choosing(ScalarWriter& writer, const IndexChoice& choice) : writer_(writer), choice_(choice) {}

  // The number of the choice. Elements of a table are that; an index out of range is an error of the table's.
  void read(const Operation& operation) {
    Operation& made = at_index(*operation.entry, {table()});
    made.replays_error = operation.replays_error;
    number_ = writer_.symbol(made.results[0]);
  }
  // The same, computed: only an operation of its kind raises the error of one that writes.
  void check(const Operation& operation) {
    Value wrong;
    for (unsigned axis = 0; axis < choice_.extents.rank(); ++axis) {
      const Value& at = choice_.at[axis];
      if (at.is_none()) continue;
      const Value extent(choice_.extents[axis].number()), zero(int64_t{0});
      const Value from_end = integer(known_.add, {at, extent});
      const Value index = integer(known_.where, {truth(known_.less, {at, zero}), from_end, at});
      const Value outside =
          truth(known_.bit_or, {truth(known_.less, {index, zero}), truth(known_.greater_equal, {index, extent})});
      wrong = wrong.is_none() ? outside : truth(known_.bit_or, {wrong, outside});
      number_ = number_.is_none() ? index : integer(known_.add, {integer(known_.multiply, {number_, extent}), index});
    }
    Operation raise;
    raise.kind = Kind::if_;
    raise.place = writer_.place();
    raise.args = {wrong};
    raise.regions.resize(2);
    std::vector<Operation>* const outside = writer_.write_to(&raise.regions[0].operations);
    at_index(*operation.entry, {table(), Value(int64_t{0})}).replays_error = operation.replays_error;
    writer_.write_to(outside);
    writer_.add(std::move(raise));
  }

  // The value of the choice: each bit of its number halves what is left.
  Value choose(std::span<const Value> values, Dtype dtype) {
    if (values.size() == 1) return values[0];
    const size_t half = std::bit_ceil(values.size()) / 2;
    const Value low = choose(values.first(half), dtype), high = choose(values.subspan(half), dtype);
    return writer_.apply(known_.where, {has_bit(half), high, low}, dtype);
  }
  Value is(int32_t choice) {
    if (choice_.choices == 1) return Value(true);
    Value& equal = equal_[choice];
    if (equal.is_none()) equal = truth(known_.equal, {number_, Value(int64_t{choice})});
    return equal;
  }

 private:
  Value table() { return writer_.evaluator().numbered(choice_.extents, 0); }
  // The operation at the index along the axes that have one; those with an extent of 1 at 0.
  Operation& at_index(const ops::Entry& entry, std::vector<Value> args) {
    ops::IndexSpec spec;
    std::vector<Value> numbers;
    for (const Value& at : choice_.at) {
      spec.push(ops::IndexSpec::Item::at);
      numbers.push_back(at.is_none() ? Value(int64_t{0}) : at);
    }
    const bool reads = args.size() == 1;
    args.emplace_back(spec.packed());
    Operation& made = writer_.append(entry, std::move(args), {Dtype::i64, reads ? Shape{} : choice_.extents});
    made.rest = std::move(numbers);
    return made;
  }
  Value has_bit(size_t half) {
    Value& bit = bits_[half];
    if (!bit.is_none()) return bit;
    const bool highest = 2 * half >= static_cast<size_t>(choice_.choices);
    const auto one = static_cast<int64_t>(half);
    if (highest) return bit = truth(known_.greater_equal, {number_, Value(one)});
    return bit = truth(known_.not_equal, {integer(known_.bit_and, {number_, Value(one)}), Value(int64_t{0})});
  }
  Value integer(const ops::Entry& entry, std::vector<Value> args) {
    return writer_.apply(entry, std::move(args), Dtype::i64);
  }
  Value truth(const ops::Entry& entry, std::vector<Value> args) {
    return writer_.apply(entry, std::move(args), Dtype::boolean);
  }

  ScalarWriter& writer_;
  const IndexChoice& choice_;
  const ops::Handles& known_ = ops::handles();
  Value number_;  // of the choice
  std::unordered_map<size_t, Value> bits_;
  std::unordered_map<int32_t, Value> equal_;
};

}  // namespace

std::vector<Value> read_by_choice(ScalarWriter& writer, const IndexChoice& choice, const Operation& read,
                                  const std::vector<Value>& elements, Dtype dtype) {
  Choosing choosing(writer, choice);
  choosing.read(read);
  const auto each = static_cast<size_t>(choice.choices), count = choice.index.places.size();
  std::vector<Value> named(count * each), parts;
  for (size_t k = 0; k < elements.size(); ++k) {
    const IndexChoice::Named& place = choice.places[k];
    if (place.of_part == IndexChoice::Named::none) continue;
    named[static_cast<size_t>(place.of_part) * each + static_cast<size_t>(place.choice)] = elements[k];
  }
  for (size_t part = 0; part < count; ++part)
    parts.push_back(choosing.choose(std::span<const Value>(named).subspan(part * each, each), dtype));
  return parts;
}

std::vector<Value> write_by_choice(ScalarWriter& writer, const IndexChoice& choice, const Operation& change,
                                   const std::vector<Value>& elements, const std::vector<Value>& values, Dtype dtype) {
  Choosing choosing(writer, choice);
  choosing.check(change);
  const ops::Handles& known = ops::handles();
  const bool adds = change.entry == &known.index_add;
  const ops::Entry& sum = dtype == Dtype::boolean ? known.bit_or : known.add;  // a sum of bools would be an integer
  std::vector<Value> parts = elements;
  for (size_t k = 0; k < elements.size(); ++k) {
    const IndexChoice::Named& place = choice.places[k];
    if (place.of_part == IndexChoice::Named::none) continue;
    Value value = values[static_cast<size_t>(place.of_part)];
    if (adds) value = writer.apply(sum, {elements[k], std::move(value)}, dtype);
    parts[k] = writer.apply(known.where, {choosing.is(place.choice), std::move(value), elements[k]}, dtype);
  }
  return parts;
}

}  // namespace covec::passes
