// Where a name is defined and used, in all texts of the workspace. Start reading at uses_of.
#pragma once

#include <string>
#include <vector>

#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

struct FoundUse {
  const ReadText* text;  // nullptr: the text that was asked about
  Span span;
  bool writes = false;
  bool defines = false;
};

// Whose parameter it is; nullptr: it is none.
const IndexedFunction* function_with(const Meaning& meaning);
// Gives the only name that the function has in its module; "": there is no such name.
std::string name_in_module(const NameIndex& names, const IndexedFunction& function);
// The symbols of the text that are imports of the module.
std::vector<uint32_t> names_of_module(Workspace& workspace, const ReadText& text, const std::string& key);
// Whether other texts can name it: a name of the module, or a parameter of such a function.
bool is_seen_elsewhere(const Meaning& meaning);
// All places that name the same.
std::vector<FoundUse> uses_of(Workspace& workspace, const Cursor& place, const Meaning& meaning);
Json location_of(Workspace& workspace, const Cursor& place, const ReadText* text, Span span);

Json define(Workspace& workspace, const Json& params);
Json references(Workspace& workspace, const Json& params);
Json highlights(Workspace& workspace, const Json& params);
Json prepare_rename(Workspace& workspace, const Json& params);
Json rename(Workspace& workspace, const Json& params);
Json workspace_symbols(Workspace& workspace, const Json& params);

}  // namespace covec::lsp
