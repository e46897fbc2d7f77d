#include "jit/lower/regions.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/paths/merge.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

// Lists that were there before a branch, and of which a path has changed the length, of active values:
// what they hold then must be recorded before the branch.
class GrownLists {
 public:
  explicit GrownLists(const Conversions& conversions) : conversions_(conversions) {}

  std::map<unsigned, ItemType> find(const Value& before, const Value& first, const Value& second) {
    number_ = 0;
    found_.clear();
    look(before, first, second);
    return found_;
  }

 private:
  void look(const Value& before, const Value& first, const Value& second) {
    if (before.is_traced()) return;
    if (is_list(before)) {
      const unsigned number = number_++;
      if (is_list_symbol(before)) return;
      if (has_grown(first, second)) return void(found_[number] = items(first, second));
    }
    if (is_leaf(before) || !is_compound(before)) return;
    const std::vector<Value> parts = parts_of(before);
    const bool alike = same_but_parts(before, first) && same_but_parts(before, second);
    const std::vector<Value> x = alike ? parts_of(first) : parts, y = alike ? parts_of(second) : parts;
    for (size_t i = 0; i < parts.size(); ++i) look(parts[i], x[i], y[i]);
  }
  bool has_grown(const Value& first, const Value& second) const {
    const auto list = [](const Value& value) { return value.is(ObjectKind::list) || is_run_list(value); };
    if (!list(first) || !list(second) || same_but_parts(first, second)) return false;
    const auto active = [&](const Value& value) { return autodiff::is_active(conversions_.context(), value); };
    return (active(first) || active(second)) && conversions_.items_of(first).joins(conversions_.items_of(second));
  }
  ItemType items(const Value& first, const Value& second) const {
    const ItemType items = conversions_.items_of(first);
    return items.empty ? conversions_.items_of(second) : items;
  }

  const Conversions& conversions_;
  unsigned number_ = 0;
  std::map<unsigned, ItemType> found_;
};

}  // namespace

void Regions::branch(const Value& condition, const Variables& variables, const Path& then, const Path& otherwise,
                     AdjointOf paths) {
  if (condition.tag() == Tag::boolean) return condition.boolean() ? then() : otherwise();
  if (!is_symbol(condition)) not_staged("a condition that differs between examples");
  std::vector<Value> before = values_of(variables);
  for (;;) {
    const std::vector<std::map<unsigned, ItemType>> grown =
        try_branch(condition, variables, before, then, otherwise, paths);
    if (grown.empty()) return;
    for (size_t i = 0; i < grown.size(); ++i) before[i] = conversions_.with_lists(before[i], grown[i]);
  }
}

// Gives the lists that have to be one value each before it, by variable: then it is to be walked again. None: it is
// done.
std::vector<std::map<unsigned, ItemType>> Regions::try_branch(const Value& condition, const Variables& variables,
                                                              const std::vector<Value>& before, const Path& then,
                                                              const Path& otherwise, AdjointOf paths) {
  RegionTapes tapes(builder_.context());
  Operation operation;
  operation.kind = Kind::if_;
  operation.args = {condition};
  Region regions[2];
  std::vector<Value> after[2];
  std::vector<Entries> entries[2];
  bool unknown[2] = {false, false};
  for (unsigned path = 0; path < 2; ++path) {
    regions[path].serial = ++writer_.graph().regions;
    regions[path].adjoint_of = path == 0 ? paths.first : paths.second;
    regions[path].sweep = regions[path].adjoint_of == 0 ? 0 : paths.sweep;
    writer_.note_region(regions[path]);
    put_back(variables, before);
    const GraphWriter::InRegion inside(writer_, regions[path]);
    const Facts::Scope known(facts_, condition, path == 0);
    try {
      walk_conditionally(path == 0 ? then : otherwise);
    } catch (const UnknownResult&) {
      if (probes_ == 0 || (path == 1 && unknown[0])) throw;
      unknown[path] = true;
    }
    after[path] = values_of(variables);
    for (Value& value : after[path]) value = facts_.settled(value);
    entries[path] = tapes.cut();
  }
  if (unknown[0] || unknown[1]) {
    put_back(variables, after[unknown[0] ? 1 : 0]);
    return {};
  }
  GrownLists look(conversions_);
  std::vector<std::map<unsigned, ItemType>> grown(variables.size());
  for (size_t i = 0; i < variables.size(); ++i) grown[i] = look.find(before[i], after[0][i], after[1][i]);
  if (std::ranges::any_of(grown, [](const auto& lists) { return !lists.empty(); })) return grown;
  tapes.set_base();
  Merger merger(writer_, conversions_, conditional_values_, tapes, {operation, regions[0], regions[1]});
  for (size_t i = 0; i < variables.size(); ++i) *variables[i] = merger.merge_variable(after[0][i], after[1][i]);
  const AdjointOf walked{regions[0].serial, regions[1].serial};
  for (Region& region : regions) operation.regions.push_back(std::move(region));
  writer_.append(std::move(operation));
  adjoints_.record_branch(tapes, condition, std::move(entries[0]), std::move(entries[1]), walked, paths);
  return {};
}

namespace {

// One more, for a while.
class More {
 public:
  explicit More(unsigned& count) : count_(count) { ++count_; }
  More(const More&) = delete;
  More& operator=(const More&) = delete;
  ~More() { --count_; }

 private:
  unsigned& count_;
};

}  // namespace

void Regions::walk(const Variables& variables, LoopSource source) {
  const More inside(loops_);
  LoopWalk loop(*this, adjoints_, builder_, writer_, conversions_, conditional_values_, peeled_, variables,
                std::move(source));
  if (probes_ == 0) return loop.run();
  const std::vector<Value> before = values_of(variables);
  const GraphWriter::Position position = writer_.position();
  try {
    loop.run();
  } catch (const UnknownResult&) {
    writer_.rollback(position);
    put_back(variables, before);
  }
}

void Regions::repeat(const Value& count, const Variables& variables, const Pass& body) {
  walk(variables, {.count = count, .condition = nullptr, .body = body});
}

void Regions::repeat_back(const Value& count, const Variables& variables, const Pass& body, Back back) {
  walk(variables, {.count = count,
                   .condition = nullptr,
                   .body = body,
                   .adjoint_of = back.adjoint_of,
                   .sweep = writer_.walk_back(back.adjoint_of),
                   .memory = back.memory,
                   .whole = back.whole,
                   .zeros = std::move(back.zeros)});
}

void Regions::loop(const Variables& variables, FunctionRef<Value()> condition, FunctionRef<Value()> body) {
  walk(variables, {.count = Value(), .condition = condition, .body = [&](const Value&) { return body(); }});
}

}  // namespace covec::ir
