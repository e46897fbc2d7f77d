#include "stdlib/ops/contract/steps.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

Value Steps::less(Value a, Value b) { return call(handles().less, {std::move(a), std::move(b)}); }
Value Steps::less_equal(Value a, Value b) { return call(handles().less_equal, {std::move(a), std::move(b)}); }
Value Steps::greater(Value a, Value b) { return call(handles().greater, {std::move(a), std::move(b)}); }
Value Steps::equal(Value a, Value b) { return call(handles().equal, {std::move(a), std::move(b)}); }
Value Steps::both(Value a, Value b) { return call(handles().bit_and, {std::move(a), std::move(b)}); }
Value Steps::either(Value a, Value b) { return call(handles().bit_or, {std::move(a), std::move(b)}); }
Value Steps::inverse(Value a) { return call(handles().logical_not, {std::move(a)}); }
Value Steps::isnan(Value a) { return call(handles().isnan, {std::move(a)}); }
Value Steps::absolute(Value a) { return call(handles().absolute, {std::move(a)}); }
Value Steps::floor(Value a) { return call(handles().floor, {std::move(a)}); }
Value Steps::sqrt(Value a) { return call(handles().sqrt, {std::move(a)}); }
Value Steps::maximum(Value a, Value b) { return call(handles().maximum, {std::move(a), std::move(b)}); }
Value Steps::minimum(Value a, Value b) { return call(handles().minimum, {std::move(a), std::move(b)}); }

Value Steps::reduce(const Entry& entry, Value x, const Value& axis, bool keepdims) {
  return call(entry, {std::move(x), axis, Value(keepdims)});
}

Value Steps::take(Value x, unsigned axis, const Value& items) {
  IndexSpec spec;
  for (unsigned i = 0; i < axis; ++i) spec.push(IndexSpec::Item::slice);
  spec.push(IndexSpec::Item::at);
  return index_read(builder(), std::move(x), Value(spec.packed()), {&items, 1});
}

Steps::Neighbours Steps::neighbours(const Value& x, unsigned axis) {
  const Dim whole = logical_type(x).shape[axis];
  Dim size(0);
  if (whole.known()) {
    size = Dim(std::max<int64_t>(whole.number() - 1, 0));
  } else {
    const Value less = sub(builder().extent(whole), Value(int64_t{1}));
    size = builder().dim_of(maximum(less, Value(int64_t{0})));
  }
  return {narrow(builder(), x, axis, Dim(0), size), narrow(builder(), x, axis, Dim(1), size)};
}

Value Steps::extent(Dim dim, Dtype dtype) { return cast(builder().extent(dim), dtype); }

Dim Steps::size(const Value& number) { return builder().dim_of(number.is_symbol() ? number : concrete(number)); }

// Known sizes leave no less than 0, whatever the error that a program runs into later: a Dim below is a symbol.
Dim Steps::without(Dim dim, Dim part) {
  if (dim.known() && part.known()) return Dim(std::max<int64_t>(dim.number() - part.number(), 0));
  return size(sub(builder().extent(dim), builder().extent(part)));
}

void Steps::same_length(Dim a, Dim b, std::string_view function, std::string_view name_of_a,
                        std::string_view name_of_b) {
  if (a == b) return;
  call(expect_lengths_entry(), {builder().extent(a), builder().extent(b), make_string(std::string(function)),
                                make_string(std::string(name_of_a)), make_string(std::string(name_of_b))});
}

const Entry& expect_lengths_entry() {
  static const Entry entry{
      .name = "expect_lengths",
      .doc = "Checks that two arguments of an operator that is made of others go together.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("function"), attribute("name_of_a"),
                     attribute("name_of_b")},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::boolean, {}};
          },
      .eager =
          [](Builder&, Call& call) {
            const int64_t a = integer_argument(call, 0), b = integer_argument(call, 1);
            const auto text = [&](unsigned i) { return call.args[i].string().text; };
            if (a != b)
              fail(message("lengths_differ"), {text(2), text(3), text(4), std::to_string(a), std::to_string(b)});
            return Value(true);
          },
      .derivative = Derivative::none("checks"),
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

namespace {

// What is asked of an argument of an operator that is made of others.
struct Least {
  const Call& call;
  std::string text(unsigned i) const { return call.args[i].string().text; }
  [[noreturn]] void fail(const std::string& type, const std::string& shown) const {
    const auto operand = static_cast<int>(integer_argument(call, 5));
    covec::fail(message("bad_attribute"), {text(2), text(3), text(4), shown}, {{operand, "this is " + type}});
  }
  // Of examples: the length that their vectors share, or each one's number.
  void check() const {
    const Value x = concrete(call.args[0]);
    const int64_t least = integer_argument(call, 1);
    const Dtype dtype = dtype_of(x);
    if (flag_argument(call, 6)) {
      const Type vector{dtype, {Dim(x.tensor().dim(x.tensor().rank() - 1))}};
      if (vector.shape[0].number() < least) fail(vector.text(), vector.text());
      return;
    }
    for (const int64_t number : x.is_tensor() ? integer_list_argument(call, 0) : std::vector{integer_of(x)}) {
      if (number < least) fail(Type{dtype, {}}.text(), std::to_string(number));
    }
  }
};

Value least_batch(Builder& builder, Call& call, const Batching& batching) {
  return broadcast_to(builder, ops::call(builder, call.entry, call.args), {batching.size});
}

}  // namespace

void Steps::at_least(const Call& call, unsigned operand, int64_t least, std::string_view must_be) {
  const Value& x = call.args[operand];
  const Entry& entry = call.entry;
  const std::string_view parameter = entry.parameters[operand].name;
  const bool vector = is_operand(x) && logical_type(x).shape.rank() == 1;
  const bool number =
      is_operand(x) && logical_type(x).shape.rank() == 0 && kind_of(logical_type(x).dtype) == DtypeKind::integer;
  if (!vector && !number) fail_attribute(call, operand, must_be);
  const bool known = vector ? logical_type(x).shape[0].known() : is_integer(x);
  if (!known) {
    this->call(expect_least_entry(),
               {constant_of(x), Value(least), make_string(std::string(entry.name)), make_string(std::string(parameter)),
                make_string(std::string(must_be)), Value(int64_t{operand}), Value(vector)});
  } else if ((vector ? logical_type(x).shape[0].number() : integer_of(x)) < least) {
    fail_attribute(call, operand, must_be);
  }
}

const Entry& expect_least_entry() {
  static const Entry entry{
      .name = "expect_least",
      .doc = "Checks that an integer or a vector's length is not too small for an operator that is made of others.",
      .parameters = {tensor_parameter("x"), attribute("least"), attribute("function"), attribute("parameter"),
                     attribute("must_be"), attribute("operand"), attribute("vectors")},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::boolean, {}};
          },
      .eager =
          [](Builder&, Call& call) {
            Least{call}.check();
            return Value(true);
          },
      .derivative = Derivative::none("checks"),
      .batch = least_batch,
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

Dtype Steps::common_float(const Call& call, unsigned operands) {
  std::vector<PromotionOperand> classes;
  for (unsigned i = 0; i < operands; ++i) {
    const Type type = operand_type(call, i);
    const OperandClass number = call.literals >> i & 1 ? OperandClass::literal : OperandClass::rank0;
    classes.push_back({type.dtype, type.shape.rank() == 0 ? number : OperandClass::tensor});
  }
  return float_dtype(promote(classes));
}

Value Steps::move_axis(Value x, unsigned from, unsigned to) {
  const unsigned rank = logical_type(x).shape.rank();
  std::vector<unsigned> axes;
  for (unsigned i = 0; i < rank; ++i) {
    if (i != from) axes.push_back(i);
  }
  axes.insert(axes.begin() + to, from);
  return permute(builder(), std::move(x), axes);
}

Type operand_of(Builder& builder, Call& call, unsigned operand) {
  require_operand(builder, call, operand);
  return logical_type(call.args[operand]);
}

Type vector_operand(Builder& builder, Call& call, unsigned operand) {
  Type type = operand_of(builder, call, operand);
  if (type.shape.rank() != 1) fail_attribute(call, operand, "a vector");
  return type;
}

Value float_operand(Builder& builder, Call& call, unsigned operand) {
  const Dtype dtype = float_dtype(operand_of(builder, call, operand).dtype);
  return cast_to(builder, std::move(call.args[operand]), dtype);
}

unsigned choice_argument(const Call& call, unsigned operand, std::span<const std::string_view> texts) {
  const Value& value = call.operand(operand);
  if (value.is_none()) return 0;
  std::string all;
  for (unsigned i = 0; i < texts.size(); ++i) {
    if (value.is(ObjectKind::string) && value.string().text == texts[i]) return i;
    all += (i == 0 ? "\"" : i + 1 == texts.size() ? " or \"" : ", \"") + std::string(texts[i]) + "\"";
  }
  fail_attribute(call, operand, all);
}

}  // namespace covec::ops
