#include "jit/loops/build/draws.hpp"

#include "jit/loops/operands.hpp"
#include "jit/loops/random_words.hpp"
#include "stdlib/ops/random/ahead.hpp"

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
  if (!operation.entry->effects.random || !is_number(graph_, result)) return false;
  const Dtype dtype = graph_.values[result].type.dtype;
  const std::optional<ops::ScalarDraw> found = ops::scalar_draw(*operation.entry, operation.args, dtype);
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
  code_.append(instruction::Draw{to, buffer, found.takes, steps_.add(std::move(step))});
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

ops::ScalarRef DrawBuilder::integer(const Value& number) { return code_.convert(places_.number(number), Dtype::i64); }

}  // namespace covec::loops
