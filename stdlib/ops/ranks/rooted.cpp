#include "stdlib/ops/ranks/rooted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/travel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::Bytes;
using cluster::Header;
using cluster::Joined;
using cluster::Operation;

constexpr uint64_t given_bits = 3;  // of Header::value: a Given

// A type in a fixed number of bytes.
struct PackedType {
  int64_t dtype = 0, rank = 0, extents[max_rank] = {};

  explicit PackedType(const Type& type)
      : dtype(static_cast<int64_t>(type.dtype)), rank(static_cast<int64_t>(type.shape.rank())) {
    for (unsigned axis = 0; axis < type.shape.rank(); ++axis) extents[axis] = type.shape[axis].number();
  }
  explicit PackedType(Bytes bytes) { std::memcpy(static_cast<void*>(this), bytes.data(), sizeof *this); }
  Type type() const {
    Type type{static_cast<Dtype>(dtype), {}};
    for (int64_t axis = 0; axis < rank; ++axis) type.shape.push_back(Dim(extents[axis]));
    return type;
  }
};

// What all ranks give, once they agree in it.
struct Agreement {
  uint64_t value = 0;    // Header::value of the root
  size_t bytes = 0;      // that it sends
  bool all_know = true;  // no rank gives none
};

Agreement agree(Joined& joined, uint64_t bytes, uint64_t value, int root) {
  const std::vector<Header> all = joined.agree(bytes, value);
  const Header& first = all[static_cast<size_t>(root)];
  Agreement found{first.value, static_cast<size_t>(first.bytes)};
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const bool is_like = all[rank].value == first.value || (all[rank].value == 0 && first.value != 0);
    if (!is_like) joined.disagree(all, static_cast<size_t>(root), rank);
    found.all_know &= all[rank].value != 0;
  }
  return found;
}

size_t bytes_of_type(const Type& type) { return static_cast<size_t>(type.shape.elements()) * size_of(type.dtype); }

// The root's bytes, on every rank.
void broadcast_bytes(Joined& joined, Bytes mine, std::span<std::byte> all, int root) {
  for (size_t begin = 0; begin < all.size(); begin += longest_piece) {
    const size_t count = std::min(longest_piece, all.size() - begin);
    const Bytes part = joined.broadcast(mine.empty() ? mine : mine.subspan(begin, count), count, root);
    std::memcpy(all.data() + begin, part.data(), count);
  }
}

std::string broadcast_text(Joined& joined, std::string_view mine, size_t bytes, int root) {
  std::string text(bytes, '\0');
  broadcast_bytes(joined, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(text)), root);
  return text;
}

// What the root gives: a leaf of this type in a tree of this structure.
struct LeafInTree {
  Type type;
  std::string structure;
};

LeafInTree broadcast_leaf(Joined& joined, const LeafInTree& mine, int root) {
  struct Packed {
    PackedType type;
    uint64_t bytes;
  } const packed{PackedType(mine.type), mine.structure.size()};
  const bool is_root = joined.ranks().rank() == root;
  const Bytes given = is_root ? std::as_bytes(std::span(&packed, 1)) : Bytes();
  const Bytes all = joined.broadcast(given, sizeof packed, root);
  LeafInTree leaf{PackedType(all).type(), ""};
  uint64_t bytes = 0;
  std::memcpy(&bytes, all.data() + offsetof(Packed, bytes), sizeof bytes);
  leaf.structure = broadcast_text(joined, is_root ? mine.structure : "", static_cast<size_t>(bytes), root);
  return leaf;
}

// Each rank gets the rows [begin, end) of the root's.
class Scatter {
 public:
  Scatter(Joined& joined, const Type& type, int root)
      : joined_(joined), type_(type), root_(root), row_(row_bytes(type)) {}

  Value of(Pool& pool, Bytes mine) {
    const int own = joined_.ranks().rank();
    Type type = type_;
    const PartRange rows = rows_of(own);
    type.shape[0] = Dim(rows.end - rows.first);
    if (own != root_) {
      Value result = make_tensor(pool, type.dtype, type.shape);
      receive({result.tensor().data(), bytes_of_type(type)});
      return result;
    }
    for (int rank = 0; rank < joined_.ranks().size(); ++rank) {
      if (rank != root_) send(part_of(mine, rank), rank);
    }
    return leaf_of(pool, type, part_of(mine, own));
  }

 private:
  static size_t row_bytes(const Type& type) {
    const auto rows = static_cast<size_t>(type.shape[0].number());
    return rows == 0 ? 0 : bytes_of_type(type) / rows;
  }
  PartRange rows_of(int rank) const { return part_range_of(type_.shape[0].number(), rank, joined_.ranks().size()); }
  Bytes part_of(Bytes mine, int rank) const {
    const PartRange rows = rows_of(rank);
    return mine.subspan(static_cast<size_t>(rows.first) * row_, static_cast<size_t>(rows.end - rows.first) * row_);
  }
  void send(Bytes bytes, int rank) {
    for (size_t begin = 0; begin < bytes.size(); begin += longest_piece)
      joined_.exchange(bytes.subspan(begin, std::min(longest_piece, bytes.size() - begin)), rank, 0, -1);
  }
  void receive(std::span<std::byte> all) {
    for (size_t begin = 0; begin < all.size(); begin += longest_piece) {
      const size_t count = std::min(longest_piece, all.size() - begin);
      const Bytes part = joined_.exchange({}, -1, count, root_);
      std::memcpy(all.data() + begin, part.data(), count);
    }
  }

  Joined& joined_;
  const Type type_;
  const int root_;
  const size_t row_;
};

std::string none_words() { return "none"; }

}  // namespace

int root_argument(const Context& context, const Call& call, unsigned operand, Operation operation) {
  const int64_t root = integer_argument(call, operand);
  const int last = context.ranks->size() - 1;
  if (root < 0 || root > last) {
    fail(message("ranks_root"), {std::string(cluster::name_of(operation)), std::to_string(last), std::to_string(root)},
         {label_of(call, operand)});
  }
  return static_cast<int>(root);
}

Rooted::Rooted(Builder& b, Operation operation, int root)
    : builder_(b), context_(b.context()), operation_(operation), root_(root) {
  require_no_part(context_, operation);
}

Value Rooted::payload(Joined& joined, const Type& type, Bytes mine) {
  if (operation_ == Operation::scatter) return Scatter(joined, type, root_).of(builder_.pool(), mine);
  if (type.shape.empty()) {
    uint64_t number[2] = {};  // of any dtype
    broadcast_bytes(joined, mine, std::as_writable_bytes(std::span(number)).first(size_of(type.dtype)), root_);
    return Value::scalar(type.dtype, number);
  }
  Value result = make_tensor(builder_.pool(), type.dtype, type.shape);
  broadcast_bytes(joined, mine, {result.tensor().data(), bytes_of_type(type)}, root_);
  return result;
}

// A rank that gives none does not know which derivatives pass through the leaf: that belongs to its type.
Value Rooted::leaf(Value mine, std::string_view structure, uint8_t active) {
  const LeafInTree given{type_of(mine), std::string(structure)};
  const bool is_root = context_.ranks->rank() == root_, is_active = (active & ~cluster::refused) != 0;
  std::optional<LeafBytes> bytes;
  if (is_root) bytes.emplace(builder_.pool(), std::move(mine));
  const auto words = [&] { return words_of_leaf(given.type, structure) + (is_active ? " in a derivative" : ""); };
  const uint64_t hash =
      cluster::hash_of({reinterpret_cast<const char*>(&active), 1}, hash_of_leaf(given.type, structure));
  const uint8_t is_refused = active & cluster::refused;
  for (;;) {
    Joined joined(context_, {operation_, static_cast<uint64_t>(root_), words, is_refused});
    const Agreement agreed = agree(joined, bytes_of_type(given.type), (hash & ~given_bits) | one_leaf, root_);
    if (agreed.all_know) return payload(joined, given.type, is_root ? bytes->bytes() : Bytes());
    broadcast_leaf(joined, given, root_);
  }
}

void Rooted::announce(const Value& skeleton) {
  const auto words = [&] { return structure_of(skeleton); };
  cluster::ByteWriter out;
  put_value(out, skeleton);
  const std::string packed = out.take();
  Joined joined(context_, {operation_, static_cast<uint64_t>(root_), words});
  const Agreement agreed = agree(joined, packed.size(), (cluster::hash_of(packed) & ~given_bits) | tree, root_);
  const bool is_root = context_.ranks->rank() == root_;
  if (!agreed.all_know) broadcast_text(joined, is_root ? packed : "", agreed.bytes, root_);
}

Value Rooted::whole(const Value& value) {
  if (const std::string leaf = fixed_leaf(value); !leaf.empty()) fail_fixed(operation_, leaf);
  cluster::ByteWriter out;
  const bool is_root = context_.ranks->rank() == root_;
  if (is_root) put_value(out, value);
  const std::string packed = out.take();
  const auto words = [&] { return describe(value); };
  Joined joined(context_, {operation_, static_cast<uint64_t>(root_), words});
  const Agreement agreed = agree(joined, packed.size(), whole_value, root_);
  const std::string all = broadcast_text(joined, packed, agreed.bytes, root_);
  cluster::ByteReader in(all);
  return get_value(builder_.pool(), in);
}

Value Rooted::receive_leaf(Joined& joined) {
  const LeafInTree leaf = broadcast_leaf(joined, {}, root_);
  const Entry& entry = operation_ == Operation::scatter ? parallel_scatter_entry() : parallel_broadcast_entry();
  return call(builder_, entry, {zeros(builder_, leaf.type), Value(int64_t{root_}), make_string(leaf.structure)});
}

Value Rooted::receive_tree(Joined& joined, size_t bytes) {
  const std::string packed = broadcast_text(joined, "", bytes, root_);
  cluster::ByteReader in(packed);
  const Value skeleton = get_value(builder_.pool(), in);
  return map_leaves(skeleton, [&](const Value& leaf) { return leaf.is_none() ? Value() : receive(); });
}

Value Rooted::receive() {
  Joined joined(context_, {operation_, static_cast<uint64_t>(root_), none_words});
  const Agreement agreed = agree(joined, 0, nothing, root_);
  switch (static_cast<Given>(agreed.value & given_bits)) {
    case nothing: return Value();
    case one_leaf: return receive_leaf(joined);
    case tree: return receive_tree(joined, agreed.bytes);
    default: break;
  }
  const std::string all = broadcast_text(joined, "", agreed.bytes, root_);
  cluster::ByteReader in(all);
  return get_value(builder_.pool(), in);
}

}  // namespace covec::ops
