// Makes unions, flattens those that are reached on many paths, and lists the members of sets.
#include "stdlib/sparse/union_dag.hpp"

#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::sparse {

namespace {

// A node is looked at when a walk over it could visit that many times what its parts held; chosen by measurement of 50
// steps of a heat equation: 4 looks too often, 64 too seldom.
constexpr uint32_t growth = 16;
// A set is stored flat where a walk visits more than that many nodes a member; chosen, not measured.
constexpr size_t visits_a_member = 4;
// Nodes between two looks at the interrupt flag and at the account; chosen, not measured.
constexpr size_t nodes_between_polls = 1 << 16;
// Room that is reserved: memory that is not used costs nothing, and copying what has grown does. Chosen, not measured.
constexpr size_t nodes_an_input = 8, inputs_a_row = 16, max_reserved = size_t{1} << 24;
// Nodes and members of flat sets have numbers of 32 bits.
constexpr size_t max_nodes = UINT32_MAX / 2;

[[noreturn]] void fail_too_many() { fail(message("pattern_limit"), {"a pattern", std::to_string(max_nodes)}); }

}  // namespace

UnionDag::UnionDag(const ops::Context& context, Set inputs) : context_(context), inputs_(inputs) {
  if (inputs > max_nodes) fail_too_many();
  nodes_.reserve(std::min(max_reserved, nodes_an_input * inputs));
}

uint32_t UnionDag::size_of(Set set) const {
  if (set <= inputs_) return 1;
  const Node& at = node(set);
  return at.size == flat_mark ? at.right : at.size;
}

Set UnionDag::make(Set a, Set b) {
  if (nodes_.size() % nodes_between_polls == 0) {
    if (nodes_.size() + inputs_ >= max_nodes) fail_too_many();
    kernels::poll_interrupt(context_);
    charge();
  }
  const uint32_t size = std::max(size_of(a), size_of(b)), reach = 1 + reach_of(a) + reach_of(b);
  nodes_.push_back({a, b, std::min(reach, flat_mark / 4), size});
  const Set set = inputs_ + static_cast<Set>(nodes_.size());
  if (reach > growth * std::max(size, uint32_t{4})) look_at(set);
  return set;
}

void UnionDag::look_at(Set set) {
  members_.clear();
  if (stamps_.size() <= inputs_ + nodes_.size()) make_stamps(2 * stamps_.size());
  const size_t visited = walk(set, members_);
  Node& at = nodes_[set - inputs_ - 1];
  at.reach = static_cast<uint32_t>(std::min<size_t>(visited, flat_mark / 4));
  at.size = static_cast<uint32_t>(members_.size());
  if (visited <= visits_a_member * members_.size()) return;
  if (flat_.size() + members_.size() > max_nodes) fail_too_many();
  const Set begin = static_cast<Set>(flat_.size());
  for (const Set input : members_) flat_.push_back(input + 1);
  at = {begin, static_cast<Set>(members_.size()), static_cast<uint32_t>(members_.size()) + 1, flat_mark};
}

void UnionDag::make_stamps(size_t least) { stamps_.resize(std::max(least, inputs_ + nodes_.size() + 1)); }

// Gives the number of nodes that it has visited.
size_t UnionDag::walk(Set root, std::vector<Set>& members) {
  if (++stamp_ == 0) {
    std::ranges::fill(stamps_, 0);
    stamp_ = 1;
  }
  size_t visited = 0;
  visit(root);
  while (!waiting_.empty()) {
    const Set set = waiting_.back();
    waiting_.pop_back();
    ++visited;
    if (set <= inputs_) {
      members.push_back(set - 1);
      continue;
    }
    const Node& at = node(set);
    if (at.size != flat_mark) {
      visit(at.left);
      visit(at.right);
      continue;
    }
    for (const Set member : std::span(flat_).subspan(at.left, at.right)) {
      ++visited;
      if (stamps_[member] == stamp_) continue;
      stamps_[member] = stamp_;
      members.push_back(member - 1);
    }
  }
  return visited;
}

void UnionDag::sort_row(std::vector<Set>& members, size_t begin) const {
  const auto first = members.begin() + static_cast<ptrdiff_t>(begin);
  const size_t count = members.size() - begin;
  if (count < 2) return;
  if (count < 16) return std::sort(first, members.end());
  const auto [least, most] = std::minmax_element(first, members.end());
  if (*most - *least > 8 * count) return std::sort(first, members.end());
  // The walk has marked the members: they are read off in order.
  auto to = first;
  for (Set input = *least, end = *most; input <= end; ++input) {
    if (stamps_[input + 1] == stamp_) *to++ = input;
  }
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
      walk(static_cast<Set>(sets[i]), inputs);
      if (inputs.size() > most) return false;
      sort_row(inputs, begin);
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
