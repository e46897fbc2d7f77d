#include "jit/passes/analysis/graph_edits.hpp"

namespace covec::passes {

using namespace ir;

Operation& GraphEdits::make(const ops::Entry& entry, std::vector<Value> args, const Type& type) {
  Operation& made = made_.emplace_back();
  made.entry = &entry;
  made.args = std::move(args);
  made.results = {graph_.add(type)};
  changed_ = true;
  return made;
}

Operation& GraphEdits::insert(const Operation& before, const ops::Entry& entry, std::vector<Value> args,
                              const Type& type) {
  Operation& made = make(entry, std::move(args), type);
  made.place = before.place;
  inserted_[&before].push_back(&made);
  return made;
}

Operation& GraphEdits::append(Region& region, const ops::Entry& entry, std::vector<Value> args, const Type& type) {
  Operation& made = make(entry, std::move(args), type);
  appended_[&region].push_back(&made);
  return made;
}

void GraphEdits::splice(const Operation& operation, Region& region) {
  spliced_.emplace(&operation, &region);
  changed_ = true;
}

void GraphEdits::bury(Operation& operation) {
  operation.kind = Kind::undefined;
  operation.results.clear();
  changed_ = true;
}

// --- tidying up ---

void GraphEdits::tidy(Region& region, Drops drops) {
  if (changed_) tidy_all(region, drops);
}

void GraphEdits::tidy_all(Region& region, Drops drops) {
  std::vector<Operation> out;
  out.reserve(region.operations.size());
  tidy_into(region, drops, out);
  region.operations = std::move(out);
}

void GraphEdits::tidy_into(Region& region, Drops drops, std::vector<Operation>& out) {
  for (Operation& operation : region.operations) keep(operation, drops, out);
  const auto after = appended_.find(&region);
  if (after == appended_.end()) return;
  for (Operation* made : after->second) keep(*made, drops, out);
}

void GraphEdits::keep(Operation& operation, Drops drops, std::vector<Operation>& out) {
  const auto before = inserted_.find(&operation);
  if (before != inserted_.end()) {
    for (Operation* made : before->second) keep(*made, drops, out);
  }
  const auto in_place = spliced_.find(&operation);
  if (in_place != spliced_.end()) return tidy_into(*in_place->second, drops, out);
  if (buried(operation) || drops(operation)) return;
  for (Region& inner : operation.regions) tidy_all(inner, drops);
  out.push_back(std::move(operation));
}

void rebuild(Region& region, FunctionRef<bool(Operation&, std::vector<Operation>& out)> replace) {
  std::vector<Operation> out;
  out.reserve(region.operations.size());
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) rebuild(inner, replace);
    if (!replace(operation, out)) out.push_back(std::move(operation));
  }
  region.operations = std::move(out);
}

}  // namespace covec::passes
