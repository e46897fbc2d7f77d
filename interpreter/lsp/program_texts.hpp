// Programs on disk that are not open in the editor.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace covec::lsp {

// The *.covec in folders and in those inside them, without hidden ones, by their canonical paths. Of very many some.
std::set<std::string> programs_in(const std::vector<std::string>& folders);

// The path of a copy of a module's text that nobody can write, in the folder of caches; "": there is no such folder.
std::string copy_of_module(const std::string& key, std::string_view text);
bool is_copy_of_module(const std::string& path);

}  // namespace covec::lsp
