// What the resolver knows while it reads one function (or a module's own code): its slots, its captures, the current
// comprehension targets. Names are interned, so names are compared by pointer. Start reading at FunctionScope.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/core/core.hpp"

namespace covec::resolve {

using NameKey = const char*;  // data() of an interned name

struct LocalName {
  uint32_t slot = 0;
  uint32_t bindings = 0;  // parameter, plain assignments, for targets, fn, import
  uint32_t updates = 0;   // x[i] = v, x += v, x.push(v): these need a value to be there
};

// What tools know of a name that statements bind.
struct NameUse {
  std::string_view name;
  Span bound;  // the first plain assignment or import
  bool is_import = false;
  bool read = false;  // or bound in another way
};

// A comprehension's target that can be named now.
struct LiveTarget {
  NameKey name = nullptr;
  uint32_t slot = 0;
  bool index = false;  // runs over a range, its own or inferred: an index name, not any value
};

// An index expression as it was met, for inferring extents: where its object is held, which comprehension targets
// the object mentions (a stretch of the scope's `mentions`), and the first slot made while reading it.
struct IndexUse {
  core::Index* node = nullptr;
  core::Expr** object = nullptr;
  size_t mentions_begin = 0;
  size_t mentions_end = 0;
  uint32_t first_slot = 0;
  core::Bind* bound = nullptr;      // the object, evaluated once before a comprehension
  core::Expr** bound_at = nullptr;  // the extent that holds it
};

struct FunctionScope;

// The functions that a block defines by name, once each: they see one another.
using Siblings = std::unordered_map<NameKey, FunctionScope*>;

struct FunctionScope {
  core::Function* function = nullptr;  // nullptr for a module's own code
  FunctionScope* parent = nullptr;
  const Siblings* siblings = nullptr;  // of the block that defines it
  std::unordered_map<NameKey, LocalName> locals;
  std::unordered_map<NameKey, NameUse> uses;  // for tools only
  std::vector<std::string_view> slot_names;
  uint32_t named_slots = 0;             // of them; the others are comprehension targets and temporaries
  uint32_t visible_slots = UINT32_MAX;  // while defaults are read, only the parameters before are seen
  uint32_t loops = 0;                   // around the current statement
  uint32_t unsure_from = UINT32_MAX;    // while a range is read, its comprehension's targets may have no value yet
  std::vector<LiveTarget> targets;      // innermost last
  std::vector<core::CaptureSource> captures;
  std::vector<std::string_view> capture_names;
  std::vector<core::MakeClosure*> makers;  // nodes that make this closure where it is defined
  std::vector<IndexUse> index_uses;
  std::vector<uint32_t> mentions;  // slots of comprehension targets and temporaries, as they are read

  const ast::Expr* bound_next = nullptr;  // the target of the assignment or loop whose value is read
  bool binds_any = false;                 // after a broken statement whose target is missing

  bool is_module() const { return function == nullptr; }
  uint32_t new_slot(std::string_view name) {
    slot_names.push_back(name);
    return static_cast<uint32_t>(slot_names.size() - 1);
  }
};

// Names assigned by the statements of a function or module (not of the functions inside it), in order of appearance.
struct Assigned {
  std::string_view name;
  bool update = false;
  bool broken = false;  // by a statement that cannot be read: it may bind it
};
void collect_assigned(const ast::Block& body, std::vector<Assigned>& out);

// The root name of x, x.f, x[i].f …, or nullptr.
const ast::Name* root_of(const ast::Expr* target);

// x.push(v), x.remove(k), x.pop() and x.pop(k), which as statements (pop also where its value is assigned) are updates
// of x. Those by other names than push only where x is a variable: x may be a module.
struct MutatingCall {
  const ast::Expr* target = nullptr;  // nullptr: it is none
  const ast::Call* call = nullptr;
  std::string_view name;
  bool is_push() const { return name == "push"; }
};
MutatingCall mutating_call(const ast::Expr* value);

}  // namespace covec::resolve
