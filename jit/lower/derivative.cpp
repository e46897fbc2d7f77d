#include "jit/lower/derivative.hpp"

#include <algorithm>
#include <set>

#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/ops/contract/rules.hpp"

namespace covec::ir {

using autodiff::TapeEntry;

void release(Entries& entries) noexcept {
  for (TapeEntry* entry : entries) autodiff::Tape::drop_values(*entry);
  entries.clear();
}

RegionTape::RegionTape(Stager& stager) {
  for (autodiff::OpenLevel* level = stager.context().innermost; level != nullptr; level = level->outer) {
    if (level->kind != TraceKind::tape) continue;
    if (tape_ == nullptr) {
      tape_ = level->tape;
      level_ = level->level;
      last_ = tape_->last();
      nodes_ = tape_->nodes();
    } else {
      outer_.push_back({level->tape, level->tape->last()});
    }
  }
}

RegionTape::~RegionTape() {
  if (tape_ == nullptr || tape_->last() == last_) return;
  Entries left = tape_->cut(last_);  // a walk that failed
  release(left);
}

Entries RegionTape::cut() {
  if (tape_ == nullptr) return {};
  Entries entries = tape_->cut(last_);
  for (const Outer& outer : outer_) {
    if (outer.tape->last() == outer.last) continue;
    release(entries);
    not_staged("a second derivative through control flow");
  }
  return entries;
}

Value RegionTape::cross(Value primal, Crossing crossing) {
  crossings.push_back(crossing);
  return autodiff::make_tape(level_, std::move(primal), base_ + static_cast<uint32_t>(crossings.size() - 1));
}

namespace {

// Nodes from outside that entries use.
void outer_nodes(const Entries& entries, uint32_t first, std::set<uint32_t>& nodes) {
  for (const TapeEntry* entry : entries) {
    for (uint32_t i = 0; i < entry->operands; ++i) {
      const uint32_t node = entry->slots[i].node;
      if (node != 0 && node < first) nodes.insert(node);
    }
    if (entry->composite != nullptr) {
      for (const uint32_t node : entry->composite->outer_nodes()) {
        if (node < first) nodes.insert(node);
      }
    }
  }
}

}  // namespace

// What both kinds of region do in a sweep.
class RegionBack : public autodiff::Composite {
 public:
  std::vector<uint32_t> outer_nodes() const override { return {outer_.begin(), outer_.end()}; }

 protected:
  RegionBack(Stager& stager, const RegionTape& tape)
      : stager_(stager), crossings_(tape.crossings), base_(tape.base()), first_(tape.first_node()) {}

  // sum += more, either of which some paths may not have.
  void add(ops::RuleContext& rules, Value& sum, Value& more) {
    if (more.is_none()) return;
    if (more.is_unbound()) {
      Value* const sums[] = {&sum};
      return stager_.where_present(more, sums, [&] { add(rules, sum, more); });
    }
    if (sum.is_unbound()) {
      sum = stager_.completed(sum, [&](Value before) { return before.is_none() ? more : rules.add(before, more); });
    } else {
      sum = sum.is_none() ? more : rules.add(std::move(sum), more);
    }
    more = Value();
  }
  // Cotangents of one value are added one by one, in reverse program order. A value from outside that goes through the
  // region and is used beside it would get those of its uses after the region in two sums instead.
  [[noreturn]] static void refuse() { not_staged("a value that goes through a branch or loop and beside it"); }
  bool is_alias(uint32_t node, const std::vector<Value>& cotangents, std::set<uint32_t>& seen) const {
    if (node == 0) return false;
    return !seen.insert(node).second || (node < first_ && !cotangents[node].is_none());
  }
  void clear_inner(std::vector<Value>& cotangents) const {
    for (uint32_t node = first_; node < base_; ++node) {
      cotangents[node] = Value();
      stager_.forget(&cotangents[node], 1);
    }
  }

  Stager& stager_;
  const std::vector<RegionTape::Crossing> crossings_;
  const uint32_t base_, first_;  // nodes of the region: first_ … base_ - 1; what leaves it: from base_ on
  std::set<uint32_t> outer_;
};

class BranchBack final : public RegionBack {
 public:
  BranchBack(Stager& stager, const RegionTape& tape, Value condition, Entries first, Entries second, Serials serials)
      : RegionBack(stager, tape),
        condition_(std::move(condition)),
        paths_{std::move(first), std::move(second)},
        serials_(serials) {
    for (const Entries& path : paths_) ir::outer_nodes(path, first_, outer_);
    for (const RegionTape::Crossing& crossing : crossings_) {
      for (const uint32_t node : {crossing.first, crossing.second}) {
        if (node != 0 && node < first_) outer_.insert(node);
      }
    }
  }
  ~BranchBack() override {
    for (Entries& path : paths_) release(path);
  }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    bool any = false;
    for (size_t k = 0; k < crossings_.size(); ++k) any |= !cotangents[base_ + k].is_none();
    if (!any) {
      if (stager_.is_in_mirror()) pass_by(cotangents, options);
      return true;
    }
    if (aliases(0, cotangents)) refuse();
    const bool redo = aliases(1, cotangents);
    if (redo && !serials_.peeled) refuse();
    Staging::Variables variables;
    for (const uint32_t node : outer_) variables.push_back(&cotangents[node]);
    const auto path = [&](unsigned which) {
      return [&, which] {
        if (which == 1 && redo) return stager_.require(Value(false));  // the call is made again by the interpreter
        stager_.none_where_absent(variables);
        clear_inner(cotangents);
        ops::RuleContext rules(stager_, options.ieee);
        for (size_t k = crossings_.size(); k-- > 0;) {
          const uint32_t node = which == 0 ? crossings_[k].first : crossings_[k].second;
          if (node != 0) add(rules, cotangents[node], cotangents[base_ + k]);
        }
        autodiff::sweep_entries(stager_, paths_[which], cotangents, options);
        stager_.unbound_where_absent(variables);
      };
    };
    for (size_t k = 0; k < crossings_.size(); ++k) variables.push_back(&cotangents[base_ + k]);
    stager_.unbound_where_absent(variables);
    stager_.branch_back(condition_, variables, path(0), path(1), {serials_.first, serials_.second, false});
    stager_.none_where_absent(variables);
    for (size_t k = 0; k < crossings_.size(); ++k) {
      stager_.forget(&cotangents[base_ + k], 1);
      cotangents[base_ + k] = Value();
    }
    return true;
  }

 private:
  void pass_by(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    const auto path = [&](unsigned which) {
      return [&, which] {
        clear_inner(cotangents);
        autodiff::sweep_entries(stager_, paths_[which], cotangents, options);
      };
    };
    stager_.branch_back(condition_, {}, path(0), path(1), {serials_.first, serials_.second, false});
  }
  bool aliases(unsigned which, const std::vector<Value>& cotangents) const {
    std::set<uint32_t> seen;
    bool any = false;
    for (size_t k = 0; k < crossings_.size(); ++k) {
      if (cotangents[base_ + k].is_none()) continue;
      any |= is_alias(which == 0 ? crossings_[k].first : crossings_[k].second, cotangents, seen);
    }
    return any;
  }

  const Value condition_;
  Entries paths_[2];
  const Serials serials_;
};

class LoopBack final : public RegionBack {
 public:
  LoopBack(Stager& stager, const RegionTape& tape, Value trips, Entries entries, uint32_t serial)
      : RegionBack(stager, tape), trips_(std::move(trips)), entries_(std::move(entries)), serial_(serial) {
    ir::outer_nodes(entries_, first_, outer_);
    for (const RegionTape::Crossing& crossing : crossings_) {
      if (crossing.first != 0 && crossing.first < first_) outer_.insert(crossing.first);
    }
  }
  ~LoopBack() override { release(entries_); }
  std::vector<uint32_t> outer_nodes() const override {
    std::vector<uint32_t> nodes(outer_.begin(), outer_.end());
    for (const RegionTape::Crossing& crossing : crossings_) {
      if (crossing.entry != 0) nodes.push_back(crossing.entry);
    }
    return nodes;
  }

  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    bool any = false;
    Staging::Variables variables;
    Value* const carried = &cotangents[base_];
    for (size_t k = 0; k < crossings_.size(); ++k) {
      any |= !carried[k].is_none();
      variables.push_back(&carried[k]);
    }
    refuse_another_loop();
    if (!any) {
      if (stager_.is_in_mirror()) pass_by(cotangents, options);
      return true;
    }
    std::set<uint32_t> seen, given;
    for (const RegionTape::Crossing& crossing : crossings_) {
      if (outer_.contains(crossing.entry) || (crossing.first != 0 && crossing.first < first_)) refuse();
      if (is_alias(crossing.entry, cotangents, seen)) refuse();
      if (crossing.first != 0 && !given.insert(crossing.first).second) refuse();
    }
    for (const uint32_t node : outer_) variables.push_back(&cotangents[node]);
    ops::RuleContext rules(stager_, options.ieee);
    stager_.unbound_where_absent(variables);
    stager_.repeat_back(
        trips_, variables,
        [&](const Value&) {
          stager_.none_where_absent(variables);
          clear_inner(cotangents);
          for (size_t k = crossings_.size(); k-- > 0;) {
            if (crossings_[k].first != 0) add(rules, cotangents[crossings_[k].first], carried[k]);
            stager_.forget(&carried[k], 1);
            carried[k] = Value();
          }
          autodiff::sweep_entries(stager_, entries_, cotangents, options);
          for (size_t k = 0; k < crossings_.size(); ++k)
            stager_.move_cotangent(cotangents[crossings_[k].head], carried[k]);
          stager_.unbound_where_absent(variables);
          return Value();
        },
        serial_);
    stager_.none_where_absent(variables);
    for (size_t k = crossings_.size(); k-- > 0;) {
      if (crossings_[k].entry != 0) add(rules, cotangents[crossings_[k].entry], carried[k]);
      stager_.forget(&carried[k], 1);
      carried[k] = Value();
    }
    return true;
  }

 private:
  void pass_by(std::vector<Value>& cotangents, const autodiff::SweepOptions& options) {
    const auto body = [&](const Value&) {
      clear_inner(cotangents);
      autodiff::sweep_entries(stager_, entries_, cotangents, options);
      return Value();
    };
    stager_.repeat_back(trips_, {}, body, serial_);
  }

  // A pass takes what it needs off the stacks, and the forward loop has put it there once: going back again and again,
  // in a loop that the forward one does not stand in, would find them empty.
  std::set<uint32_t> open_loops() const {
    std::set<uint32_t> serials;
    for (const Region* region : stager_.open_) {
      if (!region->parameters.empty()) serials.insert(region->mirror != 0 ? region->mirror : region->serial);
    }
    return serials;
  }
  void refuse_another_loop() const {
    for (const uint32_t serial : open_loops()) {
      if (!loops_.contains(serial)) not_staged("a derivative taken back in a loop after the function it is of");
    }
  }

  const Value trips_;
  Entries entries_;
  const uint32_t serial_;
  const std::set<uint32_t> loops_ = open_loops();  // that it stands in
};

bool has_aliases(const RegionTape& tape, const Entries& entries) {
  if (!tape.active()) return false;
  std::set<uint32_t> used;
  outer_nodes(entries, tape.first_node(), used);
  return std::any_of(tape.crossings.begin(), tape.crossings.end(), [&](const RegionTape::Crossing& crossing) {
    return crossing.entry != 0 && !used.insert(crossing.entry).second;
  });
}

namespace {

void record(RegionTape& tape, std::unique_ptr<RegionBack> back) {
  const std::vector<uint32_t> nodes = back->outer_nodes();
  tape.tape().record(std::move(back), nodes, static_cast<uint32_t>(tape.crossings.size()), nullptr);
  tape.finish();
}

}  // namespace

void record_branch(Stager& stager, RegionTape& tape, const Value& condition, Entries first, Entries second,
                   Serials serials) {
  if (!tape.active() || tape.crossings.empty()) {
    release(first);
    release(second);
    return;
  }
  record(tape, std::make_unique<BranchBack>(stager, tape, condition, std::move(first), std::move(second), serials));
}

void record_loop(Stager& stager, RegionTape& tape, const Value& trips, Entries entries, uint32_t serial) {
  if (!tape.active() || tape.crossings.empty()) return release(entries);
  record(tape, std::make_unique<LoopBack>(stager, tape, trips, std::move(entries), serial));
}

}  // namespace covec::ir
