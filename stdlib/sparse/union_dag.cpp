// Makes unions, flattens those that are reached on many paths, and lists the members of sets.
#include "stdlib/sparse/union_dag.hpp"

#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::sparse {

namespace {

// A node is looked at when a walk over it could meet that many times the runs that its parts had, or that many times 4.
// Of 4, 16 and 64, 4 is fastest for 50 and 500 steps of a heat equation on a line and 20 on a grid.
constexpr uint32_t growth = 4;
// A set is stored flat where a walk meets more than that many nodes and runs for each of its runs.
constexpr size_t met_a_run = 4;
// Nodes between two looks at the interrupt flag and at the account.
constexpr size_t nodes_between_polls = 1 << 16;
// Room that is reserved: memory that is not used costs nothing, and copying what has grown does.
constexpr size_t nodes_an_input = 8, inputs_a_row = 16, max_reserved = size_t{1} << 24;
// Nodes and members of flat sets have numbers of 32 bits.
constexpr size_t max_nodes = UINT32_MAX / 2;
constexpr uint32_t max_reach = UINT32_MAX / 4;  // so that the sum of two is a number of 32 bits

[[noreturn]] void fail_too_many() { fail(message("pattern_limit"), {"a pattern", std::to_string(max_nodes)}); }

}  // namespace

UnionDag::UnionDag(const ops::Context& context, Set inputs) : context_(context), inputs_(inputs) {
  if (inputs > max_nodes) fail_too_many();
  nodes_.reserve(std::min(max_reserved, nodes_an_input * inputs));
}

uint32_t UnionDag::runs_of(Set set) const {
  if (set <= inputs_) return 1;
  const Node& at = node(set);
  return at.runs == flat_mark ? at.right : at.runs;
}

Set UnionDag::make(Set a, Set b) {
  if (nodes_.size() % nodes_between_polls == 0) {
    if (nodes_.size() + inputs_ >= max_nodes) fail_too_many();
    kernels::poll_interrupt(context_);
    charge();
  }
  const uint32_t runs = std::max(runs_of(a), runs_of(b)), reach = 1 + reach_of(a) + reach_of(b);
  nodes_.push_back({a, b, std::min(reach, max_reach), runs});
  const Set set = inputs_ + static_cast<Set>(nodes_.size());
  if (reach / growth > std::max(runs, uint32_t{4})) look_at(set);
  return set;
}

void UnionDag::look_at(Set set) {
  if (stamps_.size() <= inputs_ + nodes_.size()) make_stamps(2 * stamps_.size());
  const size_t met = walk(set);
  Node& at = nodes_[set - inputs_ - 1];
  at.reach = static_cast<uint32_t>(std::min<size_t>(met, max_reach));
  at.runs = static_cast<uint32_t>(runs_.size());
  if (met <= met_a_run * runs_.size()) return;
  if (flat_.size() + runs_.size() > max_nodes) fail_too_many();
  const auto begin = static_cast<Set>(flat_.size()), count = static_cast<Set>(runs_.size());
  flat_.insert(flat_.end(), runs_.begin(), runs_.end());
  at = {begin, count, count + 1, flat_mark};
}

void UnionDag::make_stamps(size_t least) { stamps_.resize(std::max(least, inputs_ + nodes_.size() + 1)); }

// Finds the runs of a set, and gives the number of nodes and runs that it has met.
size_t UnionDag::walk(Set root) {
  if (++stamp_ == 0) {
    std::ranges::fill(stamps_, 0);
    stamp_ = 1;
  }
  runs_.clear();
  size_t met = 0;
  visit(root);
  while (!waiting_.empty()) {
    const Set set = waiting_.back();
    waiting_.pop_back();
    ++met;
    if (set <= inputs_) {
      meet(set - 1);
      continue;
    }
    const Node& at = node(set);
    if (at.runs != flat_mark) {
      visit(at.left);
      visit(at.right);
    } else {
      met += at.right;
      runs_.insert(runs_.end(), flat_.begin() + at.left, flat_.begin() + at.left + at.right);
    }
  }
  join_runs();
  return met;
}

// Inputs that come in order make one run.
void UnionDag::meet(Set input) {
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (input == last.last + 1) {
      last.last = input;
      return;
    }
    if (input + 1 == last.first) {
      last.first = input;
      return;
    }
  }
  runs_.push_back({input, input});
}

void UnionDag::join_runs() {
  std::ranges::sort(runs_, {}, &Run::first);
  size_t count = 0;
  for (const Run& run : runs_) {
    if (count > 0 && run.first <= runs_[count - 1].last + 1) {
      runs_[count - 1].last = std::max(runs_[count - 1].last, run.last);
    } else {
      runs_[count++] = run;
    }
  }
  runs_.resize(count);
}

bool UnionDag::list(std::span<const int64_t> sets, size_t most, std::vector<Set>& inputs, int64_t* ends) {
  make_stamps(0);
  inputs.reserve(inputs.size() + std::min({most, max_reserved, inputs_a_row * sets.size()}));
  size_t before = inputs.size();  // where the last row begins
  for (size_t i = 0; i < sets.size(); ++i) {
    if (i % nodes_between_polls == 0) {
      kernels::poll_interrupt(context_);
      charge(inputs.size() * sizeof(Set));
    }
    const size_t begin = inputs.size();
    if (i > 0 && sets[i] == sets[i - 1]) {
      if (begin + (begin - before) > most) return false;
      inputs.resize(begin + (begin - before));
      std::copy_n(inputs.begin() + static_cast<ptrdiff_t>(before), begin - before,
                  inputs.begin() + static_cast<ptrdiff_t>(begin));
    } else if (sets[i] != 0) {
      walk(static_cast<Set>(sets[i]));
      for (const Run& run : runs_) {
        if (inputs.size() + (run.last - run.first) >= most) return false;
        for (Set input = run.first; input <= run.last; ++input) inputs.push_back(input);
      }
    }
    before = begin;
    ends[i] = static_cast<int64_t>(inputs.size());
  }
  return true;
}

void UnionDag::charge(size_t rows) {
  charge_.change(nodes_.size() * sizeof(Node) + bytes_behind(flat_) + bytes_behind(stamps_) + rows);
}

}  // namespace covec::sparse
