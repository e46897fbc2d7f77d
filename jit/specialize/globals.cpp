#include "jit/specialize/globals.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <set>

#include "frontend/core/walk.hpp"
#include "jit/lower/graph/not_staged.hpp"

namespace covec::jit {

namespace {

// Module-level names that a function's own code reads, in order.
class GlobalsRead {
 public:
  std::set<uint32_t> slots;

  void see(const core::Function& function) {
    if (function.expression != nullptr) see(function.expression);
    see(function.body);
    for (const core::Parameter& parameter : function.parameters) {
      if (parameter.fallback != nullptr) see(parameter.fallback);
    }
  }

 private:
  void see(const core::Block& block) {
    for (const core::Stmt* stmt : block) {
      resolve::each_part(
          *stmt, [&](core::Expr* e) { see(e); }, [&](const core::Target& target) { see(target); },
          [&](const core::Block& inner) { see(inner); });
    }
  }
  void see(const core::Target& target) {
    for (const core::Target* part : target.parts) see(*part);
    for (const core::PathStep& step : target.steps) {
      resolve::each_index_part(step.items, [&](core::Expr* e) { see(e); });
    }
  }
  void see(core::Expr* root) {
    resolve::each_below(root, [&](core::Expr* e) {
      if (e->kind == core::ExprKind::global) slots.insert(static_cast<const core::Global*>(e)->slot);
    });
  }
};

}  // namespace

// Zero bytes are none. Pages of their own, as those that are never touched cost nothing then: calloc clears memory that
// has been used before, a megabyte for each function that is staged.
Value* StagedGlobals::reserve() {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Value*>(pages);
}

void StagedGlobals::Release::operator()(Value* values) const {
  for (size_t i = 0; i <= used; ++i) values[i].~Value();
  munmap(values, bytes);
}

Value* StagedGlobals::of(const core::Function& function, Value* real, std::span<const uint32_t> given_rules) {
  GlobalsRead read;
  read.see(function);
  if (read.slots.empty()) return real;  // nobody will look
  std::unique_ptr<Value, Release>& values = seen_[real];
  if (values == nullptr) values.reset(reserve());
  for (const uint32_t slot : read.slots) {
    if (slot >= most) ir::not_staged("a module with too many names");
    if (std::ranges::find(given_rules, slot) != given_rules.end()) ir::not_staged("a rule for a module-level function");
    Value& value = values.get()[slot];
    if (!value.is_none()) continue;
    values.get_deleter().used = std::max<size_t>(values.get_deleter().used, slot);
    Signature signature;
    if (!signature.add(real[slot])) ir::not_staged("an active module-level value");
    made_.key.globals.push_back(&real[slot]);
    made_.key.global_words.insert(made_.key.global_words.end(), signature.words.begin(), signature.words.end());
    made_.key.source_units.insert(made_.key.source_units.end(), signature.source_units.begin(),
                                  signature.source_units.end());
    for (Value& object : signature.fixed) made_.key.fixed.push_back(std::move(object));
    value = symbols_(real[slot]);
  }
  return values.get();
}

}  // namespace covec::jit
