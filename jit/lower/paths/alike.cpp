#include "jit/lower/paths/alike.hpp"

#include <algorithm>

#include "interpreter/compiler.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

bool differs_in_functions(const Value& a, const Value& b) {
  const bool functions = a.is(ObjectKind::function) || b.is(ObjectKind::function);
  return functions && !same_value(a, b) && !same_but_parts(a, b);
}

// A function that is made of others (grad(f)) takes the parameters of those: they have to be the same.
bool same_function(const Callable& a, const Callable& b) {
  ClosureParts x, y;
  if (closure_parts(a, x) || closure_parts(b, y))
    return closure_parts(a, x) && closure_parts(b, y) && a.same_but_captures(b);
  if (!a.known_by_parts() || !b.known_by_parts() || !a.same_but_captures(b)) return false;
  return std::ranges::equal(a.captures(), b.captures(),
                            [](const Value& p, const Value& q) { return !differs_in_functions(p, q); });
}

bool same_sequence(const Sequence& a, const Sequence& b) {
  const auto* const x = dynamic_cast<const ListOfTrees*>(&a);
  const auto* const y = dynamic_cast<const ListOfTrees*>(&b);
  if (x != nullptr && y != nullptr) return same_structure(x->item, y->item);
  return a.staging_key() == b.staging_key();
}

bool same_kind(const Value& a, const Value& b) {
  switch (a.object()->kind) {
    case ObjectKind::tuple:
    case ObjectKind::list:
    case ObjectKind::complex: return true;
    case ObjectKind::record:
    case ObjectKind::map: return same_names(a, b);
    case ObjectKind::sequence: return same_sequence(a.sequence(), b.sequence());
    case ObjectKind::function: return same_function(a.function(), b.function());
    default: return false;
  }
}

bool same_traced(const Traced& a, const Traced& b) {
  const bool conditional = a.tangent.is_unbound() || b.tangent.is_unbound();
  const bool same_tangent = conditional ? a.tangent.tag() == b.tangent.tag() && a.tangent.i64() == b.tangent.i64()
                                        : same_value(a.tangent, b.tangent);
  return a.level == b.level && a.trace == b.trace && a.node == b.node && same_value(a.primal, b.primal) && same_tangent;
}

}  // namespace

bool is_leaf(const Value& value) { return value.is_scalar() || value.is_tensor() || is_symbol(value); }

bool is_list(const Value& value) { return value.is(ObjectKind::list) || is_list_symbol(value); }

bool is_compound(const Value& value) {
  return is_tree(value) || value.is(ObjectKind::sequence) ||
         (value.is(ObjectKind::function) && value.function().known_by_parts());
}

bool is_open_tape(const ops::Context& context, const Value& traced) {
  const autodiff::OpenLevel* level = autodiff::find_level(context, traced.traced().level);
  return level != nullptr && level->kind == TraceKind::tape;
}

bool same_value(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (!a.is_object()) return a.i64() == b.i64() || a.is_none() || a.is_unbound();
  if (a.object() == b.object()) return true;
  if (is_symbol(a) && is_symbol(b)) return id_of(a) == id_of(b);
  if (a.is(ObjectKind::string) && b.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (a.is_traced() && b.is_traced()) return same_traced(a.traced(), b.traced());
  if (!same_but_parts(a, b)) return false;
  const std::vector<Value> x = parts_of(a), y = parts_of(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_value);
}

bool same_but_parts(const Value& a, const Value& b) {
  if (!a.is_object() || !b.is_object() || a.object()->kind != b.object()->kind) return false;
  return same_kind(a, b) && parts_of(a).size() == parts_of(b).size();
}

}  // namespace covec::ir
