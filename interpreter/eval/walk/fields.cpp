// Reads a field of a variable in place, without touching reference counts.
#include "interpreter/eval/walk/fields.hpp"

#include "frontend/common/nearest.hpp"
#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/module.hpp"
#include "stdlib/device/blocks.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/sparse_record.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

Raw Fields::field(const core::Field& node, Frame& f) {
  if (node.object->kind == core::ExprKind::local) {
    const auto& local = static_cast<const core::Local&>(*node.object);
    const Value& slot = f.slots[local.slot];
    if (!local.last_use && slot.is(ObjectKind::record)) return field_of(node, slot, f);
  } else if (node.object->kind == core::ExprKind::global) {
    const Value& slot = f.globals[static_cast<const core::Global&>(*node.object).slot];
    if (slot.is(ObjectKind::record)) return field_of(node, slot, f);
  }
  const Value object = parts_.expressions.value_of(*node.object, f);
  return field_of(node, object, f);
}

Raw Fields::field_of(const core::Field& node, const Value& object, const Frame& f) const {
  if (object.is(ObjectKind::record)) return field_of_record(node, object.record(), f);
  if (object.is(ObjectKind::sequence) && f.is_staged()) {
    const Value present = parts_.applier.staging()->present(object);
    if (!present.is(ObjectKind::sequence)) return field_of(node, present, f);
  }
  if (object.is(ObjectKind::module)) return name_of_module(node, module_of(object), f);
  if (!is_operand(shaped_part(object))) {
    parts_.reporter.fail(row("no_field"), {what_is(object), std::string(node.name)}, {{node.span, ""}}, f,
                         hint_for_attribute(parts_.reporter, node, object));
  }
  if (node.attribute != core::Attribute::none) return give(attribute(node.attribute, object, node.span, f));
  if (is_boxed_symbol(object)) fail_not_staged("the type of a value");
  parts_.reporter.fail(row("no_attribute"), {what_is(object), std::string(node.name)}, {{node.span, ""}}, f,
                       hint_for_attribute(parts_.reporter, node, object));
}

// A node that has found its field looks there first the next time.
Raw Fields::field_of_record(const core::Field& node, const Record& record, const Frame& f) const {
  const auto& names = record.layout->names;
  const uint32_t guess = node.last_index;
  if (guess < names.size() && names[guess] == node.name) return share(record.items[guess]);
  const int found = record.layout->find(node.name);
  if (found >= 0) {
    node.last_index = static_cast<uint32_t>(found);
    return share(record.items[found]);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const bool transposes = node.name == "T" && is_sparse_matrix(reference_to(const_cast<Record*>(&record)));
  parts_.reporter.fail(row("no_field"), {"the record", std::string(node.name)},
                       {{node.span, "its fields are " + listed(candidates)}}, f,
                       transposes ? "sparse.transpose(a) is the transpose of a sparse matrix"
                                  : did_you_mean(nearest_name(node.name, candidates)));
}

const Value* name_in(const Module& module, std::string_view name, Span span, const Reporter& reporter, const Frame& f) {
  if (f.is_staged() && module.gets_rule(name)) reporter.stop_staging("a rule for a module-level function", span, f);
  return module.find(name);
}

Raw Fields::name_of_module(const core::Field& node, const Module& module, const Frame& f) const {
  if (const Value* value = name_in(module, node.name, node.span, parts_.reporter, f)) return share(*value);
  parts_.reporter.fail(row("module_name"), {module.name, std::string(node.name)}, {{node.span, ""}}, f,
                       hint_for_name_of_module(parts_.reporter, module, node.name));
}

namespace {

// Only the run knows where a symbol's elements are.
std::string device_name(const Value& object) {
  const Value* value = &object;
  while (value->is(ObjectKind::traced)) value = &value->traced().primal;
  if (value->is(ObjectKind::symbol)) fail_not_staged("the device of a tensor");
  return device::name_of_place(*value);
}

}  // namespace

Value Fields::attribute(core::Attribute attribute, const Value& object, Span span, const Frame& f) const {
  const Value& shaped = shaped_part(object);
  const Type type = logical_type(shaped);
  switch (attribute) {
    case core::Attribute::T: {
      Value arg = object;
      return parts_.applier.call(ops::transpose_entry(), {&arg, 1}, {}, 0, span, {}, f);
    }
    case core::Attribute::H: {
      Value arg = object;
      return parts_.applier.call(ops::adjoint_entry(), {&arg, 1}, {}, 0, span, {}, f);
    }
    case core::Attribute::shape: {
      std::vector<Value> dims;
      for (const Dim dim : type.shape) dims.push_back(parts_.applier.builder().extent(dim));
      return make_tuple(std::move(dims));
    }
    case core::Attribute::dtype:
      return is_complex(object) ? ops::complex_dtype_value(type.dtype) : parts_.host.dtype_value(type.dtype);
    case core::Attribute::rank: return Value(static_cast<int64_t>(type.shape.rank()));
    case core::Attribute::size:
      return type.shape.known() ? Value(type.shape.elements()) : parts_.staged.size(type.shape, f);
    case core::Attribute::device: return make_string(device_name(shaped));
    case core::Attribute::none: break;
  }
  return Value();
}

}  // namespace covec
