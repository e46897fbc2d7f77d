// How a path ends is a variable like others. If paths end differently, a branch merges it into a number that the run
// has.
#include "interpreter/eval/staged/paths.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include <algorithm>

#include "interpreter/eval/values/used_slots.hpp"

namespace covec {

Value flow_number(Flow flow) { return Value(static_cast<int64_t>(flow)); }

bool is_known_flow(const Value& flow) { return flow.tag() == Tag::i64; }

namespace {

bool always_exits(const core::Stmt& stmt) {
  switch (stmt.kind) {
    case core::StmtKind::break_:
    case core::StmtKind::continue_:
    case core::StmtKind::return_: return true;
    case core::StmtKind::if_: {
      const auto& node = static_cast<const core::If&>(stmt);
      return covec::always_exits(node.then) && covec::always_exits(node.otherwise);
    }
    default: return false;
  }
}

}  // namespace

bool always_exits(const core::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const core::Stmt* stmt) { return always_exits(*stmt); });
}

bool may_return(const core::Stmt& stmt) {
  switch (stmt.kind) {
    case core::StmtKind::return_: return true;
    case core::StmtKind::if_: {
      const auto& node = static_cast<const core::If&>(stmt);
      return may_return(node.then) || may_return(node.otherwise);
    }
    case core::StmtKind::while_: return may_return(static_cast<const core::While&>(stmt).body);
    case core::StmtKind::for_: return may_return(static_cast<const core::For&>(stmt).body);
    default: return false;
  }
}

bool may_return(const core::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const core::Stmt* stmt) { return may_return(*stmt); });
}

Staging::Variables StagedPaths::variables_of(Frame& f) const {
  Staging::Variables variables;
  const size_t count = f.closure->function.slots;
  variables.reserve(count + 2);
  for (size_t i = 0; i < count; ++i) variables.push_back(&f.slots[i]);
  if (!f.exit) return variables;  // in a default
  variables.push_back(&f.exit->flow);
  variables.push_back(&f.exit->result);
  return variables;
}

Staging::Variables StagedPaths::variables_of(const core::Stmt& loop, Frame& f) const {
  SlotsUsed used(f.closure->function.slots);
  used.see(loop);
  Staging::Variables variables;
  for (size_t i = 0; i < used.writes.size(); ++i) {
    if (used.writes[i]) variables.push_back(&f.slots[i]);
  }
  if (!may_return(loop)) return variables;
  variables.push_back(&f.exit->flow);
  variables.push_back(&f.exit->result);
  return variables;
}

Flow StagedPaths::either(const Value& condition, Frame& f, const Path& then, const Path& otherwise) const {
  Flow ends[2] = {Flow::next, Flow::next};
  const Value before = f.exit->flow;
  const auto walk = [&](const Path& path, Flow& end) {
    f.exit->flow = before;
    end = path();
    if (end != Flow::staged) f.exit->flow = flow_number(end);
  };
  parts_.walk.applier.staging()->branch(
      condition, variables_of(f), [&] { walk(then, ends[0]); }, [&] { walk(otherwise, ends[1]); });
  if (ends[0] == ends[1] && ends[0] != Flow::staged) return ends[0];
  return is_known_flow(f.exit->flow) ? static_cast<Flow>(f.exit->flow.i64()) : Flow::staged;
}

Flow StagedPaths::go_on(Frame& f, const Path& rest) const {
  const Value goes_on = is_flow(f.exit->flow, Flow::next, f);
  return either(goes_on, f, rest, [] { return Flow::staged; });
}

void StagedPaths::settle(Value& variable) const {
  Value value, is_defined;
  if (variable.is_unbound() && parts_.walk.applier.staging()->defined(&variable, value, is_defined))
    variable = std::move(value);
}

Value StagedPaths::is_flow(const Value& flow, Flow which, const Frame& f) const {
  if (is_known_flow(flow)) return Value(flow.i64() == static_cast<int64_t>(which));
  Value args[2] = {flow, flow_number(which)};
  return parts_.walk.applier.call(*parts_.walk.host.operator_of(Operator::equal).entry, args, Span(), f);
}

Value StagedPaths::either_of(const Value& a, const Value& b, const Frame& f) const {
  Value both[2] = {a, b};
  return parts_.walk.applier.call(*parts_.walk.host.operator_of(Operator::bit_or).entry, both, Span(), f);
}

}  // namespace covec
