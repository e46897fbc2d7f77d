#include "stdlib/autodiff/segments.hpp"

#include <map>
#include <memory>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::autodiff {

namespace {

uint64_t bytes_in_use() { return Memory::current()->account().used; }

// The wrapping of a level around or inside others; nullptr where the value has none.
const Traced* wrapping_of(const Value& value, uint64_t level) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().level == level) return &at->traced();
  }
  return nullptr;
}

// The value with another node of that level; the levels around it are vmaps'.
Value with_node(const Value& value, uint64_t level, uint32_t node) {
  const Traced& traced = value.traced();
  if (traced.level == level) return make_tape(level, traced.primal, node);
  return make_batch(traced.level, with_node(traced.primal, level, node));
}

// Entries that were dropped, to be recorded again. Its results are the nodes of theirs that variables still hold.
class Segment final : public Composite {
 public:
  Segment(Tape& tape, std::vector<OpenLevel> levels, Surroundings then, std::unique_ptr<ops::EffectJournal> effects,
          std::vector<Value> variables, Segments::Rerun rerun, Segments::Shown shown, int64_t from, int64_t to)
      : tape_(tape),
        levels_(std::move(levels)),
        then_(std::move(then)),
        effects_(std::move(effects)),
        variables_(std::move(variables)),
        rerun_(std::move(rerun)),
        shown_(shown),
        from_(from),
        to_(to) {}
  RuleUse rule_use() const override { return RuleUse::none; }

  // Gives the variables the nodes of results. Returns how many there are.
  uint32_t set_results(const ops::Context& context, std::span<Value> variables, uint32_t first_inner,
                       uint32_t first_result) {
    first_ = first_result;
    std::map<uint32_t, uint32_t> numbers;
    for (Value& variable : variables) {
      variable = map_deep(shown_(context, variable), [&](const Value& leaf) {
        const Traced* const wrapping = wrapping_of(leaf, level());
        const bool inner = wrapping != nullptr && wrapping->node >= first_inner;
        const uint32_t number =
            inner ? numbers.try_emplace(wrapping->node, static_cast<uint32_t>(numbers.size())).first->second : none;
        results_.push_back(number);
        return inner ? with_node(leaf, level(), first_ + number) : leaf;
      });
    }
    count_ = static_cast<uint32_t>(numbers.size());
    return count_;
  }

  bool pass(ops::Builder& b, std::vector<Value>& cotangents, const SweepOptions& options) override {
    std::vector<Value> came(count_);
    bool any = false;
    for (uint32_t i = 0; i < count_; ++i) {
      came[i] = std::exchange(cotangents[first_ + i], Value());
      any |= !came[i].is_none();
    }
    if (!any) return true;
    const Tape::Mark mark = tape_.mark();
    const std::vector<uint32_t> nodes = run_again(b);
    cotangents.resize(tape_.nodes() + 1);
    ops::RuleContext rules(b, options.ieee);
    for (uint32_t i = 0; i < count_; ++i) accumulate(rules, cotangents[nodes[i]], std::move(came[i]));
    sweep_since(b, tape_, mark.last, cotangents, options);
    tape_.rewind(mark);
    cotangents.resize(mark.nodes + 1);
    return true;
  }

 private:
  static constexpr uint32_t none = ~0u;
  uint64_t level() const { return levels_.front().level; }

  // Gives the node of each result.
  std::vector<uint32_t> run_again(ops::Builder& b) {
    std::vector<uint32_t> nodes(count_, 0);
    const ReopenedLevels levels(b.context(), b.context().innermost, levels_);
    const ReplayScope replay(b, then_);
    const ops::EffectScope effects(b.context(), *effects_, true);
    std::vector<Value> variables = std::exchange(variables_, {});
    rerun_(variables, from_, to_);
    size_t leaf_number = 0;
    for (const Value& variable : variables) {
      map_deep(shown_(b.context(), variable), [&](const Value& leaf) {
        const uint32_t number = results_.at(leaf_number++);
        if (number != none) nodes[number] = wrapping_of(leaf, level())->node;
        return leaf;
      });
    }
    return nodes;
  }

  Tape& tape_;
  const std::vector<OpenLevel> levels_;  // the tape's, and those inside it
  const Surroundings then_;
  const std::unique_ptr<ops::EffectJournal> effects_;
  std::vector<Value> variables_;
  const Segments::Rerun rerun_;
  const Segments::Shown shown_;
  const int64_t from_, to_;
  std::vector<uint32_t> results_;  // of each leaf of the variables afterwards: which result it is
  uint32_t first_ = 0, count_ = 0;
};

}  // namespace

const OpenLevel* bounded_level(const ops::Context& context) {
  const OpenLevel* found = nullptr;
  for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::batch) continue;
    if (found != nullptr || level->kind != TraceKind::tape || level->tape->memory_bound() == 0) return nullptr;
    found = level;
  }
  return found;
}

Segments::Segments(ops::Context& context, const OpenLevel& level, std::span<Value> variables, Rerun rerun, Shown shown)
    : context_(context),
      tape_(*level.tape),
      level_(level.level),
      variables_(variables),
      rerun_(std::move(rerun)),
      shown_(shown),
      before_(bytes_in_use()),
      then_(context) {}

// Decompositions that share a derivative (split.hpp) stay where they are.
bool Segments::is_full() const {
  const uint64_t bound = tape_.memory_bound(), used = bytes_in_use();
  if (used < tape_.memory_before() + bound / 4 * 3 || used < at_begin_) return false;
  const uint64_t kept = at_begin_ > before_ ? at_begin_ - before_ : 0;
  return used - at_begin_ >= std::max(bound / 8, kept) && !tape_.is_split() && !tape_.has_cache();
}

void Segments::begin(int64_t iteration) {
  if (iteration != 0) close(iteration);
  from_ = iteration;
  kept_.assign(variables_.begin(), variables_.end());
  mark_ = tape_.mark();
  then_ = Surroundings(context_);
  effects_ = std::make_unique<ops::EffectJournal>(ops::EffectJournal::unlimited);
  effects_of_run_.emplace(context_, *effects_, false);
  at_begin_ = bytes_in_use();
}

void Segments::close(int64_t iteration) {
  std::vector<OpenLevel> levels;
  for (const OpenLevel* level = context_.innermost; level->level >= level_; level = level->outer) {
    levels.insert(levels.begin(), *level);
    if (level->level == level_) break;
  }
  effects_of_run_.reset();
  auto segment = std::make_unique<Segment>(tape_, std::move(levels), std::move(then_), std::move(effects_),
                                           std::move(kept_), rerun_, shown_, from_, iteration);
  const uint32_t results = segment->set_results(context_, variables_, mark_.nodes + 1, mark_.nodes + 1);
  tape_.rewind(mark_);
  if (results != 0) tape_.record(std::move(segment), {}, results, nullptr);
}

}  // namespace covec::autodiff
