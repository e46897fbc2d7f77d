// If an assumption fails at run time, the statement that needs it is interpreted, which raises the right message.
#include "interpreter/eval/staged/values.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include <algorithm>

#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/staged/point.hpp"
#include "interpreter/eval/values/used_slots.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
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

namespace {

// By axis; −1: not written.
std::vector<int64_t> written_extents(const core::Annotation& annotation, unsigned rank) {
  std::vector<int64_t> extents(rank, -1);
  const auto& dims = annotation.dims;
  size_t ellipsis = dims.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].kind == core::DimAnnotation::Kind::ellipsis) ellipsis = i;
    const size_t axis = i < ellipsis ? i : i + rank - dims.size();
    if (dims[i].kind == core::DimAnnotation::Kind::literal) extents[axis] = dims[i].literal;
  }
  return extents;
}

}  // namespace

// Parts of trees are replaced in a copy: the caller may hold the tree, too.
void StagedValues::know_extents(const core::Annotation& annotation, Value& argument, const Frame& f) const {
  if (annotation.kind != core::Annotation::Kind::tensor) {
    std::vector<Value> items = *children(argument);
    for (size_t i = 0; i < annotation.fields.size(); ++i) {
      const bool named = annotation.kind == core::Annotation::Kind::record;
      const int at = named ? argument.record().layout->find(annotation.names[i]) : static_cast<int>(i);
      know_extents(*annotation.fields[i], items[static_cast<size_t>(at)], f);
    }
    argument = rebuild(argument, std::move(items));
    return;
  }
  if (!annotation.has_dims || !is_operand(shaped_part(argument))) return;
  const std::vector<int64_t> extents = written_extents(annotation, logical_type(shaped_part(argument)).shape.rank());
  if (std::ranges::all_of(extents, [](int64_t extent) { return extent < 0; })) return;
  const bool is_parameter = !f.exit && f.bound;
  // The operation that makes them known takes time in each iteration: that is worth it where a tensor becomes numbers.
  constexpr int64_t small = 64;  // elements: as in jit/passes/scalar_choice.cpp
  int64_t elements = 1;
  for (const int64_t extent : extents) elements = extent < 0 || elements > small ? small + 1 : elements * extent;
  const bool is_small = elements <= small;
  if (!is_parameter && !is_small && parts_.walk.applier.staging()->in_loop()) return;
  if (!is_complex(argument)) {
    argument = with_extents(argument, extents, is_parameter);
    return;
  }
  const Complex& z = complex_of(argument);
  argument = make_complex(with_extents(z.re(), extents, is_parameter), with_extents(z.im(), extents, is_parameter));
}

// A parameter of the code has them from its beginning on. Any other value has them from here on, by an operation that
// no tape sees: the orders of its derivatives' sums stay. A row of an example keeps it one that lanes can hold.
Value StagedValues::with_extents(const Value& value, std::span<const int64_t> extents, bool is_parameter) const {
  if (value.is_traced()) {
    const Traced& traced = value.traced();
    Value primal = with_extents(traced.primal, extents, is_parameter);
    if (traced.trace == TraceKind::tape) return autodiff::make_tape(traced.level, std::move(primal), traced.node);
    if (traced.trace == TraceKind::batch) return autodiff::make_batch(traced.level, std::move(primal));
    return autodiff::make_jvp(traced.level, std::move(primal), with_extents(traced.tangent, extents, is_parameter));
  }
  if (!is_operand(value) || is_boxed_symbol(value)) return value;
  Staging& staging = *parts_.walk.applier.staging();
  Shape shape = logical_type(value).shape;
  const size_t examples = shape.rank() - extents.size();  // axes that come first under vmap
  bool any = false;
  Value known = value;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    Dim& extent = shape[static_cast<unsigned>(examples + axis)];
    if (extents[axis] < 0 || extent.known()) continue;
    if (is_parameter) known = staging.with_extent(known, static_cast<unsigned>(examples + axis), extents[axis]);
    extent = Dim(extents[axis]);
    any = true;
  }
  if (is_parameter || !any) return known;
  return ops::expect_shape(parts_.walk.applier.builder(), known, "argument", {logical_type(known).dtype, shape});
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
