// Files in memory: those that a page gives, and those that its programs write. There are as many folders as their
// names have, and "/", where relative names begin. They are the process's own, as those of a disk are.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/gate/descriptor.hpp"

namespace covec::gate {

// "/a/b" of "a/./b", "/a//b" or "/a/c/../b"; "/" of "".
std::string whole_path(std::string_view path);

void give_file(std::string_view path, std::string bytes);
bool create_file(std::string_view path);                     // an empty one; false: errno says why
void move_file(std::string_view from, std::string_view to);  // what is at `from`
void remove_file(std::string_view path);
const std::string* file_at(std::string_view path);  // nullptr: there is none
bool is_folder(std::string_view path);
std::vector<std::string> all_files();                      // their whole paths, in order
std::vector<std::string> names_in(std::string_view path);  // of a folder

// Of a file or a folder that is there; not open: errno says why.
Descriptor open_at(const std::string& path);
// Where an open one lies.
const std::string& path_of(const Descriptor& descriptor);

}  // namespace covec::gate
