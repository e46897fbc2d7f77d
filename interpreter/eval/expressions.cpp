// Expressions: leaves, choice, making of values, fields and text. Operators, calls, indices and comprehensions have
// files of their own.
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/staged_place.hpp"
#include "stdlib/ops/make.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

Raw Interpreter::evaluate(const core::Expr& expr, Frame& f) {
  switch (expr.kind) {
    case core::ExprKind::local: {
      const auto& node = static_cast<const core::Local&>(expr);
      Value& slot = f.slots[node.slot];
      if (slot.is_unbound()) [[unlikely]] {
        if (staging_) return give(staged_local(node, f));
        unbound_local(node, f);
      }
      return node.last_use && !staging_ ? give(std::move(slot)) : share(slot);
    }
    case core::ExprKind::constant: return share(f.constants[static_cast<const core::Constant&>(expr).id]);
    case core::ExprKind::op: return apply(static_cast<const core::Op&>(expr), f);
    case core::ExprKind::global: {
      const Value& slot = f.globals[static_cast<const core::Global&>(expr).slot];
      if (slot.is_unbound()) [[unlikely]]
        unbound_global(static_cast<const core::Global&>(expr), f);
      return share(slot);
    }
    case core::ExprKind::call: return call(static_cast<const core::Call&>(expr), f);
    case core::ExprKind::select: return select(static_cast<const core::Select&>(expr), f);
    default: return evaluate_other(expr, f);
  }
}

Raw Interpreter::evaluate_other(const core::Expr& expr, Frame& f) {
  check_stack(f, expr.span);
  switch (expr.kind) {
    case core::ExprKind::capture: {
      const auto& node = static_cast<const core::Capture&>(expr);
      const Value& value = f.closure->captured[node.index];
      if (value.is_unbound()) [[unlikely]]
        unbound_capture(node, f);
      return share(value);
    }
    case core::ExprKind::builtin:
      return share(engine_builtin(*static_cast<const core::BuiltinRef&>(expr).builtin).value);
    case core::ExprKind::method_call: return method_call(static_cast<const core::MethodCall&>(expr), f);
    case core::ExprKind::make_tensor: return make_tensor_literal(static_cast<const core::MakeTensor&>(expr), f);
    case core::ExprKind::make_tuple: {
      const auto& node = static_cast<const core::MakeTuple&>(expr);
      std::vector<Value> items;
      items.reserve(node.items.size());
      for (const core::Expr* item : node.items) items.push_back(value_of(*item, f));
      return give(make_tuple(std::move(items)));
    }
    case core::ExprKind::make_record: return make_record_literal(static_cast<const core::MakeRecord&>(expr), f);
    case core::ExprKind::make_closure: return make_closure(static_cast<const core::MakeClosure&>(expr), f);
    case core::ExprKind::field: return field(static_cast<const core::Field&>(expr), f);
    case core::ExprKind::index: return index(static_cast<const core::Index&>(expr), f);
    case core::ExprKind::contract: return contract(static_cast<const core::Contract&>(expr), f);
    case core::ExprKind::map_index: return map_index(static_cast<const core::MapIndex&>(expr), f);
    case core::ExprKind::format: return format(static_cast<const core::Format&>(expr), f);
    case core::ExprKind::bind: {
      const auto& node = static_cast<const core::Bind&>(expr);
      f.slots[node.slot] = value_of(*node.value, f);
      return share(f.slots[node.slot]);
    }
    default: fail(row("internal"), {"an unknown node"}, {{expr.span, ""}}, f);
  }
}

void Interpreter::unbound_local(const core::Local& node, Frame& f) {
  const auto& names = f.closure ? f.closure->function.slot_names : f.home->unit->slot_names;
  fail(row("no_value"), {std::string(names[node.slot])}, {{node.span, ""}}, f);
}

void Interpreter::unbound_capture(const core::Capture& node, Frame& f) {
  fail(row("no_captured_value"), {std::string(f.closure->function.capture_names[node.index])}, {{node.span, ""}}, f);
}

void Interpreter::unbound_global(const core::Global& node, Frame& f) {
  fail(row("no_global_value"), {std::string(f.home->module->scope.names[node.slot])}, {{node.span, ""}}, f);
}

// --- choice ---

bool Interpreter::truth(const Value& value, const core::Expr& expr, Frame& f, const char* logical) {
  if (value.tag() == Tag::boolean) return value.boolean();
  if (value.is_traced()) {
    const Type type = logical_type(value);
    if (type.dtype == Dtype::boolean && type.shape.empty()) return concrete(value).boolean();
  }
  const bool many = is_operand(value) && logical_type(value).dtype == Dtype::boolean;
  const std::string got = what_is(value);
  if (logical) {
    const std::string_view name = logical;
    fail(row("logical_operand"), {std::string(name), got}, {{expr.span, "this is " + got}}, f,
         !many           ? ""
         : name == "and" ? "`&` is elementwise"
                         : "`|` is elementwise");
  }
  fail(row("condition"), {got}, {{expr.span, ""}}, f, many ? "use any or all" : "");
}

bool Interpreter::condition(const core::Expr& expr, Frame& f) {
  const Raw raw = evaluate(expr, f);
  if (raw.tag == Tag::boolean) [[likely]]
    return raw.i64 != 0;
  return truth(own(raw), expr, f);
}

Raw Interpreter::select(const core::Select& node, Frame& f) {
  using Form = core::Select::Form;
  check_stack(f, node.span);
  if (staging_) [[unlikely]]
    return staged_select(node, f);
  if (node.form == Form::conditional) return evaluate(condition(*node.condition, f) ? *node.then : *node.otherwise, f);
  const char* name = node.form == Form::and_ ? "and" : "or";
  const bool left = truth(value_of(*node.condition, f), *node.condition, f, name);
  if (left != (node.form == Form::and_)) return raw_bool(left);
  const core::Expr& right = node.form == Form::and_ ? *node.then : *node.otherwise;
  return raw_bool(truth(value_of(right, f), right, f, name));
}

// --- making ---

Raw Interpreter::make_tensor_literal(const core::MakeTensor& node, Frame& f) {
  Window items(*this, node.items.size());
  uint64_t literals = 0;
  for (size_t i = 0; i < node.items.size(); ++i) {
    items[i] = value_of(*node.items[i], f);
    if (i < 64 && node.items[i]->literal) literals |= uint64_t{1} << i;
  }
  set_site(node.span);
  const MaybePlace place(*this, node.span, {}, nullptr, f);
  try {
    return give(ops::make_literal(*builder_, items.span(), literals));
  } catch (const OpError& error) {
    std::vector<Span> spans;
    for (const core::Expr* item : node.items) spans.push_back(item->span);
    raise(error, node.span, spans, &f);
  }
}

Raw Interpreter::make_record_literal(const core::MakeRecord& node, Frame& f) {
  if (!node.cache) {
    auto layout = std::make_shared<RecordLayout>();
    layout->names.assign(node.names.begin(), node.names.end());
    layouts_.push_back(std::move(layout));
    node.cache = &layouts_.back();
  }
  std::vector<Value> items;
  items.reserve(node.items.size());
  for (const core::Expr* item : node.items) items.push_back(value_of(*item, f));
  const auto& layout = *static_cast<const std::shared_ptr<const RecordLayout>*>(node.cache);
  return give(make_record(layout, std::move(items)));
}

Raw Interpreter::make_closure(const core::MakeClosure& node, Frame& f) {
  if (node.self) return give(reference_to(const_cast<Closure*>(f.closure)));
  std::vector<Value> captured;
  captured.reserve(node.captures.size());
  for (const core::CaptureSource& source : node.captures) {
    const bool local = source.from == core::CaptureSource::From::local;
    if (staging_ && local && f.slots[source.index].is_unbound()) staged_capture(node, f.slots[source.index], f);
    captured.push_back(source.from == core::CaptureSource::From::local ? f.slots[source.index]
                                                                       : f.closure->captured[source.index]);
  }
  Value closure = Value::adopt(new Closure(*this, *node.function, *f.home, std::move(captured)));
  if (!node.definition) return give(std::move(closure));
  if (node.function->test) host_.found_test(*node.function, closure);
  if (node.function->compile || (!staging_ && host_.compiles_all())) return give(compiled(*node.function, closure, f));
  return give(std::move(closure));
}

// `@compile(strict=true) fn …` is compile(f, strict=true).
Value Interpreter::compiled(const core::Function& function, const Value& closure, Frame& f) {
  const ops::Entry& entry = *host_.compile_entry();
  std::vector<Value> args(entry.parameters.size(), Value::unbound());
  args[0] = closure;
  for (const core::Argument& option : function.compile_options) {
    for (size_t i = 1; i < args.size(); ++i) {
      if (entry.parameters[i].name == option.name) args[i] = value_of(*option.value, f);
    }
  }
  return call_entry(entry, args, {}, 0, function.name_span, {}, f);
}

Raw Interpreter::format(const core::Format& node, Frame& f) {
  if (staging_) [[unlikely]]
    return staged_format(node, f);
  std::string text;
  for (const core::Format::Piece& piece : node.pieces) {
    if (!piece.value) {
      text += piece.text;
      continue;
    }
    const Value value = value_of(*piece.value, f);
    set_site(piece.value->span);
    try {
      text += format_value(value, piece.spec);
    } catch (const OpError& error) {
      raise(error, piece.value->span, {}, &f);
    }
  }
  return give(make_string(std::move(text)));
}

// --- fields ---

Raw Interpreter::field(const core::Field& node, Frame& f) {
  // A field of a variable is read where it lies: nothing is counted up and down.
  if (node.object->kind == core::ExprKind::local) {
    const auto& local = static_cast<const core::Local&>(*node.object);
    const Value& slot = f.slots[local.slot];
    if (!local.last_use && slot.is(ObjectKind::record)) return field_of(node, slot, f);
  } else if (node.object->kind == core::ExprKind::global) {
    const Value& slot = f.globals[static_cast<const core::Global&>(*node.object).slot];
    if (slot.is(ObjectKind::record)) return field_of(node, slot, f);
  }
  const Value object = value_of(*node.object, f);
  return field_of(node, object, f);
}

Raw Interpreter::field_of(const core::Field& node, const Value& object, Frame& f) {
  if (object.is(ObjectKind::record)) {
    const Record& record = object.record();
    const auto& names = record.layout->names;
    const uint32_t guess = node.cache_index;
    if (guess < names.size() && names[guess] == node.name) return share(record.items[guess]);
    const int found = record.layout->find(node.name);
    if (found >= 0) {
      node.cache_index = static_cast<uint32_t>(found);
      return share(record.items[found]);
    }
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view near = nearest_name(node.name, candidates);
    fail(row("no_field"), {"the record", std::string(node.name)}, {{node.span, "its fields are " + listed(candidates)}},
         f, near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  if (object.is(ObjectKind::module)) {
    const Module& module = module_of(object);
    if (const Value* value = module.find(node.name)) return share(*value);
    const std::string_view near = nearest_name(node.name, module.scope.names);
    fail(row("module_name"), {module.name, std::string(node.name)}, {{node.span, ""}}, f,
         near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  if (is_operand(object)) {
    if (node.attribute != core::Attribute::none) return give(attribute(node.attribute, object, node.span, f));
    static const std::vector<std::string_view> attributes = {"T", "shape", "dtype", "rank", "size", "device"};
    const std::string_view near = nearest_name(node.name, attributes);
    fail(row("no_attribute"), {what_is(object), std::string(node.name)}, {{node.span, ""}}, f,
         near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  fail(row("no_field"), {what_is(object), std::string(node.name)}, {{node.span, ""}}, f);
}

Value Interpreter::attribute(core::Attribute attribute, const Value& object, Span span, Frame& f) {
  const Type type = logical_type(object);
  switch (attribute) {
    case core::Attribute::T: {
      Value arg = object;
      return call_entry(ops::transpose_entry(), {&arg, 1}, {}, 0, span, {}, f);
    }
    case core::Attribute::shape: {
      std::vector<Value> dims;
      for (const Dim dim : type.shape) dims.push_back(builder_->extent(dim));
      return make_tuple(std::move(dims));
    }
    case core::Attribute::dtype: return host_.dtype_value(type.dtype);
    case core::Attribute::rank: return Value(static_cast<int64_t>(type.shape.rank()));
    case core::Attribute::size: return type.shape.known() ? Value(type.shape.elements()) : staged_size(type.shape, f);
    case core::Attribute::device: return make_string("cpu");
    case core::Attribute::none: break;
  }
  return Value();
}

}  // namespace covec
