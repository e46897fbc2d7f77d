// Replaces row operations in a loop by an inner loop over elements. An example is x[i] = f(x[i], x[i - 1]), the step of
// a recurrence over time. As written, each iteration reads rows into new tensors, launches a kernel and stores the
// result: a microsecond for each row. A loop over the row's elements runs as one kernel, in place
// (jit/loops/build/vectorize.hpp).
//
// Bits and errors are kept. Only elementwise operations that cannot fail are computed element by element. An element is
// set from elements of its own column, which no other iteration of the inner loop sets. An index out of range fails for
// the first element as it does for the row. If rows are empty, or their lengths turn out to differ, the loop runs as it
// was written. Start at row_loops, at the end.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "jit/passes/rows/row_elements.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// What a vectorized loop has room for, and some more numbers that count.
constexpr size_t max_operations = 32, max_tensors = 8, max_numbers = 10;

bool names_row(const Graph& graph, const Operation& operation, size_t spec) {
  return names_part(graph, operation, spec, 1) && graph.values[id_of(operation.args[0])].type.shape.rank() >= 2;
}

bool sets_row(const Graph& graph, const Operation& operation) {
  return operation.kind == Kind::apply && operation.entry == &ops::handles().index_update &&
         operation.args.size() == 3 && names_row(graph, operation, 2);
}
bool is_read(const Operation& operation) {
  return operation.kind == Kind::apply && operation.entry == &ops::handles().index_read;
}

// Who uses each value of a region; nullptr: what an operation's regions or the region's results use.
class RowUses {
 public:
  explicit RowUses(const Region& region) {
    for (const Operation& operation : region.operations) {
      for (const Value& value : operation.args) note(value, &operation);
      for (const Value& value : operation.rest) note(value, &operation);
      for (const Region& inner : operation.regions) note_inside(inner);
    }
    for (const Value& value : region.results) note(value, nullptr);
  }
  // By these, and by others that only read it.
  bool only_reads(Id id, const std::set<const Operation*>& by) const {
    const auto found = users_.find(id);
    return found != users_.end() && std::ranges::all_of(found->second, [&](const Operation* user) {
             if (user == nullptr) return false;
             const bool reads = is_read(*user) || (user->kind == Kind::apply && user->entry->pointwise != nullptr);
             return by.contains(user) || reads || user->kind == Kind::dimension;
           });
  }
  bool only(Id id, const std::set<const Operation*>& by) const {
    const auto found = users_.find(id);
    return found != users_.end() &&
           std::ranges::all_of(found->second, [&](const Operation* user) { return by.contains(user); });
  }

 private:
  void note(const Value& value, const Operation* by) {
    each_symbol(value, [&](Id id) { users_[id].push_back(by); });
  }
  void note_inside(const Region& region) {
    for (const Operation& operation : region.operations) {
      for (const Value& value : operation.args) note(value, nullptr);
      for (const Value& value : operation.rest) note(value, nullptr);
      for (const Region& inner : operation.regions) note_inside(inner);
    }
    for (const Value& value : region.results) note(value, nullptr);
  }

  std::unordered_map<Id, std::vector<const Operation*>> users_;
};

// An update that sets a row, and the operations that only serve it.
class Row {
 public:
  Row(const Graph& graph, const Region& region, const RowUses& uses, size_t update)
      : graph_(graph), region_(region), update_(region.operations[update]), at_(update) {
    find(uses);
  }
  bool is_profitable() const { return profitable_; }
  const Operation& update() const { return update_; }
  bool serves(const Operation& operation) const { return chosen_.contains(&operation); }
  // Rows that are read, by what they are of: whether they have as many elements is to be asked.
  struct Unknown {
    Value tensor;
    size_t axis;
  };
  const std::vector<Unknown>& unknown() const { return unknown_; }

 private:
  void find(const RowUses& uses) {
    const Type& base = type_in(graph_, update_.args[0]);
    extent_ = base.shape[base.shape.rank() - 1];
    if (extent_ == Dim(0)) return;
    const Value& value = update_.args[1];
    if (is_narrow(base.dtype) || !is_row(value) || type_in(graph_, value).dtype != base.dtype) return;
    if (is_symbol(value) && id_of(value) == id_of(update_.args[0])) return;
    chosen_.insert(&update_);
    size_t reads = 0;
    bool ordered = false;  // something between must keep its place
    for (size_t at = at_; at-- > 0;) {
      const Operation& operation = region_.operations[at];
      if (can_serve(operation) && uses.only(operation.results[0], chosen_)) {
        if (ordered) return;
        chosen_.insert(&operation);
        reads += is_read(operation);
      } else {
        ordered |= is_ordered(graph_, operation);
      }
    }
    profitable_ = reads > 0 && fits(uses);
  }

  // As many elements as the row has, or perhaps. (One for sure beside an unknown number is most likely repeated.)
  bool is_row(const Value& value) const {
    if (is_symbol(value) ? graph_.values[id_of(value)].boxed : !value.is_tensor()) return false;
    const Type type = type_in(graph_, value);
    if (type.shape.rank() != 1 || is_narrow(type.dtype)) return false;
    const Dim own = type.shape[0];
    return own == extent_ || (!(own.known() && extent_.known()) && own != Dim(1) && extent_ != Dim(1));
  }
  bool can_serve(const Operation& operation) const {
    if (operation.kind != Kind::apply || operation.results.size() != 1) return false;
    if (!is_row(graph_.symbol(operation.results[0]))) return false;
    if (is_read(operation)) return names_row(graph_, operation, 1);
    return works_by_element(graph_, operation, [&](const Value& value) { return is_row(value); });
  }

  // A tensor that is read later than before must be what it was, without being kept for it.
  bool fits(const RowUses& uses) {
    std::set<Id> tensors, numbers;
    size_t reads = 0;
    const Id base = id_of(update_.args[0]);
    const auto note = [&](const Value& value) {
      if (!is_symbol(value)) return;
      (is_number(graph_, value) ? numbers : tensors).insert(id_of(value));
    };
    for (const Operation* operation : chosen_) {
      std::ranges::for_each(operation->rest, note);
      reads += is_read(*operation);
      std::ranges::for_each(operation->args, note);
    }
    for (const Operation* operation : chosen_) tensors.erase(operation->results[0]);
    tensors.erase(base);
    for (const Operation* operation : chosen_) note_unknown(*operation);
    const auto stays = [&](Id id) { return uses.only_reads(id, chosen_); };
    if (!std::ranges::all_of(tensors, stays)) return false;
    return chosen_.size() <= max_operations && reads + tensors.size() <= max_tensors && numbers.size() <= max_numbers;
  }

  void note_unknown(const Operation& operation) {
    if (is_read(operation)) return note_unknown(operation.args[0], operation.rest.size());
    for (const Value& arg : operation.args) {
      const bool served = is_symbol(arg) && std::ranges::any_of(chosen_, [&](const Operation* by) {
                            return by != &update_ && by->results[0] == id_of(arg);
                          });
      if (!served && type_in(graph_, arg).shape.rank() == 1 && is_row(arg)) note_unknown(arg, 0);
    }
  }
  void note_unknown(const Value& tensor, size_t axis) {
    const auto same = [&](const Unknown& each) {
      return each.axis == axis && is_symbol(each.tensor) && is_symbol(tensor) && id_of(each.tensor) == id_of(tensor);
    };
    if (type_in(graph_, tensor).shape[static_cast<unsigned>(axis)] == extent_) return;
    if (std::ranges::none_of(unknown_, same)) unknown_.push_back({tensor, axis});
  }

  const Graph& graph_;
  const Region& region_;
  const Operation& update_;
  const size_t at_;
  std::vector<Unknown> unknown_;
  Dim extent_ = 0;
  std::set<const Operation*> chosen_;
  bool profitable_ = false;
};

// The loop over a row's elements.
class ElementLoop {
 public:
  ElementLoop(Graph& graph, const Region& region, const Row& row) : graph_(graph), region_(region), row_(row) {}

  void build(const Value& count, Id result, std::vector<Operation>& to) {
    const Operation& update = row_.update();
    Operation loop;
    loop.kind = Kind::for_;
    loop.place = update.place;
    loop.args = {count, update.args[0]};
    Region& body = loop.regions.emplace_back();
    body.parameters = {graph_.add(Type{Dtype::i64, {}}), graph_.add_like(id_of(update.args[0]))};
    column_ = graph_.symbol(body.parameters[0]);
    matrix_ = graph_.symbol(body.parameters[1]);
    for (const Operation& operation : region_.operations) {
      if (&operation == &update) break;
      if (!row_.serves(operation)) continue;
      is_read(operation) ? read(operation, body.operations) : apply(operation, body.operations);
    }
    const OperationWriter write(graph_, update.place);
    const Value element = this->element(update.args[1], update.place, body.operations);
    body.results = {write.update(body.operations, matrix_, element, index_of(update))};
    loop.results = {result};
    to.push_back(std::move(loop));
  }

 private:
  std::vector<Value> index_of(const Operation& operation) const {
    std::vector<Value> index = operation.rest;
    index.push_back(column_);
    return index;
  }

  void read(const Operation& operation, std::vector<Operation>& to) {
    const OperationWriter write(graph_, operation.place);
    const bool same = id_of(operation.args[0]) == id_of(row_.update().args[0]);
    elements_[operation.results[0]] = write.read(to, same ? matrix_ : operation.args[0], index_of(operation));
  }

  void apply(const Operation& operation, std::vector<Operation>& to) {
    elements_[operation.results[0]] = write_for_element(
        graph_, operation, [&](const Value& row) { return element(row, operation.place, to); }, to);
  }

  // Of a tensor that serves the update, or of one from elsewhere.
  Value element(const Value& row, uint32_t place, std::vector<Operation>& to) {
    if (is_symbol(row)) {
      if (const auto found = elements_.find(id_of(row)); found != elements_.end()) return found->second;
    }
    const Value made = OperationWriter(graph_, place).read(to, row, {column_});
    if (is_symbol(row)) elements_[id_of(row)] = made;
    return made;
  }

  Graph& graph_;
  const Region& region_;
  const Row& row_;
  Value column_, matrix_;
  std::unordered_map<Id, Value> elements_;  // by row
};

class RowLoops {
 public:
  explicit RowLoops(Graph& graph) : graph_(graph) {}

  void visit(Region& region, bool repeats) {
    for (Operation& operation : region.operations) {
      const bool loops = operation.kind == Kind::for_ || operation.kind == Kind::while_;
      for (Region& inner : operation.regions) visit(inner, repeats || loops);
    }
    if (!repeats) return;
    for (size_t at = 0; at < region.operations.size(); ++at) {
      if (!sets_row(graph_, region.operations[at])) continue;
      const RowUses uses(region);
      const Row row(graph_, region, uses, at);
      if (row.is_profitable()) at = replace(region, row, at);
    }
  }

 private:
  // Gives where the operation stands that has taken the update's place.
  size_t replace(Region& region, const Row& row, size_t at) {
    std::vector<Operation> made;
    for (size_t i = 0; i < at; ++i) {
      if (!row.serves(region.operations[i])) made.push_back(region.operations[i]);
    }
    const Operation& update = row.update();
    const Value count = OperationWriter(graph_, update.place)
                            .extent(made, update.args[0], type_in(graph_, update.args[0]).shape.rank() - 1);
    if (!is_symbol(count) && row.unknown().empty()) {
      ElementLoop(graph_, region, row).build(count, update.results[0], made);
    } else {
      choose(region, row, at, count, made);
    }
    const size_t place = made.size() - 1;
    for (size_t i = at + 1; i < region.operations.size(); ++i) made.push_back(std::move(region.operations[i]));
    region.operations = std::move(made);
    return place;
  }

  // By element where rows have some.
  void choose(const Region& region, const Row& row, size_t at, const Value& count, std::vector<Operation>& made) {
    const Operation& update = row.update();
    const OperationWriter write(graph_, update.place);
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = update.place;
    Value holds = write.truth(made, ops::handles().less, {Value(int64_t{0}), count});
    for (const Row::Unknown& each : row.unknown()) {
      const Value extent = write.extent(made, each.tensor, each.axis);
      const Value same = write.truth(made, ops::handles().equal, {extent, count});
      holds = write.truth(made, ops::handles().bit_and, {holds, same});
    }
    choice.args = {std::move(holds)};
    choice.results = update.results;
    choice.regions.resize(2);
    const Id result = graph_.add_like(update.results[0]);
    ElementLoop(graph_, region, row).build(count, result, choice.regions[0].operations);
    choice.regions[0].results = {graph_.symbol(result)};
    RegionCopy copy(graph_);
    for (size_t i = 0; i <= at; ++i) {
      const Operation& operation = region.operations[i];
      if (row.serves(operation)) copy.copy(operation, choice.regions[1].operations);
    }
    choice.regions[1].results = {copy.value(graph_.symbol(update.results[0]))};
    made.push_back(std::move(choice));
  }

  Graph& graph_;
};

}  // namespace

void row_loops(Graph& graph) { RowLoops(graph).visit(graph.body, false); }

}  // namespace covec::passes
