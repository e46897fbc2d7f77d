// Collectives in which one rank, the root, gives what the others get: `broadcast` and `scatter`. The others may give
// nothing (none), and then learn from the root what there is. So each rank says in its header what it gives: none, a
// leaf of a type, the structure of a tree whose leaves follow one by one, or a value that travels as a whole. A rank
// that gives none learns what a leaf is like, and then gives zeros of that type, so that derivatives pass through it
// there.
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/ranks/leaf.hpp"

namespace covec::ops {

class Rooted {
 public:
  // The same on all ranks.
  Rooted(Builder& b, cluster::Operation operation, int root);

  // `active` as Header has it.
  Value leaf(Value mine, std::string_view structure, uint8_t active);
  void announce(const Value& skeleton);  // none for each leaf that is none, true for each other
  Value whole(const Value& value);
  Value receive();  // of a rank that gives none

 private:
  enum Given : uint64_t { nothing, one_leaf, tree, whole_value };  // the lowest bits of Header::value
  Value payload(cluster::Joined& joined, const Type& type, cluster::Bytes mine);
  Value receive_leaf(cluster::Joined& joined);
  Value receive_tree(cluster::Joined& joined, size_t bytes);

  Builder& builder_;
  Context& context_;
  const cluster::Operation operation_;
  const int root_;
};

// The root's argument; fails where it is no rank.
int root_argument(const Context& context, const Call& call, unsigned operand, cluster::Operation operation);

}  // namespace covec::ops
