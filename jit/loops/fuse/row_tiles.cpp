#include "jit/loops/fuse/row_tiles.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "jit/loops/build_reduce.hpp"
#include "jit/loops/fuse/value_uses.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::loops {

namespace {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

// Units one after the other, and what each has to do with rows.
class RowReader {
 public:
  RowReader(const ir::Graph& graph, const ir::Region& region) : graph_(graph), region_(region), uses_(region) {}

  std::optional<RowMember> operator()(const Unit& unit) const {
    if (unit.kernel) return kernel(unit);
    const ir::Operation& operation = *unit.operations[0];
    if (operation.kind != ir::Kind::apply || operation.results.size() != 1) return std::nullopt;
    const Id result = operation.results[0];
    if (is_number(graph_, result) || graph_.values[result].boxed || uses_.users(result).empty()) return std::nullopt;
    if (operation.entry->reduce != nullptr) return reduction(operation);
    return operation.entry->pointwise != nullptr ? elementwise(operation) : std::nullopt;
  }

 private:
  const Type& type_of(Id id) const { return graph_.values[id].type; }

  std::optional<RowMember> kernel(const Unit& unit) const {
    if (unit.can_fail || unit.update != nullptr || unit.product != nullptr) return std::nullopt;
    RowMember member;
    std::unordered_set<Id> own;
    for (const ir::Operation* operation : unit.operations) {
      member.rank = std::max(member.rank, type_of(operation->results[0]).shape.rank());
      for (const Value& arg : operation->args) {
        if (!is_symbol(arg) ? arg.is_tensor() : !own.contains(id_of(arg)) && !is_number(graph_, id_of(arg)))
          member.reads.push_back(arg);
      }
      own.insert(operation->results[0]);
    }
    if (member.rank == 0 || member.reads.empty()) return std::nullopt;
    for (const ir::Operation* operation : unit.operations) {
      const Id id = operation->results[0];
      if (!is_needed_outside(id, unit)) continue;
      if (type_of(id).shape.rank() != member.rank) return std::nullopt;
      member.made.push_back({id, member.rank, true, type_of(id).dtype});
    }
    if (unit.reduction == nullptr) return member;
    const std::optional<Launch::Reduction> reduction = reduction_of_rows(graph_, *unit.reduction);
    const Id result = unit.reduction->results[0];
    if (!reduction || reduction->rank != member.rank || uses_.users(result).empty()) return std::nullopt;
    member.made.push_back({result, type_of(result).shape.rank(), false, reduction->dtype});
    return member;
  }

  bool is_needed_outside(Id id, const Unit& unit) const {
    return std::ranges::any_of(uses_.users(id), [&](uint32_t by) {
      if (by == region_.operations.size()) return true;
      const ir::Operation* const user = &region_.operations[by];
      return user != unit.reduction && std::ranges::find(unit.operations, user) == unit.operations.end();
    });
  }

  // One that the library makes.
  std::optional<RowMember> reduction(const ir::Operation& operation) const {
    const std::optional<Launch::Reduction> found = reduction_of_rows(graph_, operation);
    if (!found) return std::nullopt;
    RowMember member{.rank = found->rank};
    if (is_fusible_reduction(graph_, operation)) member.reduction = found;
    member.reads.push_back(operation.args[0]);
    const Type& result = type_of(operation.results[0]);
    member.made.push_back({operation.results[0], result.shape.rank(), false, result.dtype});
    return member;
  }

  std::optional<RowMember> elementwise(const ir::Operation& operation) const {
    const Type& result = type_of(operation.results[0]);
    RowMember member{.rank = result.shape.rank()};
    for (const Value& arg : operation.args) {
      if (!is_symbol(arg)) {
        if (ir::has_symbols(arg)) return std::nullopt;
      } else if (graph_.values[id_of(arg)].boxed) {
        return std::nullopt;
      } else if (!is_number(graph_, id_of(arg))) {
        member.reads.push_back(arg);
      }
    }
    if (!operation.rest.empty() || member.reads.empty()) return std::nullopt;
    member.made.push_back({operation.results[0], member.rank, true, result.dtype});
    return member;
  }

  const ir::Graph& graph_;
  const ir::Region& region_;
  const ValueUses uses_;
};

// Members as they are found, with what stands between them, until something comes that cannot.
class GrowingTile {
 public:
  GrowingTile(const ir::Graph& graph, Block& block) : graph_(graph), block_(block), describe_(graph, *block.region) {}

  void run() {
    std::vector<Unit> units = std::move(block_.units);
    block_.units.clear();
    for (Unit& unit : units) add(std::move(unit));
    close();
  }

 private:
  struct Pending {
    Unit unit;
    std::optional<RowMember> member;  // none: it goes before all of them
  };
  struct Seen {
    bool made;
    uint32_t rank;
  };
  using Key = const void*;

  // A constant is one by its address, a value by its place in the graph.
  Key key_of(const Value& value) const { return is_symbol(value) ? key_of(id_of(value)) : value.object(); }
  Key key_of(Id id) const { return &graph_.values[id]; }

  void add(Unit unit) {
    std::optional<RowMember> member = describe_(unit);
    const bool goes_on = member ? fits(*member) : members_ > 0 && may_precede(*unit.operations[0], unit.kernel);
    if (!goes_on) close();
    if (!member && !goes_on) return block_.units.push_back(std::move(unit));
    if (member) take(*member, unit.kernel);
    pending_.push_back({std::move(unit), std::move(member)});
  }

  // What was made, or has the rows, is read as it is.
  bool fits(const RowMember& member) const {
    return std::ranges::all_of(member.reads, [&](const Value& read) {
      const auto found = seen_.find(key_of(read));
      return found == seen_.end() || found->second.rank == member.rank;
    });
  }

  void take(const RowMember& member, bool kernel) {
    for (const Value& read : member.reads) {
      const bool is_new = seen_.try_emplace(key_of(read), Seen{false, member.rank}).second;
      shares_ |= !is_new && members_ > 0;
    }
    for (const RowMember::Made& made : member.made) seen_.emplace(key_of(made.id), Seen{true, made.rank});
    may_fail_ |= !kernel || std::ranges::any_of(member.reads, [&](const Value& read) {
      return key_of(read) != key_of(member.reads[0]);
    });
    ++members_;
    before_ = pending_.size() + 1;
  }

  // Numbers and parts that cannot fail and a tensor's extent are computed before all members. So is a check of a tensor
  // from outside, while no member can fail.
  bool may_precede(const ir::Operation& operation, bool kernel) const {
    if (kernel || !operation.regions.empty()) return false;
    bool needs_member = false;
    each_use(operation, [&](Id id) {
      const auto found = seen_.find(key_of(id));
      needs_member |= found != seen_.end() && found->second.made;
    });
    if (needs_member) return false;
    if (operation.kind == ir::Kind::dimension) return is_number(graph_, operation.results[0]);
    if (operation.kind != ir::Kind::apply) return false;
    if (operation.entry == &ops::handles().index_read) return !ir::is_ordered(graph_, operation);
    if (is_number_operation(graph_, operation)) return !weigh(graph_, operation).fails;
    return !may_fail_ && operation.entry == &ops::expect_elements_entry();
  }

  void close() {
    const bool profitable = members_ > 1 && shares_;
    if (profitable)
      std::stable_partition(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(before_), is_before);
    const auto number = static_cast<uint32_t>(block_.row_tiles.size());
    if (profitable) block_.row_tiles.emplace_back();
    for (Pending& pending : pending_) {
      if (profitable && pending.member) {
        pending.unit.row_tile = number;
        block_.row_tiles.back().members.push_back(std::move(*pending.member));
      }
      block_.units.push_back(std::move(pending.unit));
    }
    pending_.clear();
    seen_.clear();
    members_ = before_ = 0;
    shares_ = may_fail_ = false;
  }
  static bool is_before(const Pending& pending) { return !pending.member; }

  const ir::Graph& graph_;
  Block& block_;
  const RowReader describe_;
  std::vector<Pending> pending_;
  std::unordered_map<Key, Seen> seen_;
  size_t members_ = 0;
  size_t before_ = 0;  // pending ones up to the last member
  bool shares_ = false;
  bool may_fail_ = false;  // a member
};

}  // namespace

bool describe_row_tiles(const ir::Graph& graph, Block& block) {
  const RowReader describe(graph, *block.region);
  block.row_tiles.clear();
  for (const Unit& unit : block.units) {
    if (unit.row_tile == Unit::alone) continue;
    std::optional<RowMember> member = describe(unit);
    if (!member || unit.row_tile > block.row_tiles.size()) return false;
    if (unit.row_tile == block.row_tiles.size()) block.row_tiles.emplace_back();
    block.row_tiles[unit.row_tile].members.push_back(std::move(*member));
  }
  return true;
}

void find_row_tiles(const ir::Graph& graph, Block& block) { GrowingTile(graph, block).run(); }

}  // namespace covec::loops
