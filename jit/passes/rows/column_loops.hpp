// Writes the loops over columns that do what a RowGroup does, with numbers. One loop does all of it where that is
// little. Otherwise what changes tensors in place and what computes are apart: iterations that compute set elements of
// new tensors alone, so that lanes of vectors can run them (jit/loops/lanes). The loops are numbered by levels; those
// of odd levels compute. A number that another loop needs goes through a tensor. Start at ColumnLoops::build.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "jit/passes/rows/row_group.hpp"

namespace covec::passes {

// Rows that groups push and pop together, kept as one tensor. It has no columns where the rows were pushed by
// themselves.
struct RowPack {
  Dtype dtype = Dtype::f64;
  std::vector<int64_t> stacks;  // the rows', in the tensor's order
  int64_t stack = 0;            // the tensor's own
  bool always = false;          // the rows are never pushed by themselves

  std::optional<int64_t> row_of(int64_t stack_of_row) const;
};

// The tensors that loops over columns set elements of.
class ColumnTensors {
 public:
  ColumnTensors(ir::Graph& graph, uint32_t place) : graph_(graph), place_(place) {}
  struct Tensor {
    Value now;
    Type type;
  };
  std::vector<Tensor> all;
  Value count;  // of columns

  size_t add(Value tensor);
  // rows: 0 for a tensor of one axis.
  size_t add_zeros(Dtype dtype, int64_t rows, std::vector<ir::Operation>& to);

 private:
  Dim dim_of_count();

  ir::Graph& graph_;
  const uint32_t place_;
};

// The levels of loops. Where all is done in one loop, that is level 0.
struct ColumnLevels {
  static constexpr int anywhere = -1;  // of what costs nothing to have again
  bool apart;
  int to_compute(int level) const { return apart ? level + (level == anywhere ? 2 : level % 2 == 0 ? 1 : 0) : 0; }
  int to_change(int level) const { return apart ? level + (level % 2 == 0 ? 0 : 1) : 0; }
};

class ColumnLoops {
 public:
  // The tensors of a pack that are popped, in the order of the pops; and of how many the loops fill the rows.
  struct Packs {
    std::vector<std::pair<const RowPack*, std::vector<Value>>> popped;
    std::vector<std::pair<const RowPack*, size_t>> pushed;
  };

  ColumnLoops(ir::Graph& graph, const RowGroup& group, const std::vector<ir::Id>& outputs, const Packs& packs);
  // Appends them; gives what stands for the outputs, and then for what is pushed.
  std::vector<Value> build(const Value& count, std::vector<ir::Operation>& to);

 private:
  using Operations = std::vector<ir::Operation>;
  using Nodes = std::vector<size_t>;
  // A number of each column.
  struct Node {
    enum class Kind : uint8_t { given, element, part, compute, sum } kind;
    int level = ColumnLevels::anywhere;
    Dtype dtype = Dtype::f64;
    const ir::Operation* operation = nullptr;             // compute, sum, part of a tensor that the group changes
    Value value = {};                                     // given: the number; element and part: of that tensor
    std::vector<Value> index = {};                        // of part and element, the column left out
    Value from = {};                                      // of part: where the row begins
    std::optional<size_t> chain = {};                     // part: of what has become of the tensor by now
    Nodes operands = {};                                  // sum: two; compute: those that are rows
    std::optional<std::pair<size_t, int64_t>> kept = {};  // the tensor and its row through which it goes to other loops
  };
  // What a loop does, in this order: it makes a number, or sets an element of a tensor to it or adds it there.
  struct Action {
    int level;
    size_t node;
    const ir::Operation* change = nullptr;  // index_add or index_update
    std::optional<size_t> target = {};      // the tensor; nothing: the number is made
    std::vector<Value> index = {};          // the column left out
    Value from = {};                        // where the row begins
  };

  // What there is to do.
  void plan(const RowGroup::Member& member);
  size_t add(Node node);
  size_t make(Node node);
  Nodes nodes_of(const Value& rows);
  const Nodes& made_of(const Value& rows) const { return nodes_.at(ir::id_of(rows)); }
  size_t row_of_block(const ir::Operation& operation) const;
  Nodes read(const ir::Operation& operation);
  Nodes put(const ir::Operation& operation);
  Nodes fill(const ir::Operation& operation);
  size_t compute(const ir::Operation& operation);
  size_t pop(const ir::Operation& operation);
  void push(const ir::Operation& operation);
  void change(const ir::Operation& operation);
  void store(size_t node, size_t target, std::vector<Value> index);
  int highest(const Nodes& nodes) const;

  // The tensors.
  void make_targets(Operations& to);
  void keep_what_crosses(Operations& to);
  std::vector<Value> results() const;

  // A loop.
  void write_loop(int level, Operations& to);
  void look_at_changes(int level, Operations& to);
  void write(const Action& action, Operations& to);
  Value number(size_t node, Operations& to);
  Value made(const Node& node, Operations& to);
  Value column_from(const Value& start, Operations& to);

  ir::Graph& graph_;
  const RowGroup& group_;
  const std::vector<ir::Id>& outputs_;
  const Packs& packs_;
  const uint32_t place_;
  const ColumnLevels levels_;
  std::vector<Node> all_;
  std::vector<Action> actions_;
  ColumnTensors tensors_;                    // the chains' tensors, rows that are kept, what is pushed, what crosses
  std::unordered_map<ir::Id, Nodes> nodes_;  // of rows and blocks: one for each row
  std::vector<int> changed_, read_;          // by chain: the levels of its last change and read
  std::map<ir::Id, size_t> kept_;            // outputs that are rows or blocks: their tensors
  std::vector<std::vector<size_t>> pushed_;  // the packs' tensors
  std::unordered_map<int64_t, size_t> pushes_, pops_;  // so far, by the stack of a row
  struct Loop {
    int level = 0;
    Value column;
    std::unordered_map<size_t, Value> now;  // numbers, by node
  } loop_;                                  // that is being written
};

}  // namespace covec::passes
