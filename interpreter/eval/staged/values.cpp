// If an assumption fails at run time, the statement that needs it is interpreted, which raises the right message.
#include "interpreter/eval/staged/values.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/staged/point.hpp"
#include "interpreter/eval/values/used_slots.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

void StagedValues::require(const Value& holds, std::string_view what, Span span, Frame& frame) const {
  Staging& staging = *parts_.walk.applier.staging();
  if (holds.tag() == Tag::boolean && holds.boolean()) return;
  const bool unknown = is_operand(holds) && holds.tag() != Tag::boolean;
  Frame* const at = frame.exit ? &frame : frame.caller;  // of a signature: the statement that calls
  const bool in_statement = at != nullptr && at->exit != nullptr && !at->exit->returned;
  if (unknown && (!in_statement || !staging.may_interpret())) return staging.require(holds);
  if (!unknown || !in_statement || !at->exit->statement)
    parts_.walk.reporter.stop_staging(what, span, at ? *at : frame);
  Frame& f = *at;
  staging.branch(
      holds, {}, [] {},
      [&] {
        const StagedPoint before(staging, f);
        interpret(*f.exit->statement, {std::string(what), span, true}, f);
        before.restore();
      });
}

void StagedValues::agree(Dim a, Dim b, Span span, Frame& f) const {
  if (a == b) return;
  Value extents[2] = {parts_.walk.applier.builder().extent(a), parts_.walk.applier.builder().extent(b)};
  const ops::Entry& equal = *parts_.walk.host.operator_of(Operator::equal).entry;
  require(parts_.walk.applier.call(equal, extents, span, f), "whether extents agree", span, f);
  parts_.walk.applier.staging()->assume_equal(a, b);
}

namespace {
bool is_whole_number(const Value& value) {
  if (!is_operand(value)) return false;
  const Type type = logical_type(value);
  return type.shape.empty() && kind_of(type.dtype) == DtypeKind::integer;
}
}  // namespace

// The arguments of the compiled function itself have been checked by the caller; those of the functions that it calls,
// and all results, must be seen to agree.
void StagedValues::dimension(const core::DimAnnotation& dim, Dim size, Frame& f) const {
  using Kind = core::DimAnnotation::Kind;
  if (dim.kind == Kind::any || dim.kind == Kind::ellipsis) return;
  ops::Builder& builder = parts_.walk.applier.builder();
  const bool checked = !f.exit && f.bound;
  if (dim.kind == Kind::name) {
    Value& slot = f.slots[dim.slot];
    if (slot.is_unbound()) {
      slot = builder.extent(size);
      return;
    }
    if (is_whole_number(slot)) {
      const Dim before = builder.dim_of(slot);
      if (before == size) return;
      if (checked) return parts_.walk.applier.staging()->assume_equal(before, size);
      return agree(before, size, dim.span, f);
    }
  }
  if (checked) return;
  if (dim.kind == Kind::literal) return agree(Dim(dim.literal), size, dim.span, f);
  parts_.walk.reporter.stop_staging("whether a dimension agrees", dim.span, f);
}

void StagedValues::know_extent(const core::DimAnnotation& dim, unsigned axis, Value& argument, const Frame& f) const {
  const bool checked = !f.exit && f.bound && dim.kind == core::DimAnnotation::Kind::literal;
  if (checked && argument.is_symbol())
    argument = parts_.walk.applier.staging()->with_extent(argument, axis, dim.literal);
}

Value StagedValues::size(const Shape& shape, const Frame& f) const {
  Value size(int64_t{1});
  for (const Dim dim : shape) {
    Value args[2] = {std::move(size), parts_.walk.applier.builder().extent(dim)};
    size = parts_.walk.applier.call(*parts_.walk.host.operator_of(Operator::mul).entry, args, Span(), f);
  }
  return size;
}

Value StagedValues::local(const core::Local& node, const Frame& f) const {
  Value value, is_defined;
  const std::string name(f.closure->function.slot_names[node.slot]);
  if (!parts_.walk.applier.staging()->defined(&f.slots[node.slot], value, is_defined)) {
    parts_.walk.reporter.fail(row("no_value"), {name}, {{node.span, ""}}, f, hint_for_unassigned(&f, name));
  }
  if (is_defined.is_none()) parts_.walk.reporter.stop_staging("a conditionally defined variable", node.span, f);
  Value args[2] = {is_defined, make_string(name)};
  parts_.walk.applier.call(ops::handles().require_value, args, node.span, f);
  return value;
}

void StagedValues::capture(const core::MakeClosure& node, const Value& variable, const Frame& f) const {
  Value value, is_defined;
  if (parts_.walk.applier.staging()->defined(&variable, value, is_defined))
    parts_.walk.reporter.stop_staging("a conditionally defined captured variable", node.span, f);
}

Flow StagedValues::interpret(const core::Stmt& stmt, Why why, Frame& f) const {
  Staging& staging = *parts_.walk.applier.staging();
  SlotsUsed used(f.closure->function.slots);
  used.see(stmt);
  Staging::Unstaged region{&stmt, f.staged, {}, {}, used.exits, std::move(why.reason), why.at, why.only_fails};
  for (uint32_t i = 0; i < f.closure->function.slots; ++i) {
    if (used.reads[i]) region.reads.push_back(i);
    if (used.writes[i]) region.writes.push_back(i);
  }
  const SourceScope place(staging, stmt.span, {}, nullptr, f.staged);
  const Value flow = staging.interpret(region, f.slots, f.exit->result);
  if (!used.exits) return Flow::next;
  if (stmt.kind == core::StmtKind::return_) return Flow::return_;
  f.exit->flow = flow;
  return Flow::staged;
}

}  // namespace covec
