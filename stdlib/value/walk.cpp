// Decides which values a walk descends into.
#include "stdlib/value/walk.hpp"

#include "stdlib/value/callable.hpp"

namespace covec {

WalkedAs walked_as(const Value& value) {
  if (value.is_scalar()) return WalkedAs::leaf;
  if (!value.is_object()) return WalkedAs::whole;  // none, unbound
  switch (value.object()->kind) {
    case ObjectKind::tensor:
    case ObjectKind::traced: return WalkedAs::leaf;
    case ObjectKind::tuple:
    case ObjectKind::list:
    case ObjectKind::record:
    case ObjectKind::map:
    case ObjectKind::complex:
    case ObjectKind::sequence: return WalkedAs::parts;
    case ObjectKind::function: return value.function().known_by_parts() ? WalkedAs::parts : WalkedAs::whole;
    case ObjectKind::string:
    case ObjectKind::module:
    case ObjectKind::symbol: break;
  }
  return WalkedAs::whole;
}

bool is_generic_leaf(const Value& value) {
  if (value.is(ObjectKind::string)) return true;
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return true;
  return !value.is(ObjectKind::record) && is_tree(value) && children(value)->size() > longest_walked;
}

bool keeps_trees(const Value& value) { return value.is(ObjectKind::function) && value.function().keeps_trees(); }

}  // namespace covec
