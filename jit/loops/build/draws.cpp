#include "jit/loops/build/draws.hpp"

#include "jit/loops/operands.hpp"
#include "jit/loops/random_words.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/ops/random/examples.hpp"

namespace covec::loops {

using ops::Word;

namespace {

bool is_integer(const ir::Graph& graph, const Value& value) {
  return is_number(graph, value) && kind_of(dtype_of(graph, value)) == DtypeKind::integer;
}

bool is_in_order(const ops::ScalarDraw& draw) {
  return draw.low.is_scalar() && draw.high.is_scalar() && draw.low.integer() < draw.high.integer();
}

}  // namespace

bool DrawBuilder::build(const ir::Operation& operation) {
  const ir::Id result = operation.results[0];
  if (build_of_examples(operation)) return true;
  if (!operation.entry->effects.random || !is_number(graph_, result)) return false;
  const Dtype dtype = graph_.values[result].type.dtype;
  const std::optional<ops::ScalarDraw> found =
      ops::scalar_draw(*operation.entry, operation.args, operation.rest, dtype);
  if (!found) return false;
  if (found->numbers == ops::Numbers::words) {
    if (!is_integer(graph_, found->low) || !is_integer(graph_, found->high)) return false;
    draw_integer(operation, *found);
  } else {
    const bool needed = scopes_.is_needed(result);
    draw(operation, *found, needed ? places_.define_number(result) : code_.fresh(dtype));
  }
  steps_.drop_dead_values();
  return true;
}

void DrawBuilder::draw(const ir::Operation& operation, const ops::ScalarDraw& found, Register to) {
  const uint32_t buffer = ops::buffer_of(found.numbers, found.element);
  Step step{.action = step::DrawAhead{operator_of(operation), buffer}, .place = operation.place};
  instruction::Draw draw{to, buffer, found.takes};
  if (!found.key.is_none()) {
    draw.key = integer(found.key).id;
    step.operands.push_back(steps_.saved(found.key, draw.saves));
  }
  draw.step = steps_.add(std::move(step));
  code_.append(std::move(draw));
}

// Builds what the draws of a vmap's examples need besides.
bool DrawBuilder::build_of_examples(const ir::Operation& operation) {
  const ir::Id result = operation.results[0];
  const bool needed = scopes_.is_needed(result);
  if (operation.entry == &ops::next_call_entry()) {
    if (needed) code_.append(instruction::NextCall{places_.define_number(result)});
  } else if (operation.entry == &ops::set_next_call_entry()) {
    const ops::ScalarRef call = integer(operation.args[0]);
    code_.append(instruction::SetNextCall{call.id});
    if (needed) places_.define_number_in(result, call.id);
  } else if (operation.entry == &ops::example_key_entry()) {
    const ops::ScalarRef made =
        ops::example_key(integer_word(operation.args[0]), integer_word(operation.args[1])).in(code_);
    if (needed) places_.define_number_in(result, made.id);
  } else {
    return false;
  }
  steps_.drop_dead_values();
  return true;
}

void DrawBuilder::draw_integer(const ir::Operation& operation, const ops::ScalarDraw& found) {
  const ops::ScalarRef low = integer(found.low), high = integer(found.high);
  if (!is_in_order(found))
    steps_.raise_where(operation, code_.emit(ops::ScalarOp::le, Dtype::boolean, high, low, {}).id);
  const Register word = code_.fresh(Dtype::i64);
  draw(operation, found, word);
  const ir::Id result = operation.results[0];
  if (!scopes_.is_needed(result)) return;
  const Word count = Word(code_, high) - Word(code_, low);
  const Word made = Word(code_, low) + ops::upper_product(count, Word(code_, {word, Dtype::i64}));
  places_.define_number_in(result, made.in(code_).id);
  code_.name(made.in(code_).id, graph_.values[result].name);
}

Word DrawBuilder::integer_word(const Value& number) { return {code_, integer(number)}; }

ops::ScalarRef DrawBuilder::integer(const Value& number) { return code_.convert(places_.number(number), Dtype::i64); }

}  // namespace covec::loops
