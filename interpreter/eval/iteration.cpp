// What `for`, destructuring and comprehensions walk over: sequences (range, zip, …), first axes of tensors, tuples,
// lists.
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

int64_t Interpreter::length_of(const Value& iterable, Span span, Frame& f) {
  if (iterable.is(ObjectKind::sequence)) return iterable.sequence().length();
  if (iterable.is(ObjectKind::list)) return static_cast<int64_t>(iterable.list().items.size());
  if (iterable.is(ObjectKind::tuple)) return static_cast<int64_t>(iterable.tuple().items.size());
  if (iterable.is_object() && is_operand(iterable)) {
    const Type type = logical_type(iterable);
    if (type.shape.rank() > 0) return type.shape[0].number();
  }
  fail(row("not_iterable"), {what_is(iterable)}, {{span, "this is " + what_is(iterable)}}, f,
       iterable.tag() == Tag::i64 || iterable.tag() == Tag::i32 ? "use range(n) to count" : "");
}

Value Interpreter::item_of(const Value& iterable, int64_t index, Span span, Frame& f) {
  if (iterable.is(ObjectKind::list)) return iterable.list().items[index];
  if (iterable.is(ObjectKind::tuple)) return iterable.tuple().items[index];
  if (iterable.is(ObjectKind::sequence)) {
    try {
      return iterable.sequence().at(*builder_, index);
    } catch (const OpError& error) {
      raise(error, span, {}, &f);
    }
  }
  return item_at(iterable, Value(index), span, f);
}

// Of a tensor, at a place that may be a Symbol.
Value Interpreter::item_at(const Value& tensor, const Value& index, Span span, Frame& f) {
  ops::IndexSpec spec;
  spec.push(ops::IndexSpec::Item::at);
  Value args[2] = {tensor, Value(spec.packed())};
  Value item[1] = {index};
  return call_entry(ops::index_read_entry(), args, item, 0, span, {}, f);
}

namespace {

std::string count_of(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

// Destructuring: items to targets, left to right.
void Interpreter::unpack(const Value& value, const core::Target& target, Span value_span, Frame& f) {
  const bool parts = value.is(ObjectKind::tuple) || value.is(ObjectKind::list) || value.is(ObjectKind::sequence) ||
                     (value.is_object() && is_operand(value) && logical_type(value).shape.rank() > 0);
  if (!parts)
    fail(row("unpack_kind"), {what_is(value)}, {{target.span, ""}, {value_span, "this is " + what_is(value)}}, f);
  const int64_t length = length_of(value, value_span, f);
  const int64_t wanted = static_cast<int64_t>(target.parts.size());
  if (length != wanted) {
    fail(row("unpack"), {count_of(length, "value"), count_of(wanted, "target")},
         {{target.span, count_of(wanted, "target")}, {value_span, "this is " + what_is(value)}}, f);
  }
  for (int64_t i = 0; i < wanted; ++i) assign(*target.parts[i], item_of(value, i, value_span, f), value_span, f);
}

}  // namespace covec
