#include "jit/emit/operators.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/emit/moves.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/elementwise/parts.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::emit {

using loops::Operand;
using loops::Step;

namespace {

const OperatorRow* find_row(const ops::Entry& entry) {
  for (const std::span<const OperatorRow> rows :
       {shape_rows(), linalg_rows(), reduce_rows(), index_rows(), derivative_rows(), running_rows(), system_rows(),
        convolution_rows()}) {
    for (const OperatorRow& row : rows) {
      if (&row.entry() == &entry) return &row;
    }
  }
  return nullptr;
}

std::string_view wrong_with(const ops::Effects& effects) {
  if (effects.prints) return "prints";
  if (effects.random) return "draws random numbers";
  if (effects.meets) return "is a collective: it needs the other ranks of a session";
  if (effects.outside) return "reaches outside of the program";
  if (effects.calls) return "calls functions that are known only at run time";
  return {};
}

// A longer operator on numbers.
void write_pointwise(const Application& application) {
  const ops::Entry& entry = application.entry();
  std::vector<Dtype> dtypes;
  std::string operands;
  std::vector<Value> args = application.apply.operation->args;
  const ops::Call call{entry, args, {}, application.apply.op.literals};
  for (unsigned k = 0; k < ops::pointwise_operands(call); ++k) {
    const Argument& operand = application.operands[k];
    if (!operand.is_number()) application.refuse_operator("of a tensor stands alone");
    dtypes.push_back(operand.type.dtype);
    operands += (k > 0 ? ", " : "") + operand.text;
  }
  application.frame.put(application.result.text + " = " + application.frame.file.pointwise(call, dtypes) + "(" +
                        operands + ");");
}

// `require` and its kind: what must hold, as a number.
void write_requirement(const Application& application) {
  if (!application.operands[0].is_number()) application.refuse("the interpreter checks whether it can continue");
  application.frame.put("if (!" + application.operands[0].text + ") " +
                        application.fail(error_text(application.entry())));
}

// All is known: what it gives is a constant.
bool is_known(const Step& step, const ops::Entry& entry) {
  const bool pure = !entry.effects.random && !entry.effects.outside && !entry.effects.prints && !entry.effects.calls &&
                    entry.staging == ops::Staging::typed;
  return pure && std::ranges::all_of(step.operands, [](const Operand& o) { return o.kind == Operand::Kind::constant; });
}

void write_known(Frame& frame, const Step& step, const loops::step::Apply& apply) {
  if (step.results[0] == Step::nowhere) return;
  Application application{frame, step, apply};
  application.result = frame.argument(step.results[0]);
  std::vector<Value> operands;
  for (const Operand& operand : step.operands) operands.push_back(operand.value);
  const Argument made = frame.argument(computed(application, operands), step.place);
  if (made.type != application.result.type) throw std::logic_error("a known operation gives another type");
  if (made.is_number()) return frame.put(application.result.text + " = " + made.text + ";");
  if (!made.type.is_empty()) frame.copy(application.result.text, made.text, made.type.bytes());
}

// A place for a result that nobody reads: the operation is there for its error.
Argument unused(Frame& frame, ir::Id value, uint32_t place) {
  Argument result;
  result.type = frame.shapes.type_of(value, place);
  if (!result.type.number) {
    result.text = frame.scratch(result.type.bytes(), memory_type(result.type.dtype));
    return result;
  }
  result.text = frame.fresh("t");
  frame.put(number_type(result.type.dtype) + " " + result.text + ";");
  frame.put("(void)" + result.text + ";");
  return result;
}

void write_row(Application& application, const OperatorRow& row) {
  Frame& frame = application.frame;
  for (const Size& extent : application.result.type.extents) {
    if (extent.may_be_negative()) frame.put("if (" + extent.text() + " < 0) " + application.fail("a negative extent"));
  }
  // It may lie where an operand does.
  const loops::SlotId slot = application.result.slot;
  const auto meets = [&](const Argument& operand) {
    return !operand.is_number() && operand.slot == slot && slot != Step::nowhere;
  };
  const auto meeting = std::ranges::count_if(application.operands, meets);
  const bool fits = meeting == 0 || (row.in_place && meeting == 1 && meets(application.operands[0]));
  if (fits || application.result.is_number()) return row.write(application);
  const std::string to = application.result.text;
  application.result.text = frame.scratch(application.result.type.bytes(), memory_type(application.result.type.dtype));
  row.write(application);
  frame.copy(to, application.result.text, application.result.type.bytes());
}

bool is_attribute(const Operand& operand) {
  return operand.kind == Operand::Kind::tree ||
         (operand.kind == Operand::Kind::constant && !operand.value.is_numeric());
}

}  // namespace

std::string error_text(const ops::Entry& entry) {
  if (entry.pointwise != nullptr) return pointwise_error_text(entry);
  if (&entry == &ops::index_read_entry() || &entry == &ops::index_update_entry() || &entry == &ops::index_add_entry())
    return range_error;
  if (&entry == &ops::handles().require) return require_error;
  if (&entry == &ops::handles().require_value) return "a variable has no value";
  return "`" + std::string(entry.part_of.empty() ? entry.name : entry.part_of) + "` cannot be computed";
}

std::string pointwise_error_text(const ops::Entry& entry) {
  switch (entry.pointwise->info.failure) {
    case ops::Failure::negative_exponent: return "an integer to a negative power";
    case ops::Failure::negative_shift: return "a shift by a negative number of bits";
    default: return "integer division by zero";
  }
}

void write_operator(Frame& frame, const Step& step, const loops::step::Apply& apply) {
  Application application{frame, step, apply};
  const ops::Entry& entry = application.entry();
  const ir::Operation& operation = *apply.operation;
  if (const std::string_view wrong = wrong_with(entry.effects); !wrong.empty())
    application.refuse_operator(std::string(wrong));
  const OperatorRow* const row = find_row(entry);
  const bool requires_something = &entry == &ops::handles().require || &entry == &ops::handles().require_value;
  if ((row == nullptr || row->constant_if_known) && is_known(step, entry)) return write_known(frame, step, apply);
  if (row == nullptr && entry.pointwise == nullptr && !requires_something) application.refuse_operator(not_written);
  for (const Operand& operand : step.operands)
    application.operands.push_back(is_attribute(operand) ? Argument() : frame.argument(operand));
  if (requires_something) return write_requirement(application);
  const bool only_fails = step.results[0] == Step::nowhere;
  const auto fails = [&] {  // what warns gives no number or tensor
    const ir::Graph& graph = frame.shapes.graph;
    return !graph.values[operation.results[0]].boxed && ir::is_ordered(graph, operation);
  };
  // Moves of known extents have been tried: they do not fail.
  const bool moves =
      row != nullptr && row->only_moves &&
      std::ranges::all_of(application.operands, [](const Argument& a) { return a.type.elements().known(); });
  if (only_fails && (moves || !fails())) return;
  if (only_fails) frame.open("");
  application.result = only_fails ? unused(frame, operation.results[0], step.place) : frame.argument(step.results[0]);
  if (row == nullptr)
    write_pointwise(application);
  else
    write_row(application, *row);
  if (only_fails) frame.close();
}

}  // namespace covec::emit
