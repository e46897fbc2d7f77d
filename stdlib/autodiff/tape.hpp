// The tape records what a function did to its active values, in program order. An entry is one applied operator: the
// numbers of its operands' nodes, their types, and only those values that its rule keeps. So buffers that nobody needs
// are reused at once. Everything lies in an arena. The trade-off is one compact block per entry, against a plain vector
// of objects with a heap block each. The sweep (sweep.hpp) walks entries backwards, push (sweep.hpp) forwards.
//
// These invariants hold for every tape:
//
// - A node is a number, given in program order from 1 (0: a constant). An entry's results are consecutive and have
//   larger numbers than its operands. So one walk backwards meets all uses of a node before the entry that made it,
//   without sorting or counting. Cotangents of one node are always added in the same order, on which bits and the
//   compiled sweep depend.
// - Values know their tape only by the numbers of level and node. A value that outlives the tape is a constant
//   (level.hpp), and no reference cycle can arise.
// - An entry holds values of the level below, never of its own. It holds only attributes and the values that
//   Derivative::keeps names. Types are copied as plain numbers and hold no tensor. Whatever else a program drops is
//   therefore free at once, to be reused in place.
// - Entries form a stack. An entry is linked in after its operator has succeeded, so an error leaves the tape as it
//   was. `cut()` removes the entries of a region, or of a statement that cannot be staged.
// - An entry of numbers, of which a program has most, holds nothing but these: 48 bytes, and 8 for each operand and
// each
//   number that is kept.
// - The arena runs no destructors. The code that removes an entry for good (the sweep, or the tape's own end) calls
//   drop_values().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/autodiff/arena.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

struct SweepOptions;
struct OpenLevel;

// Of an operand or result: enough to rebuild its Type together with the entry's dimensions.
struct TapeSlot {
  uint32_t node = 0;  // 0: a constant
  Dtype dtype = Dtype::f64;
  uint8_t rank = 0;
  bool numeric = false;  // has a type
  bool kept = false;     // of an entry of numbers: its number is there
};

// Whether one of two bools holds that only the run may know. None is a bool that nobody can tell.
Value either(ops::Builder& builder, const Value& one, const Value& other);

// On how many paths through an entry a function with its own reverse rule is called.
enum class RuleUse : uint8_t { none, some, all };

// A function applied as one operation: it has its own reverse rule (@derivative, checkpoint). Results are several
// nodes.
class Composite {
 public:
  virtual ~Composite() = default;
  // A region of a function that is being compiled has the paths of the entries in it.
  virtual RuleUse rule_use() const { return RuleUse::all; }
  // Whether the path of the run is one of those, where the entry is none of a region's; as either() has it.
  virtual Value uses_rule(ops::Builder&) const {
    return rule_use() == RuleUse::some ? Value() : Value(rule_use() == RuleUse::all);
  }
  // One cotangent per operand (none: zero or not float), given one per result (none: zero). Not asked where pass() is
  // true.
  virtual std::vector<Value> cotangents(ops::Builder&, std::span<const Value>) { return {}; }
  // A region of a function that is being compiled does its part of the sweep by itself: true when it has.
  virtual bool pass(ops::Builder&, std::vector<Value>&, const SweepOptions&) { return false; }
  // Whether pass() gives other cotangents of what it reads also where none has come to it.
  virtual bool always_gives() const { return false; }
  // Whether collectives may be in it: it is passed also where no cotangent has come to any rank or to this one.
  virtual bool meets() const { return false; }
  // The types of nodes that it reads, where it knows them.
  virtual std::map<uint32_t, Type> outer_types() const { return {}; }
  // The nodes that it reads, where they are not the entry's operands.
  virtual std::vector<uint32_t> outer_nodes() const { return {}; }
};

// Of calls that no sweep goes through.
class PassedRules final : public Composite {
 public:
  explicit PassedRules(RuleUse use) : use_(use) {}
  RuleUse rule_use() const override { return use_; }
  bool pass(ops::Builder&, std::vector<Value>&, const SweepOptions&) override { return true; }

 private:
  const RuleUse use_;
};

// In the arena behind each entry: the slots of its operands; then, of an elementwise operator of numbers, the numbers
// that its rule keeps, and of any other what General says.
struct TapeEntry {
  // The values by operand: kept ones and attributes. The dimensions are those of all operands in turn.
  struct General {
    const ops::Entry* written = nullptr;  // what the program has there: the operation, or that whose rule applied it
    Composite* composite = nullptr;       // owned
    Value* values = nullptr;
    Dim* dims = nullptr;
    Dim* result_dims = nullptr;
    Value result;  // if the rule keeps it
    uint32_t results = 1;
  };
  struct Number {
    alignas(int64_t) std::byte bytes[sizeof(int64_t)];
  };

  TapeEntry* previous = nullptr;
  const ops::Entry* operation = nullptr;  // nullptr: a composite, or where there is none a new value (renewal.hpp)
  const Span* site = nullptr;             // Context::site, to name the place in a message
  TapeSlot result_slot;                   // of a composite: the first result's node
  uint32_t operands = 0;
  uint32_t literals = 0;
  uint32_t parameters : 31 = 0;  // operands beyond are the rest
  uint32_t of_numbers : 1 = false;

  TapeSlot* slots() { return reinterpret_cast<TapeSlot*>(this + 1); }
  const TapeSlot* slots() const { return reinterpret_cast<const TapeSlot*>(this + 1); }
  General& general() { return *reinterpret_cast<General*>(slots() + operands); }
  const General& general() const { return *reinterpret_cast<const General*>(slots() + operands); }
  Number* numbers() { return reinterpret_cast<Number*>(slots() + operands); }
  const Number* numbers() const { return reinterpret_cast<const Number*>(slots() + operands); }

  const ops::Entry* written() const { return of_numbers ? operation : general().written; }
  Composite* composite() const { return of_numbers ? nullptr : general().composite; }
  uint32_t results() const { return of_numbers ? 1 : general().results; }
  const Dim* dims() const { return of_numbers ? nullptr : general().dims; }
  const Dim* result_dims() const { return of_numbers ? nullptr : general().result_dims; }
};
static_assert(sizeof(TapeEntry) == (sizeof(void*) == 8 ? 48 : 32) && sizeof(TapeSlot) == 8);  // what follows is aligned

class Tape {
 public:
  explicit Tape(Pool& pool);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  // A value to differentiate by: its node.
  uint32_t add_input() { return ++nodes_; }
  // Applies the call's operator one level down and records it. The call has operands of this level.
  Value record(ops::Builder& builder, uint64_t level, ops::Call& call);
  // Records a composite: nodes of its operands, and how many results; gives the first result's node.
  uint32_t record(std::unique_ptr<Composite> composite, std::span<const uint32_t> operands, uint32_t results,
                  const Span* site);

  // A region of a compiled function has ended: it made the nodes first … last − 1. A region and its adjoints, their
  // adjoints and so on, are one family: they run through the same iterations or paths (jit/lower/adjoint.hpp).
  void end_region(uint32_t family, uint32_t first, uint32_t last) { regions_.push_back({family, {first, last}}); }
  using Nodes = std::pair<uint32_t, uint32_t>;  // from the first on, before the last
  std::vector<Nodes> nodes_of(uint32_t family) const;

  // Records a new value (renewal.hpp) of an old one: its node.
  uint32_t pass_on(uint32_t node);

  // How far it is. rewind() forgets what was recorded since, nodes too.
  struct Mark {
    TapeEntry* last;
    uint32_t nodes;
    Arena::Mark arena;
  };
  Mark mark() const { return {last_, nodes_, arena_.mark()}; }
  void rewind(const Mark& mark) noexcept;
  // The bytes that a session may use while it records, beyond those in use when it was set (segments.hpp); 0: as many
  // as it takes.
  void bound_memory(uint64_t bytes);
  uint64_t memory_bound() const { return memory_bound_; }
  uint64_t memory_before() const { return memory_before_; }

  // Takes off the entries recorded after `mark`, the latest first; their values are the caller's to drop.
  std::vector<TapeEntry*> cut(const TapeEntry* mark);
  TapeEntry* last() const { return last_; }
  uint32_t nodes() const { return nodes_; }
  bool has_composites() const { return has_composites_; }
  Value uses_rule(ops::Builder& builder) const;  // of functions: whether a composite does (Composite::uses_rule)
  // split.hpp: the level of tangents below this tape, if there is one; made within the chain of open levels.
  bool is_split() const { return split_ != nullptr; }
  bool has_cache() const { return !memory_.empty(); }
  uint64_t split_number() const;
  OpenLevel* split_below(uint64_t level, OpenLevel* outer);
  OpenLevel* split_outer() const;
  Value cached(uint32_t operand, std::string_view key) const;  // none where nothing was
  void cache(uint32_t operand, std::string_view key, Value result);
  static void drop_values(TapeEntry& entry) noexcept;  // when the sweep has passed for good

 private:
  TapeEntry* allocate(size_t operands, size_t bytes_behind);
  TapeEntry* allocate_general(size_t operands, size_t dims);
  Value record_numbers(ops::Builder& builder, uint64_t level, ops::Call& call);
  void link(TapeEntry* entry, uint32_t results);
  Arena arena_;
  TapeEntry* last_ = nullptr;
  uint32_t nodes_ = 0;
  bool has_composites_ = false;
  uint64_t memory_bound_ = 0, memory_before_ = 0;
  std::unique_ptr<OpenLevel> split_;
  struct Memory {
    uint32_t operand;
    std::string key;
    Value result;
  };
  std::vector<Memory> memory_;
  struct EndedRegion {
    uint32_t family;
    Nodes nodes;
  };
  std::vector<EndedRegion> regions_;
};

}  // namespace covec::autodiff
