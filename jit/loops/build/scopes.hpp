// Tracks the regions that are open while a plan is built, the innermost last. For each it knows the next unit. For a
// value it knows whether it is still needed, whether this is its last use, and whether its slot is up to date. It knows
// nothing of registers and slot numbers. Start at dies().
#pragma once

#include <set>
#include <span>
#include <vector>

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

class Scopes {
 public:
  explicit Scopes(size_t values) : definitions_(values) {}

  // A loop's region repeats: what is defined outside it is needed again.
  void open(const Block& block, bool repeats);
  // A piece of the unit being built that runs only sometimes.
  void open_piece() { scopes_.push_back({&block(), false, innermost().at, {}, {}, {}}); }
  void close() { scopes_.pop_back(); }

  const Block& block() const { return *innermost().block; }
  // The unit that is built next; block().units.size(): the region's results.
  void go_to(uint32_t unit);

  // The value is one of this region.
  void define(ir::Id id) { definitions_[id] = {&block(), false}; }
  // It stays where it is.
  void pin(ir::Id id) { definitions_[id].pinned = true; }
  bool is_needed(ir::Id id) const { return block().last.contains(id); }  // by any unit of the region
  bool is_needed_later(ir::Id id) const;                                 // by a unit after this one
  // Whether this region's value has been used for the last time; strictly: before the unit being built.
  bool is_over(ir::Id id, bool strict) const;
  // The unit being built uses it last.
  bool dies(ir::Id id) const;
  // It does, and has not taken it yet: it has now, and may move the value out of its place.
  bool takes(ir::Id id) { return dies(id) && hold(id); }
  // What a unit holds it does not take. False when it did already.
  bool hold(ir::Id id) { return innermost().taken.insert(id).second; }
  void release(ir::Id id) { innermost().taken.erase(id); }
  void release_all() { innermost().taken.clear(); }
  // Values that the unit being built is the last one of the region to use.
  std::span<const ir::Id> last_used() const { return block().dead_values[innermost().at]; }

  // Whether a number's slot holds it as well, on every way here.
  bool is_stored(ir::Id id) const;
  void note_stored(ir::Id id) { innermost().stored.insert(id); }
  // The same of a number that may stay on a device, and its register.
  bool is_settled(ir::Id id) const;
  void note_settled(ir::Id id) { innermost().settled.insert(id); }

 private:
  struct Scope {
    const Block* block;
    bool repeats;
    uint32_t at;
    std::set<ir::Id> stored, settled, taken;  // taken: by the unit being built
  };
  struct Definition {
    const Block* block = nullptr;
    bool pinned = false;
  };
  Scope& innermost() { return scopes_.back(); }
  const Scope& innermost() const { return scopes_.back(); }

  std::vector<Scope> scopes_;
  std::vector<Definition> definitions_;  // by value
};

// A region that is open until this goes.
class OpenScope {
 public:
  OpenScope(Scopes& scopes, const Block& block, bool repeats = false) : scopes_(scopes) { scopes.open(block, repeats); }
  explicit OpenScope(Scopes& scopes) : scopes_(scopes) { scopes.open_piece(); }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;
  ~OpenScope() { scopes_.close(); }

 private:
  Scopes& scopes_;
};

}  // namespace covec::loops
