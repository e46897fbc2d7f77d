#include "jit/loops/build/elements.hpp"

#include "jit/loops/operands.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/index.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;

bool names_element(const ir::Graph& graph, const ir::Operation& operation, size_t spec) {
  const Value& x = operation.args[0];
  if (is_symbol(x) ? graph.values[id_of(x)].boxed || is_number(graph, x) : !x.is_tensor()) return false;
  const unsigned rank = shape_of(graph, x).rank();
  if (operation.args[spec].tag() != Tag::i64) return false;
  const ops::IndexSpec items(operation.args[spec].i64());
  if (items.items() != rank || operation.rest.size() != rank) return false;
  for (unsigned i = 0; i < rank; ++i) {
    if (items.item(i) != ops::IndexSpec::Item::at || !is_number(graph, operation.rest[i])) return false;
    if (kind_of(dtype_of(graph, operation.rest[i])) != DtypeKind::integer) return false;
  }
  return true;
}

bool sets_element(const ir::Graph& graph, const ir::Operation& operation, bool adds) {
  if (operation.args.size() != 3 || !names_element(graph, operation, 2) || !is_number(graph, operation.args[1]))
    return false;
  const Dtype dtype = dtype_of(graph, operation.args[0]);
  if (is_float(dtype_of(graph, operation.args[1])) && !is_float(dtype)) return false;
  return !(adds && dtype == Dtype::boolean);
}

bool ElementBuilder::build(const ir::Operation& operation) {
  if (operation.entry == &ops::index_read_entry()) return read(operation);
  if (operation.entry == &ops::index_update_entry()) return write(operation, false);
  return operation.entry == &ops::index_add_entry() && write(operation, true);
}

std::vector<Register> ElementBuilder::indices(const ir::Operation& operation) {
  std::vector<Register> result;
  for (const Value& item : operation.rest) result.push_back(code_.convert(places_.number(item), Dtype::i64).id);
  return result;
}

void ElementBuilder::load(Register to, SlotId x, const Otherwise& otherwise, const std::vector<Register>& at) {
  code_.append(instruction::Element{{x, at, otherwise.step, otherwise.saves}, to});
}

bool ElementBuilder::read(const ir::Operation& operation) {
  if (operation.args.size() != 2 || !names_element(graph_, operation, 1)) return false;
  const ir::Id result = operation.results[0];
  if (!is_number(graph_, result)) return false;
  Otherwise otherwise;
  otherwise.step = steps_.raising(operation, &otherwise.saves);
  const std::vector<Register> at = indices(operation);
  const Register to = places_.define_number(result);
  load(to, places_.slot_of(operation.args[0]), otherwise, at);
  steps_.drop_dead_values();
  return true;
}

bool ElementBuilder::write(const ir::Operation& operation, bool adds) {
  if (!sets_element(graph_, operation, adds) || !scopes_.is_needed(operation.results[0])) return false;
  const Dtype dtype = dtype_of(graph_, operation.args[0]);
  const SlotId slot = steps_.slot_to_change(operation);
  Otherwise otherwise;
  otherwise.step = steps_.add(steps_.changing(operation, steps_.application(operation), slot, &otherwise.saves));
  const std::vector<Register> at = indices(operation);
  ops::ScalarRef value = code_.convert(places_.number(operation.args[1]), dtype);
  if (adds) {
    const Register old = code_.fresh(dtype);
    load(old, slot, otherwise, at);
    value = code_.sum({old, dtype}, value);
  }
  code_.append(instruction::SetElement{{slot, at, otherwise.step, otherwise.saves}, value.id});
  return true;
}

}  // namespace covec::loops
