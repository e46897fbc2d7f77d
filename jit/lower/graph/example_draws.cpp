#include "jit/lower/graph/example_draws.hpp"

#include <algorithm>

#include "jit/lower/graph/marks.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/effects.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/draw_for_examples.hpp"
#include "stdlib/ops/random/examples.hpp"
#include "stdlib/ops/random/random.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

size_t key_of(const ops::Entry& entry) {
  size_t at = 0;
  while (entry.parameters[at].name != "key") ++at;
  return at;
}

// The streams of the vmaps around are as they were when it ends.
template <class Streams>
class OpenStream {
 public:
  OpenStream(Streams& streams, size_t place, const Value& number, const Value& key)
      : streams_(streams), count_(streams.size()), place_(place) {
    streams.resize(place);
    streams.push_back({number, key});
  }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;
  ~OpenStream() { streams_.resize(std::min(count_, place_)); }

 private:
  Streams& streams_;
  const size_t count_, place_;
};

}  // namespace

// In a replay draws would need their place among all.
bool ExampleDraws::are_open() const {
  const ops::Context& context = builder_.context();
  return !context.batches.empty() && !context.replaying && !context.trying;
}

bool ExampleDraws::begin_in_order() const {
  const std::vector<ops::OpenBatch>& batches = builder_.context().batches;
  return !batches.empty() && batches.back().level == 0 && batches.back().example < 0 &&
         !is_in_order(batches.size() - 1);
}

Operation ExampleDraws::operation(const ops::Entry& entry, std::vector<Value> args, Value& result) {
  Operation operation;
  operation.entry = &entry;
  operation.args = std::move(args);
  result = writer_.result_of(operation, {Dtype::i64, {}});
  return operation;
}

Value ExampleDraws::append(const ops::Entry& entry, std::vector<Value> args) {
  Value result;
  writer_.append(operation(entry, std::move(args), result));
  return result;
}

// --- all at once ---

Value ExampleDraws::draw(ops::Call& call) {
  autodiff::make_draw_plain(call);
  const std::vector<ops::OpenBatch> batches = builder_.context().batches;
  unsigned at_once = 0;  // the first that is
  while (at_once < batches.size() && is_in_order(at_once)) ++at_once;
  for (size_t k = 0; k < batches.size(); ++k) {
    if (!is_in_order(k) && (batches[k].level == 0 || batches[k].example >= 0))
      not_staged("the effect of " + std::string(call.entry.name) + " for each example");
  }
  const bool has_key = !call.args[key_of(call.entry)].is_none();
  Value result = has_key ? same_for_all(call) : under_keys(call, at_once);
  for (size_t k = 0; k < batches.size(); ++k) {
    if (!is_in_order(k)) result = autodiff::make_batch(batches[k].level, std::move(result));
  }
  return result;
}

// Of a key of its own.
Value ExampleDraws::same_for_all(ops::Call& call) {
  Value result = builder_.apply(call);
  Shape shape = logical_type(result).shape;
  unsigned axis = 0;
  const std::vector<ops::OpenBatch>& batches = builder_.context().batches;
  for (size_t k = 0; k < batches.size(); ++k) {
    if (!is_in_order(k)) shape.insert(axis++, batches[k].size);
  }
  return axis == 0 ? result : ops::broadcast_to(builder_, std::move(result), shape);
}

Value ExampleDraws::under_keys(ops::Call& call, unsigned first_at_once) {
  const std::vector<ops::OpenBatch>& batches = builder_.context().batches;
  const Value number(ops::number_of_drawing(call.entry));
  const Value key = first_at_once == 0 ? Value() : streams_[first_at_once - 1].key;
  for (Stream& stream : streams_) stream.draws = true;
  writer_.graph().replays_errors = true;  // the interpreter knows how far an example has come
  std::vector<Value> operands;
  int64_t in_order = 0;
  for (size_t k = first_at_once; k < batches.size(); ++k) {
    operands.push_back(is_in_order(k) ? streams_[k].number : builder_.extent(batches[k].size));
    if (is_in_order(k)) in_order |= int64_t{1} << (k - first_at_once);
  }
  const auto levels = static_cast<int64_t>(operands.size());
  operands.insert(operands.end(), call.args.begin(), call.args.end());
  operands.insert(operands.end(), call.rest.begin(), call.rest.end());
  std::vector<Value> args = {number, key};
  if (levels > 0) args.insert(args.end(), {Value(levels), Value(in_order)});
  args.emplace_back();
  ops::Call drawing{levels > 0 ? ops::draw_for_examples_entry() : ops::keyed_draw_entry(), args, operands};
  return builder_.apply(drawing);
}

// --- one by one ---

namespace {

template <class Is>
bool has_any(std::span<const Operation> operations, const Is& is) {
  return std::ranges::any_of(operations, [&](const Operation& operation) {
    return is(operation) || std::ranges::any_of(operation.regions, [&](const Region& region) {
             return has_any(std::span(region.operations), is);
           });
  });
}

bool is_draw(const Operation& operation) { return operation.kind == Kind::apply && operation.entry->effects.random; }
bool acts_but_draws_not(const Operation& operation) {
  return operation.regions.empty() && !is_draw(operation) && acts(operation);
}

}  // namespace

void ExampleDraws::rollback(GraphWriter::Position before, bool keeps) {
  const std::span<const Operation> staged = writer_.appended_since(before.operations);
  if (!keeps && !has_any(staged, acts_but_draws_not)) return writer_.rollback(before);
  if (!has_any(staged, is_draw)) return;
  Value first;
  writer_.insert(before, operation(ops::next_call_entry(), {}, first));
  append(ops::set_next_call_entry(), {first});
}

Value ExampleDraws::in_order(Body body, FunctionRef<Value(Body body)> stack) {
  Marks marks(builder_.context(), writer_);
  const size_t before = marks.mark();
  bool draws = false;
  Value result = in_order(body, stack, false, draws);
  if (!draws) return result;
  result = Value();
  marks.rollback(before);
  return in_order(body, stack, true, draws);
}

// With `counts`: the bodies draw.
Value ExampleDraws::in_order(Body body, FunctionRef<Value(Body body)> stack, bool counts, bool& draws) {
  const size_t place = builder_.context().batches.size() - 1;
  const GraphWriter::Position before = writer_.position();
  Value first, key;
  Operation note_first = operation(ops::next_call_entry(), {}, first), note_key;
  if (place == 0)
    note_key = operation(ops::stream_key_entry(), {}, key);
  else if (is_in_order(place - 1))
    key = streams_[place - 1].key;
  const auto drawing = [&](const Value& number) {
    Value own_key;
    Operation make_key;
    if (!key.is_none()) make_key = operation(ops::example_key_entry(), {key, number}, own_key);
    const OpenStream stream(streams_, place, number, own_key);
    const GraphWriter::Position begin = writer_.position();
    Value result = body(number);
    if (streams_[place].draws) {
      draws = true;
      Value same;
      writer_.insert(begin, operation(ops::set_next_call_entry(), {first}, same));
      if (!key.is_none()) writer_.insert(begin, std::move(make_key));
    }
    return counts ? make_tuple({std::move(result), append(ops::next_call_entry(), {})}) : result;
  };
  const Value results = stack(drawing);
  if (!counts) return results;
  writer_.insert(before, std::move(note_first));
  if (place == 0) writer_.insert(before, std::move(note_key));
  const std::vector<Value> parts = results.tuple().items;
  append(ops::set_next_call_entry(), {ops::call(builder_, ops::handles().max, {parts[1]})});
  return parts[0];
}

}  // namespace covec::ir
