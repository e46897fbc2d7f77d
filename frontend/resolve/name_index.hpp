// What the names of a text mean, for editors: scopes, symbols, and the places that name them. The index reads the tree
// and follows the same rules as the resolver (lookup.hpp): the core has lost the places. It also serves texts with
// syntax errors, as far as their trees go. Start reading at NameIndex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/source/source.hpp"

namespace covec {

namespace ast {
struct Unit;
}

inline constexpr uint32_t no_index = UINT32_MAX;

enum class SymbolKind : uint8_t { variable, parameter, function, module, builtin };

struct IndexedSymbol {
  std::string name;
  SymbolKind kind = SymbolKind::variable;  // by what binds it; a variable where several kinds do
  uint32_t scope = 0;
  uint32_t bindings = 0;         // none of a builtin
  Span definition;               // the first name that binds it; unknown of a builtin
  uint32_t function = no_index;  // in functions: what binds it last, a definition or `name = fn(…) …`
  uint32_t import = no_index;    // in imports: likewise
};

struct NameUse {
  Span span;
  uint32_t symbol = 0;
  bool writes = false;
};

// The module, a function or a comprehension. Names are looked up from a scope to its parents.
struct NameScope {
  Span span;
  uint32_t parent = no_index;    // of the module
  uint32_t function = no_index;  // in functions: the one whose body it is
};

struct IndexedParameter {
  std::string name, text;  // the text: with annotation and default, as written
  uint32_t symbol = 0;
};

struct IndexedFunction {
  std::string name, signature, doc;  // "" is the name of one without
  Span span, name_span;
  std::vector<IndexedParameter> parameters;
  uint32_t scope = 0;                     // where it stands
  std::vector<std::string> option_names;  // that a parameter **options takes
  bool takes_options() const { return !parameters.empty() && parameters.back().text.starts_with("**"); }
};

struct IndexedImport {
  std::string path;  // as core::Import has it
  bool is_path = false;
  Span span;
  uint32_t symbol = 0;
};

// `object.name`.
struct IndexedMember {
  uint32_t object = no_index;  // the symbol, where the object is a plain name that is known
  std::string name;
  Span span;  // of the name
};

// `object.member(name=…)`.
struct IndexedArgument {
  uint32_t object = no_index;  // as of a member
  std::string member, name;    // "" is the name of those that a record gives, `**record`
  Span span;                   // of the argument's name, or of the record
};

// An argument whose parameter is not known: the function is not, or the names are not that a record gives. Also an
// option, which a parameter **options takes, and a parameter that a text names, `grad(f, wrt="x")`.
struct LooseArgument {
  std::string name;  // as of an IndexedArgument
  Span span;
  uint32_t function = no_index;  // in functions, where it is known
  bool in_text = false;
};

// A name that nothing binds.
struct UnknownUse {
  std::string name;
  Span span;
};

struct NameIndex {
  bool whole = false;             // the text could be read, and has no syntax errors
  std::vector<NameScope> scopes;  // the module first
  std::vector<IndexedSymbol> symbols;
  std::vector<NameUse> uses;  // in the order of the text
  std::vector<UnknownUse> unknown;
  std::vector<IndexedFunction> functions;
  std::vector<IndexedImport> imports;
  std::vector<IndexedMember> members;
  std::vector<IndexedArgument> arguments;
  std::vector<LooseArgument> loose;
  std::vector<std::string> fields;  // of records, in alphabetical order

  const NameUse* use_at(uint32_t offset) const;           // also right behind a name; nullptr: none is there
  const IndexedMember* member_at(uint32_t offset) const;  // likewise
  uint32_t scope_at(uint32_t offset) const;               // the innermost; no_index: there is no tree
  // The symbol that the name has there; no_index: only a builtin may have it, or none.
  uint32_t find(uint32_t scope, std::string_view name) const;
  // The import that alone binds a symbol; nullptr: there is none.
  const IndexedImport* import_of(uint32_t symbol) const;
  const IndexedFunction* function_of(uint32_t symbol) const;  // likewise
};

// `file`: the number of the text in its SourceMap.
NameIndex index_names(const ast::Unit& tree, const SourceFile& text, uint32_t file, const Builtins& builtins);

}  // namespace covec
