#include "jit/lower/adjoint.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/region_adjoint.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/rules.hpp"

namespace covec::ir {

using autodiff::RuleUse;

bool AdjointWalks::reaches(const AdjointWalk& next, uint32_t node) const {
  bool relayed = false;
  for (size_t i = all_.size(); i-- > 0;) {
    const AdjointWalk& walk = all_[i];
    if (walk.level != next.level || walk.family != next.family) continue;
    if (walk.touched.contains(node)) return relayed || walk.back != next.back;
    relayed |= walk.back != next.back;
  }
  return true;
}

namespace {

// Without anything active that leaves it, a region has an entry where a sweep uses what was made in it all the same:
// that of an inner derivative, or, of an adjoint region, that of the same derivative, which hands cotangents on to the
// adjoint of the region gone back through. So it has where it calls a recursive function that it stands in: that one's
// adjoint goes back through each of its calls. And so it has where there are collectives in it: other ranks wait. Where
// it calls functions with rules, Tape::uses_rule() must know.
bool is_needed(const RegionTape& tape, bool innermost, bool is_adjoint, std::initializer_list<const Entries*> entries) {
  const auto any = [](const Entries* each) { return !each->all().empty(); };
  return !tape.live_outs().empty() || ((!innermost || is_adjoint) && std::ranges::any_of(entries, any)) ||
         std::ranges::any_of(entries, [](const Entries* each) {
           return any_always_gives(*each) || any_meets(*each) || rule_use_of(*each) != RuleUse::none;
         });
}

}  // namespace

class BranchAdjoint final : public RegionAdjoint {
 public:
  BranchAdjoint(ops::Builder& builder, GraphWriter& writer, ControlFlow& control_flow, const RegionTape& tape,
                Value condition, Entries first, Entries second, AdjointOf paths, uint32_t family)
      : RegionAdjoint(builder, writer, control_flow, tape),
        condition_(std::move(condition)),
        entries_{std::move(first), std::move(second)},
        paths_{paths.first, paths.second, 0} {
    for (const Entries& path : entries_) {
      add_outer_nodes(path, first_, outer_);
      add_types(path, first_, types_);
    }
    for (const RegionTape::LiveOut& live_out : live_outs_) {
      add_outer(live_out.first, live_out.type);
      add_outer(live_out.second, live_out.type);
    }
    find_handed_over(tape, family);
  }

  bool always_gives() const override { return any_always_gives(entries_[0]) || any_always_gives(entries_[1]); }
  RuleUse rule_use() const override {
    const RuleUse first = rule_use_of(entries_[0]), second = rule_use_of(entries_[1]);
    return first == second ? first : RuleUse::some;
  }
  Value uses_rule(ops::Builder& builder) const override {
    const RuleUse first = rule_use_of(entries_[0]), second = rule_use_of(entries_[1]);
    if (first == RuleUse::all && second == RuleUse::none) return condition_;
    if (first == RuleUse::none && second == RuleUse::all)
      return ops::call(builder, ops::handles().logical_not, {condition_});
    return RegionAdjoint::uses_rule(builder);
  }
  bool meets() const override { return any_meets(entries_[0]) || any_meets(entries_[1]); }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    begin(cotangents);
    if (nothing_came(cotangents) && !meets() && !(always_gives() && writer_.is_in_adjoint())) {
      if (writer_.is_in_adjoint()) pass_by(cotangents, options);
      return true;
    }
    Staging::Variables variables;
    for (const uint32_t node : outer_) {
      if (!is_handed_over(node)) variables.push_back(&cotangents[node]);
    }
    for (size_t k = 0; k < live_outs_.size(); ++k) variables.push_back(&cotangents[base_ + k]);
    const auto path = [&](unsigned which) {
      return [&, which] {
        none_where_absent(variables);
        sweep_path(which, cotangents, options);
        unbound_where_absent(variables);
      };
    };
    unbound_where_absent(variables);
    paths_.sweep = writer_.walk_back(paths_.first);
    control_flow_.branch(condition_, variables, path(0), path(1), paths_);
    none_where_absent(variables);
    for (size_t k = 0; k < live_outs_.size(); ++k) cotangents[base_ + k] = Value();
    clear_inner(cotangents);
    return true;
  }

 private:
  uint32_t node_on(unsigned which, const RegionTape::LiveOut& live_out) const {
    return which == 0 ? live_out.first : live_out.second;
  }
  void sweep_path(unsigned which, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    start_inner(cotangents);
    if (which == 0) start_handed_over(cotangents);  // each is of one path
    ops::RuleContext rules(builder_, options.ieee);
    for (size_t k = live_outs_.size(); k-- > 0;) {
      const uint32_t node = node_on(which, live_outs_[k]);
      if (node != 0) autodiff::accumulate(rules, cotangents[node], std::exchange(cotangents[base_ + k], Value()));
    }
    autodiff::sweep_entries(builder_, entries_[which].all(), cotangents, options);
  }
  void pass_by(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    const auto path = [&](unsigned which) {
      return [&, which] {
        clear_inner(cotangents);
        autodiff::sweep_entries(builder_, entries_[which].all(), cotangents, options);
      };
    };
    paths_.sweep = writer_.walk_back(paths_.first);
    control_flow_.branch(condition_, {}, path(0), path(1), paths_);
  }

  const Value condition_;
  const Entries entries_[2];
  AdjointOf paths_;
};

class LoopAdjoint final : public RegionAdjoint {
 public:
  LoopAdjoint(ops::Builder& builder, GraphWriter& writer, Conversions& conversions, ControlFlow& control_flow,
              AdjointWalks& walks, const RegionTape& tape, Value trip_count, Entries entries, uint32_t serial)
      : RegionAdjoint(builder, writer, control_flow, tape),
        conversions_(conversions),
        walks_(walks),
        trip_count_(std::move(trip_count)),
        entries_(std::move(entries)),
        serial_(serial),
        walk_{tape.level(), writer.forward_of(serial).serial, !writer.forward_of(serial).back},
        memory_(tape.memory_bound()) {
    add_outer_nodes(entries_, first_, outer_);
    add_types(entries_, first_, types_);
    for (const RegionTape::LiveOut& live_out : live_outs_) add_outer(live_out.first, live_out.type);
    find_handed_over(tape, walk_.family);
  }
  std::vector<uint32_t> outer_nodes() const override {
    std::vector<uint32_t> nodes(outer_.begin(), outer_.end());
    for (const RegionTape::LiveOut& live_out : live_outs_) {
      if (live_out.entry != 0) nodes.push_back(live_out.entry);
    }
    return nodes;
  }

  bool always_gives() const override { return any_always_gives(entries_); }
  RuleUse rule_use() const override {
    const RuleUse each = rule_use_of(entries_);
    const bool runs = trip_count_.is_scalar() && trip_count_.i64() > 0;
    return each == RuleUse::none || runs ? each : RuleUse::some;
  }
  Value uses_rule(ops::Builder& builder) const override {
    if (rule_use_of(entries_) != RuleUse::all) return RegionAdjoint::uses_rule(builder);
    return ops::call(builder, ops::handles().less, {Value(int64_t{0}), trip_count_});
  }
  bool meets() const override { return any_meets(entries_); }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    refuse_another_loop();
    begin(cotangents);
    const std::map<uint32_t, Value> before = family_cotangents(cotangents);
    if (nothing_came(cotangents) && !meets() && !(always_gives() && writer_.is_in_adjoint())) {
      if (!writer_.is_in_adjoint() && before.empty()) return true;
      pass_by(cotangents, options);
      walks_.note(walk_);
      return true;
    }
    refuse_unreached(cotangents);
    Staging::Variables variables;
    for (size_t k = 0; k < live_outs_.size(); ++k) variables.push_back(&cotangents[base_ + k]);
    carried_.clear();
    for (const uint32_t node : outer_) {
      if (is_handed_over(node)) continue;
      carried_.push_back(node);
      variables.push_back(&cotangents[node]);
    }
    find_steady_types();
    unbound_where_absent(variables);
    control_flow_.repeat_back(trip_count_, variables,
                              [&](const Value&) {
                                none_where_absent(variables);
                                sweep_pass(cotangents, options);
                                unbound_where_absent(variables);
                                return Value();
                              },
                              {.adjoint_of = serial_,
                               .memory = memory_,
                               .whole = carried_.size() != outer_.size() || !before.empty(),
                               .zeros = [&](size_t i, const Value& like) { return zeros_for(i, like); }});
    none_where_absent(variables);
    note_walk(before, cotangents);
    clear_inner(cotangents);
    hand_over(&RegionTape::LiveOut::entry, cotangents, options);
    return true;
  }

 private:
  // The cotangent of one iteration that another adjoint loop has made, and that none brings here.
  void refuse_unreached(const std::vector<Value>& cotangents) const {
    const auto refuse = [&](uint32_t node) {
      if (!cotangents[node].is_none() && !walks_.reaches(walk_, node))
        not_staged("a derivative of two pullbacks of one loop");
    };
    std::ranges::for_each(handed_over_, refuse);
    for (uint32_t node = first_; node < base_; ++node) refuse(node);
  }
  void note_walk(const std::map<uint32_t, Value>& before, const std::vector<Value>& cotangents) const {
    AdjointWalk walk = walk_;
    for (const auto& [node, cotangent] : family_cotangents(cotangents)) {
      const auto known = before.find(node);
      if (known == before.end() || !same_value(known->second, cotangent)) walk.touched.insert(node);
    }
    walks_.note(std::move(walk));
  }
  // The cotangents of what is carried go to its nodes at one place of the loop.
  void hand_over(uint32_t RegionTape::LiveOut::*place, std::vector<Value>& cotangents,
                 const autodiff::SweepOptions& options) {
    ops::RuleContext rules(builder_, options.ieee);
    for (size_t k = live_outs_.size(); k-- > 0;) {
      const uint32_t node = live_outs_[k].*place;
      Value given = std::exchange(cotangents[base_ + k], Value());
      if (node != 0) autodiff::accumulate(rules, cotangents[node], std::move(given));
    }
  }
  void sweep_pass(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    start_inner(cotangents);
    start_handed_over(cotangents);
    hand_over(&RegionTape::LiveOut::first, cotangents, options);
    autodiff::sweep_entries(builder_, entries_.all(), cotangents, options);
    for (size_t k = 0; k < live_outs_.size(); ++k) {
      cotangents[base_ + k] = std::exchange(cotangents[live_outs_[k].head], Value());
    }
  }
  void pass_by(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    const auto body = [&](const Value&) {
      clear_inner(cotangents);
      autodiff::sweep_entries(builder_, entries_.all(), cotangents, options);
      return Value();
    };
    control_flow_.repeat_back(trip_count_, {}, body, {.adjoint_of = serial_, .memory = memory_});
  }

  // What variable number i of the adjoint loop is where there is no cotangent yet, if that can be told before it: the
  // like of a number, tensor or batch of these.
  Value zeros_for(size_t i, const Value& like) {
    if (like.is(ObjectKind::tuple)) return conversions_.nothing_like(like);
    return steady_types_[i] ? zeros_like(like, *steady_types_[i]) : Value();
  }
  // A tensor that has another shape in each iteration is like no zeros before the loop.
  void find_steady_types() {
    Region body;
    body.adjoint_of = serial_;
    steady_types_.clear();
    const auto add = [&](const Type* type) {
      const auto is_fixed = [&](Dim dim) { return writer_.is_fixed(dim, body); };
      const bool steady = type != nullptr && std::ranges::all_of(type->shape, is_fixed);
      steady_types_.push_back(steady ? std::optional(*type) : std::nullopt);
    };
    for (const RegionTape::LiveOut& live_out : live_outs_) add(live_out.type ? &*live_out.type : nullptr);
    for (const uint32_t node : carried_) {
      const auto known = types_.find(node);
      add(known != types_.end() ? &known->second : nullptr);
    }
  }
  Value zeros_like(const Value& like, const Type& type) {
    if (like.is_traced()) {
      if (like.traced().trace != TraceKind::batch) return zeros_like(like.traced().primal, type);
      const autodiff::OpenLevel* const level = autodiff::find_level(builder_.context(), like.traced().level);
      if (level == nullptr) return Value();
      Type batched = type;
      batched.shape.insert(0, level->size);
      Value below = zeros_like(like.traced().primal, batched);
      return below.is_none() ? below : autodiff::make_batch(level->level, std::move(below));
    }
    if (!is_leaf(like) || writer_.is_boxed(like)) return Value();
    const Type given = logical_type(like);
    if (given.dtype != type.dtype || given.shape.rank() != type.shape.rank()) return Value();
    return ops::RuleContext(builder_, false).zeros(type);
  }

  // An iteration takes what it needs off the stacks, and the forward loop has put it there once: going back again and
  // again, in a loop that the forward one does not stand in, would find them empty.
  void refuse_another_loop() const {
    for (const uint32_t serial : writer_.open_loops()) {
      if (!loops_.contains(serial)) not_staged("a pullback called in a loop after its function");
    }
  }

  Conversions& conversions_;
  AdjointWalks& walks_;
  const Value trip_count_;
  const Entries entries_;
  std::vector<uint32_t> carried_;                  // of outer_, those that the adjoint loop carries
  std::vector<std::optional<Type>> steady_types_;  // by variable: live-outs, then those
  const uint32_t serial_;
  const AdjointWalk walk_;
  const uint64_t memory_;
  const std::set<uint32_t> loops_ = writer_.open_loops();  // that it stands in
};

void AdjointRecorder::record_branch(RegionTapes& tapes, const Value& condition, std::vector<Entries> first,
                                    std::vector<Entries> second, AdjointOf paths, AdjointOf back_through) {
  for (size_t i = 0; i < tapes.all().size(); ++i) {
    RegionTape& tape = tapes.all()[i];
    const uint32_t family = writer_.forward_of(paths.first).serial;
    tape.end(family);
    const bool is_adjoint = back_through.first != 0 || back_through.second != 0;
    if (!is_needed(tape, i == 0, is_adjoint, {&first[i], &second[i]})) continue;
    tape.record(std::make_unique<BranchAdjoint>(builder_, writer_, control_flow_, tape, condition, std::move(first[i]),
                                                std::move(second[i]), paths, family));
  }
}

void AdjointRecorder::record_loop(RegionTapes& tapes, const Value& trip_count, std::vector<Entries> entries,
                                  uint32_t serial, uint32_t back_through) {
  for (size_t i = 0; i < tapes.all().size(); ++i) {
    RegionTape& tape = tapes.all()[i];
    tape.end(writer_.forward_of(serial).serial);
    if (!is_needed(tape, i == 0, back_through != 0, {&entries[i]})) continue;
    tape.record(std::make_unique<LoopAdjoint>(builder_, writer_, conversions_, control_flow_, walks_, tape, trip_count,
                                              std::move(entries[i]), serial));
  }
}

void AdjointRecorder::record_condition(RegionTapes& tapes, std::span<const RuleUse> uses) {
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != RuleUse::none) tapes.all()[i].note(std::make_unique<autodiff::PassedRules>(uses[i]));
  }
}

}  // namespace covec::ir
