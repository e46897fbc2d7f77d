#include "jit/lower/builder.hpp"

#include <algorithm>

#include "jit/lower/examples.hpp"
#include "jit/lower/graph/axes.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/segments.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/origins/dependence.hpp"

namespace covec::ir {

namespace {

// Makes sequences, whose items loops take where they are; or takes the lists of leaves that a list of records is.
bool walks(const ops::Entry& entry) {
  return &entry == &ops::enumerate_entry() || &entry == &ops::zip_entry() || &entry == &ops::stack_of_records_entry();
}

// Hands on what a record or tuple holds, and looks no further.
bool hands_on(const ops::Entry& entry) {
  return &entry == &ops::spread_fields_entry() || &entry == &ops::spread_tuple_entry();
}

bool holds_boxed(const GraphWriter& writer, const Value& value) {
  bool boxed = false;
  each_symbol(value, [&](Id id) { boxed |= writer.graph().values[id].boxed; });
  return boxed;
}

// Why a value cannot be computed with.
std::string words_of_boxed(const GraphWriter& writer, const Value& value) {
  bool of_collective = false;
  each_symbol(value, [&](Id id) { of_collective |= writer.graph().values[id].of_collective; });
  return of_collective ? "the type of what a collective gives" : "a value whose type is known only at run time";
}

// From an operator that looks at the structure of what it is given.
bool hides_structure(const GraphWriter& writer, const ops::Entry& entry, const Value& operand) {
  if (hands_on(entry)) return writer.is_boxed(operand);
  if (!walks(entry)) return holds_boxed(writer, operand);
  if (!operand.is(ObjectKind::sequence)) return !is_list_symbol(operand) && holds_boxed(writer, operand);
  const std::vector<Value> parts = operand.sequence().parts();
  return std::ranges::any_of(parts, [&](const Value& part) { return hides_structure(writer, entry, part); });
}

bool is_number(const Value& value) { return value.is_scalar() || value.is_none() || value.is_unbound(); }

bool only_computes(const ops::Effects& effects) {
  return !effects.random && !effects.prints && !effects.outside && !effects.calls && !effects.repeatable;
}

// What the run is handed: without what derivatives have wrapped around it.
Value plain(const Value& value) {
  Value stripped = autodiff::without_derivatives(value);
  autodiff::map_deep(stripped, [](const Value& leaf) {
    if (leaf.is_traced()) not_staged("a batch where a plain value is needed");
    return leaf;
  });
  return stripped;
}

Operation operation_of(const ops::Call& call) {
  Operation operation;
  operation.entry = &call.entry;
  operation.literals = call.literals;
  return operation;
}

// Numbers only that make a number, and nothing that can go wrong: now.
bool fold(ops::Builder& eager, ops::Call& call, Value& result) {
  if (!only_computes(call.entry.effects)) return false;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!is_number(call.operand(i))) return false;
  }
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  try {
    ops::Call again{call.entry, args, rest, call.literals};
    Value folded = eager.apply(again);
    if (!folded.is_scalar()) return false;
    result = std::move(folded);
    return true;
  } catch (const OpError&) {
    return false;  // the run will say it, in its place
  }
}

// Eager loops say so, if this is in one.
void refuse_bounded(const ops::Context& context, const ops::Entry& entry) {
  if (entry.effects.meets && autodiff::bounded_level(context) != nullptr)
    not_staged("a collective in a gradient with memory=");
}

// What code would run again has no journal of what has happened. The interpreter has one (ops::EffectScope).
void refuse_again(const ops::Context& context, const ops::Effects& effects) {
  const bool is_met = effects.meets && !autodiff::is_looking(context);  // as often as on the other ranks
  if (context.replaying && effects.outside && !is_met && !effects.repeatable)
    not_staged("a file, the clock or another effect in what a derivative runs again");
}

Value apply_structural(ops::Builder& builder, const GraphWriter& writer, ops::Call& call) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (hides_structure(writer, call.entry, call.operand(i)))
      not_staged("a value whose structure is known only at run time");
  }
  return call.entry.eager(builder, call);
}

}  // namespace

Value StagingBuilder::apply(ops::Call& call) {
  ++writer_.graph().applied;
  refuse_bounded(context(), call.entry);
  refuse_again(context(), call.entry.effects);
  if (call.entry.effects.meets) ++context().collectives;
  Value of_list;
  if (operands_.apply(call, of_list)) return of_list;
  if (lists_.apply_to_trees(*this, call, of_list) || list_levels_.apply(call, of_list) || lists_.apply(call, of_list))
    return of_list;
  ops::check_operands(*this, call);
  if (const auto axis = symbolic_axis(call)) return at_each_axis(*this, call, *axis);
  switch (call.entry.staging) {
    case ops::Staging::structural: return apply_structural(*this, writer_, call);
    case ops::Staging::typed: return apply_typed(call);
    default: return apply_opaque(call);
  }
}

Value StagingBuilder::apply_typed(ops::Call& call) {
  const ops::Entry& entry = call.entry;
  if (entry.reduce != nullptr && entry.reduce->composed) return entry.eager(*this, call);
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (holds_boxed(writer_, call.operand(i))) not_staged(words_of_boxed(writer_, call.operand(i)));
  }
  const Type type = type_of(call);
  Value result;
  if (type.shape.empty() && fold(eager_, call, result)) return result;  // a tensor could be as large as memory
  Operation operation = operation_of(call);
  operation.args.assign(call.args.begin(), call.args.end());
  operation.rest.assign(call.rest.begin(), call.rest.end());
  result = writer_.result_of(operation, type);
  writer_.append_applied(std::move(operation));
  return result;
}

Value StagingBuilder::apply_opaque(ops::Call& call) {
  Operation operation = operation_of(call);
  for (const Value& arg : call.args) operation.args.push_back(plain(arg));
  for (const Value& arg : call.rest) operation.rest.push_back(plain(arg));
  Value result = writer_.boxed_result_of(operation);
  writer_.append_applied(std::move(operation));
  return result;
}

Type StagingBuilder::type_of(ops::Call& call) {
  struct Asked {
    bool& in;
    const bool outer = std::exchange(in, true);
    ~Asked() { in = outer; }
  } const asked{in_type_rule_};
  const size_t known = writer_.graph().dims.size();
  try {
    return call.entry.type(*this, call);
  } catch (...) {
    writer_.dimensions().forget_unbound(known);
    throw;
  }
}

Value StagingBuilder::apply_traced(ops::Call& call) {
  if (call.entry.effects.random && example_draws_.are_open()) return example_draws_.draw(call);
  Value of_list;
  if (operands_.apply(call, of_list)) return of_list;
  if (lists_.apply_to_trees(*this, call, of_list) || list_levels_.apply(call, of_list)) return of_list;
  if (const auto axis = symbolic_axis(call)) return at_each_axis(*this, call, *axis);
  return autodiff::apply_traced(*this, call);
}

// --- dimensions ---

// An operation checks again when it runs. What is made of others has nobody who does: the run must see that they agree,
// and where they do not the interpreter says it.
void StagingBuilder::guard_equal(Dim a, Dim b, const ops::Mismatch&) {
  if (in_type_rule_ || writer_.dimensions().are_equal(a, b)) return;
  writer_.require(ops::call(*this, ops::entry_of<ops::Equal>(), {extent(a), extent(b)}));
  writer_.dimensions().assume_equal(a, b);
}

Dim StagingBuilder::dim_of(const Value& number) {
  if (number.is_scalar()) return Dim(number.integer());
  if (!is_symbol(number)) not_staged("the size of an axis");
  return writer_.dimensions().of_number(id_of(number));
}

bool StagingBuilder::is_extent(const Value& number) const {
  return is_symbol(number) && writer_.dimensions().is_extent(id_of(number));
}

namespace {

Value make_extent(StagingBuilder& builder, GraphWriter& writer, Dim dim) {
  const DimExpression expression = writer.dimensions().expression(dim);
  const auto of_both = [&](const ops::Entry& entry) {
    const Value right = builder.extent(expression.right), left = builder.extent(expression.left);
    return ops::call(builder, entry, {left, right});
  };
  switch (expression.kind) {
    case DimExpression::Kind::number: return writer.graph().symbol(expression.value);
    case DimExpression::Kind::add: return of_both(ops::entry_of<ops::Add>());
    case DimExpression::Kind::multiply: return of_both(ops::entry_of<ops::Multiply>());
    case DimExpression::Kind::broadcast: {
      const Value left = builder.extent(expression.left), right = builder.extent(expression.right);
      const Value is_one = ops::call(builder, ops::entry_of<ops::Equal>(), {left, Value(int64_t{1})});
      return ops::call(builder, ops::entry_of<ops::Where>(), {is_one, right, left});
    }
    case DimExpression::Kind::saturating_sub: {
      Value difference = of_both(ops::entry_of<ops::Subtract>());
      return ops::call(builder, ops::entry_of<ops::Maximum>(), {std::move(difference), Value(int64_t{0})});
    }
    case DimExpression::Kind::axis_of: break;
  }
  Operation operation;
  operation.kind = Kind::dimension;
  operation.args = {writer.graph().symbol(expression.value)};
  operation.number = expression.axis;
  Value result = writer.result_of(operation, Type{Dtype::i64, {}});
  writer.append(std::move(operation));
  return result;
}

}  // namespace

Value StagingBuilder::extent(Dim dim) {
  if (dim.known()) return Value(dim.number());
  Value number = make_extent(*this, writer_, dim);
  if (is_symbol(number)) writer_.dimensions().note_extent(id_of(number), dim);
  return number;
}

Value StagingBuilder::choose(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise) {
  Value result = Value::unbound();
  control_flow_.branch(
      condition, {&result}, [&] { result = then(); }, [&] { result = otherwise(); });
  return result;
}

namespace {

Span known_place(const GraphWriter& writer) {
  const StagedSource* at = writer.place();
  while (at != nullptr && !at->whole.known()) at = at->outer;
  return at != nullptr ? at->whole : Span();
}

}  // namespace

Value StagingBuilder::few_or_all(Dim size, FunctionRef<void()> walk, FunctionRef<Value()> apart,
                                 FunctionRef<Value()> all) {
  const ops::Context& around = context();
  const bool alone = around.innermost == nullptr && around.batches.empty();
  if (!alone) {
    const Span at = known_place(writer_);
    if (at.known() && around.innermost != nullptr) writer_.graph().together.push_back(at);
    return all();
  }
  return meets_loops(writer_, walk) ? ir::few_or_all(*this, writer_, size, apart, all) : all();
}

void StagingBuilder::attempt(FunctionRef<void()> body) {
  const GraphWriter::Position before = writer_.position();
  const bool keeps = autodiff::is_tape_open(context());  // it refers to what has been staged
  try {
    body();
  } catch (const BatchedControl&) {
    example_draws_.rollback(before, keeps);
    throw;
  } catch (...) {
    if (!keeps && std::ranges::none_of(writer_.appended_since(before.operations), acts)) writer_.rollback(before);
    throw;
  }
}

Value StagingBuilder::each_example(Dim size, bool any, std::string_view what,
                                   FunctionRef<Value(const Value& number)> body) {
  const GraphWriter::Position before = writer_.position();
  try {          // whoever catches the error goes on in another way
    if (!any) {  // of none, the interpreter tells the type
      const Value count = extent(size);
      writer_.require(ops::Steps(*this).less(Value(int64_t{0}), count));
    }
    const bool in_order = example_draws_.begin_in_order();
    const auto stack = [&](FunctionRef<Value(const Value& number)> each) {
      return stack_examples(*this, writer_, control_flow_, size, what, in_order, each);
    };
    Value all = in_order ? example_draws_.in_order(body, stack) : stack(body);
    if (!any) writer_.graph().one_by_one.push_back(known_place(writer_));
    return all;
  } catch (...) {
    writer_.rollback(before);
    throw;
  }
}

}  // namespace covec::ir
