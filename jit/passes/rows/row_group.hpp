// Finds operations on short rows that one loop over columns can do. Rows are tensors of one axis, parts of tensors
// along their last axis, and what a sweep has put on stacks. Start at RowGroup::add.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/rows/row_elements.hpp"

namespace covec::passes {

// Elements of a row: fewer are numbers already where their extent is known, for more the kernels are as fast.
constexpr int64_t shortest_row = 9, longest_row = 64;
// Rows of a block: a small tensor of rows that exists only for a few operations, like the four gates of a layer.
constexpr int64_t largest_block = 8;

using Ids = std::unordered_set<ir::Id>;

// Calls f for each value that an operation uses, those of its regions included.
void each_used(const ir::Operation& operation, FunctionRef<void(ir::Id)> f);
void each_used(const ir::Region& region, FunctionRef<void(ir::Id)> f);

// Which rows are expected to have equal lengths: those that operations bring together.
class RowKinds {
 public:
  RowKinds(const ir::Graph& graph, const std::vector<ir::Operation*>& operations);
  // Nothing for an operation that has nothing to do with rows.
  std::optional<uint64_t> kind_of(const ir::Operation& operation) const;

 private:
  void join(const ir::Operation& operation);
  void join(std::optional<uint64_t> a, std::optional<uint64_t> b);
  std::optional<uint64_t> node_of(const Value& value);
  uint64_t root(uint64_t node) const;

  const ir::Graph& graph_;
  std::unordered_map<uint64_t, uint64_t> parents_;
};

// Numbers that members of a group make of the lengths of its rows. The size of a broadcast is where(equal(a, 1), b, a):
// where both are a row's, it is that, too.
class RowSizes {
 public:
  enum class Kind : uint8_t { size, is_one };
  bool has(const Value& value) const { return kind_of(value) == Kind::size; }
  // What an operation makes of them. `is_length`: whether a number can be asked to be the length of the rows.
  std::optional<Kind> result_of(const ir::Graph& graph, const ir::Operation& operation,
                                FunctionRef<bool(const Value&)> is_length) const;
  void add(ir::Id id, Kind kind) { kinds_[id] = kind; }

 private:
  std::optional<Kind> kind_of(const Value& value) const;
  std::unordered_map<ir::Id, Kind> kinds_;
};

// Operations on rows of equal lengths, in their order.
class RowGroup {
 public:
  enum class Role : uint8_t {
    compute,  // an elementwise operation
    read,     // a row or block of a tensor
    pick,     // a row of a block
    put,      // sets or adds to a row of a block
    change,   // sets or adds to a row or block of a tensor, in place
    same,     // sums to the size that a row has
    fill,     // a row or block of one number
    extent,   // how many elements a row has, also as the size of a broadcast
    differs,  // whether a row has one element: it has more
    push,     // a row
    pop,
  };
  struct Member {
    const ir::Operation* operation;
    Role role;
  };
  // A tensor that members change one after the other.
  struct Chain {
    Value base;
    ir::Id latest;
  };
  // What has to be as many as the elements of a row: an axis of a tensor or a piece of it, or a number.
  struct Length {
    Value value;
    std::optional<unsigned> axis;
    Dim dim = 0;
    std::optional<Value> start = {}, stop = {};
    bool is_piece() const { return start || stop; }
  };

  // An index of a part that a member reads or changes, of which only the run knows whether it is in range.
  struct IndexToCheck {
    Value tensor;
    unsigned axis;
    Dim extent;
    Value index;
  };

  // Of `stacks` members may push and pop.
  RowGroup(const ir::Graph& graph, const std::set<int64_t>& stacks) : graph_(graph), stacks_(stacks) {}

  // Joins where it can. Nobody else may need what it changes in place.
  bool add(const ir::Operation& operation, const Ids& needed_elsewhere);

  const std::vector<Member>& members() const { return members_; }
  const std::vector<Chain>& chains() const { return chains_; }
  const std::vector<Length>& lengths() const { return lengths_; }
  std::optional<int64_t> known_length() const { return known_; }
  std::vector<IndexToCheck> indices_to_check() const;
  // Where rows begin in each tensor that members change.
  std::vector<std::vector<Value>> places_of_pieces() const;
  bool may_fail() const { return fails_; }
  // Rows that a value has which a member makes; 0 for others.
  int64_t rows_of(ir::Id id) const;
  std::optional<size_t> chain_of(ir::Id id) const;

 private:
  bool plain(const Value& value) const;
  bool is_made(const Value& value) const;
  bool is_row(const Value& value);
  bool needs(const Value& tensor, unsigned axis);
  bool needs_piece(const Value& tensor, const RowPart& part);
  bool needs_number(const Value& number);
  bool agree();
  bool names_row_of_block(const ir::Operation& operation, size_t spec) const;
  int64_t rows_of_part(const ir::Operation& operation, size_t spec);
  bool is_latest(const Value& tensor) const;

  std::optional<Role> role_of(const ir::Operation& operation, const Ids& needed_elsewhere);
  std::optional<Role> role_of_extent(const ir::Operation& operation);
  std::optional<Role> role_on_stack(const ir::Operation& operation);
  std::optional<Role> role_of_read(const ir::Operation& operation);
  std::optional<Role> role_of_change(const ir::Operation& operation, const Ids& needed_elsewhere);
  std::optional<Role> role_of_size(const ir::Operation& operation);
  std::optional<Role> role_of_zeros(const ir::Operation& operation);
  void note_result(const ir::Operation& operation, Role role);
  void note_version(const Value& tensor, ir::Id result);

  const ir::Graph& graph_;
  const std::set<int64_t>& stacks_;
  std::vector<Member> members_;
  std::vector<Chain> chains_;
  std::vector<Length> lengths_, new_lengths_;
  std::unordered_map<ir::Id, int64_t> rows_;
  RowSizes sizes_;
  std::unordered_map<ir::Id, size_t> chain_of_;
  std::optional<int64_t> known_;
  bool fails_ = false;
};

}  // namespace covec::passes
