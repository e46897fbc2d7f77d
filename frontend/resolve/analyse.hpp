// A text as tools see it: all that is wrong with it, in one go. A run stops at syntax errors; tools go on past them.
#pragma once

#include "frontend/resolve/name_index.hpp"
#include "frontend/resolve/resolve.hpp"

namespace covec {

// As analyse_unit of a program, with up to 1,000 errors. Of a text with syntax errors unknown names are told, too, but
// for those that only a broken statement may bind. There is no core where the rest has errors of its own, such as
// `return` outside of a function. `index`: where the meaning of its names is written to.
Analysis analyse_for_tools(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                           const Builtins& builtins, size_t stack, NameIndex* index = nullptr);

// The meaning of the names of a text alone.
NameIndex index_of(const SourceMap& sources, uint32_t file, const Builtins& builtins, size_t stack);

}  // namespace covec
