// Decides which operations must stay in order: those with an effect, and those that may fail. Known types and numbers
// often prove that an operation cannot fail.
#include "jit/ir/graph.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::ir {

namespace {

bool is_zero(const Value& number) { return number.integer() == 0; }

bool pointwise_fails(const Operation& operation) {
  const ops::PointwiseInfo& info = operation.entry->pointwise->info;
  std::vector<Type> types;
  bool floats = false;
  for (unsigned i = 0; i < info.arity - (info.parameter ? 1u : 0u) && i < operation.args.size(); ++i) {
    types.push_back(logical_type(operation.args[i]));
    floats |= is_float(types.back().dtype);
  }
  for (size_t i = 0; i < types.size(); ++i) {
    for (size_t j = i + 1; j < types.size(); ++j) {
      if (fit(types[i].shape, types[j].shape) != Fit::fits) return true;
    }
  }
  if (info.failure == ops::Failure::none || floats) return false;
  const Value& second = operation.args[1];
  if (!second.is_scalar()) return true;
  if (info.failure == ops::Failure::divide_by_zero) return is_zero(second);
  return second.integer() < 0;
}

bool reduction_fails(const Operation& operation) {
  if (operation.entry->reduce->has_empty) return false;
  for (const Dim dim : logical_type(operation.args[0]).shape) {
    if (!dim.known() || dim.number() == 0) return true;
  }
  return false;
}

// x @ w with one inner dimension.
bool product_fails(const Operation& operation) {
  const Shape a = logical_type(operation.args[0]).shape, b = logical_type(operation.args[1]).shape;
  if (a.rank() == 0 || b.rank() == 0 || a.rank() > 2 || b.rank() > 2) return true;
  return !(a[a.rank() - 1] == b[b.rank() == 1 ? 0 : b.rank() - 2]);
}

// Does nothing where its condition holds.
bool only_checks(const ops::Entry& entry) {
  return &entry == &ops::handles().require || &entry == &autodiff::warn_unless_entry();
}

}  // namespace

// Numbers are there where the extent is known, and slices are cut to what is there.
bool part_may_fail(const Operation& operation, const Value& packed) {
  using Item = ops::IndexSpec::Item;
  if (std::ranges::any_of(operation.rest, [](const Value& number) { return number.tag() != Tag::i64; })) return true;
  const Shape shape = logical_type(operation.args[0]).shape;
  const ops::IndexSpec spec(packed.i64());
  unsigned named = 0;  // axes that items behind this one name
  for (unsigned i = 0; i < spec.items(); ++i) named += spec.item(i) == Item::at || spec.item(i) == Item::slice;
  unsigned axis = 0;
  size_t next = 0;  // among the numbers
  for (unsigned i = 0; i < spec.items(); ++i) {
    if (spec.item(i) == Item::newaxis) continue;
    if (spec.item(i) == Item::ellipsis) {
      axis = shape.rank() - std::min(named, shape.rank());
      continue;
    }
    if (axis >= shape.rank()) return true;
    --named;
    const Dim extent = shape[axis++];
    if (spec.item(i) == Item::slice) {
      next += size_t{spec.has_start(i)} + size_t{spec.has_stop(i)};
      if (spec.has_step(i) && is_zero(operation.rest[next++])) return true;
      continue;
    }
    const int64_t at = operation.rest[next++].i64();
    if (!extent.known() || at < -extent.number() || at >= extent.number()) return true;
  }
  return false;
}

bool acts(const Operation& operation) {
  if (operation.kind == Kind::interpret || operation.kind == Kind::call) return true;
  if (operation.kind == Kind::apply) {
    const ops::Effects& effects = operation.entry->effects;
    if (effects.random || effects.prints || effects.outside || effects.calls) return true;
  }
  return std::any_of(operation.regions.begin(), operation.regions.end(), [](const Region& region) {
    return std::any_of(region.operations.begin(), region.operations.end(), acts);
  });
}

bool is_ordered(const Graph& graph, const Operation& operation) {
  if (operation.kind == Kind::if_) {
    for (const Region& region : operation.regions) {
      for (const Operation& inner : region.operations) {
        if (is_ordered(graph, inner)) return true;
      }
    }
    return false;
  }
  if (operation.kind != Kind::apply) return is_ordered(operation);
  const ops::Entry& entry = *operation.entry;
  const ops::Effects& effects = entry.effects;
  if (only_checks(entry) && operation.args[0].tag() == Tag::boolean) return !operation.args[0].boolean();
  if (entry.staging == ops::Staging::lists) return effects.may_fail;
  if (entry.staging != ops::Staging::typed || effects.random || effects.prints || effects.outside || effects.calls) {
    return true;
  }
  if (entry.pointwise != nullptr) return pointwise_fails(operation);
  if (entry.reduce != nullptr) return reduction_fails(operation);
  if (&entry == &ops::handles().index_read) return part_may_fail(operation, operation.args[1]);
  if (&entry == &ops::matmul_entry() || &entry == &ops::dot_entry()) return product_fails(operation);
  return effects.may_fail;
}

}  // namespace covec::ir
