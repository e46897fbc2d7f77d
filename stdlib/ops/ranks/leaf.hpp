// A number or tensor that takes part in a collective: its elements as bytes, and what the ranks compare of it.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/cluster/collective.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/dtype.hpp"

namespace covec::ops {

constexpr size_t longest_piece = size_t{64} << 20;  // bytes that travel at once

// Row by row. It holds what the bytes lie in.
class LeafBytes {
 public:
  LeafBytes(Pool& pool, Value leaf);
  const Type& type() const { return type_; }
  cluster::Bytes bytes() const;
  const Value& value() const { return leaf_; }
  Value take() { return std::move(leaf_); }

 private:
  Value leaf_;
  Type type_;
};

// The derivatives that follow a collective, for the header. `active` is the operator's attribute of that name.
uint8_t told_followers(const Value& active);
// Whether there is no other rank. Fails in a part, and alone also in a gradient of one rank: others learn that from the
// header.
bool is_alone(const Context& context, cluster::Operation operation, const Value& active);

// Copies the bytes, or only looks at them: then they must stay.
Value leaf_of(Pool& pool, const Type& type, cluster::Bytes bytes);
Value view_of(Pool& pool, const Type& type, cluster::Bytes bytes);

// A number or tensor, a complex one too, or what stands for it while a function is staged or differentiated.
bool is_leaf_of_numbers(const Value& value);
// The attribute of that name: the structure of the tree that a leaf stands in, or none.
std::string_view structure_text(const Value& structure);
// Of a tree: `{w: ., b: (., none)}`.
std::string structure_of(const Value& tree);

// What must be the same on all ranks: the type of a leaf, and the tree that it stands in ("": in none).
uint64_t hash_of_leaf(const Type& type, std::string_view structure);
std::string words_of_leaf(const Type& type, std::string_view structure);

}  // namespace covec::ops
