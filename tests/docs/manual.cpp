// Writes build/docs/builtins.md from the operators' entries, or says where the file differs from them: the manual has
// no list of its own. manual FILE checks; manual --write FILE writes.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "stdlib/ops/families.hpp"
#include "stdlib/value/value.hpp"

namespace {

using namespace covec;
using namespace covec::ops;

struct Chapter {
  const char* title;
  Family (*family)();
};
constexpr Chapter chapters[] = {
    {"Making tensors", make_family},   {"Elementwise", pointwise_family}, {"Reductions", reduce_family},
    {"Products", linalg_family},       {"Shapes", shape_family},          {"Indexing", index_family},
    {"Derivatives", transform_family}, {"Random numbers", random_family}, {"General", general_family},
    {"Files", files_family},
};

std::string fallback_text(const Value& value) {
  if (value.is_none()) return "none";
  if (value.tag() == Tag::boolean) return value.boolean() ? "true" : "false";
  if (value.tag() == Tag::i64) return std::to_string(value.i64());
  if (value.tag() == Tag::f64) {
    std::ostringstream text;
    text << value.f64();
    return text.str();
  }
  return "…";
}

std::string signature(const Entry& entry) {
  if (entry.constant) return std::string(entry.name);
  std::string text(entry.name);
  const char* separator = "(";
  for (const Parameter& parameter : entry.parameters) {
    text += separator + std::string(parameter.name);
    if (entry.variadic && &parameter == &entry.parameters.front())
      text += "…";
    else if (!parameter.required)
      text += "=" + fallback_text(parameter.fallback);
    separator = ", ";
  }
  return text + (entry.parameters.empty() ? "()" : ")");
}

std::string manual() {
  std::string text =
      "# Builtins\n\nWritten from the operators' entries (`stdlib/ops`); `?name` shows the same in the REPL.\n";
  for (const Chapter& chapter : chapters) {
    std::vector<const Entry*> entries;
    for (const Entry* entry : chapter.family()) {
      if (!entry->internal) entries.push_back(entry);
    }
    if (entries.empty()) continue;
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->name < b->name; });
    text += "\n## " + std::string(chapter.title) + "\n";
    for (const Entry* entry : entries) text += "\n**`" + signature(*entry) + "`** — " + std::string(entry->doc) + "\n";
  }
  return text;
}

std::string contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A family that has no chapter would be missing from the manual.
bool chapters_are_complete() {
  size_t in_chapters = 0;
  for (const Chapter& chapter : chapters) in_chapters += chapter.family().size();
  in_chapters += staged_family().size();  // no names of the language
  return in_chapters == all_entries().size();
}

int check(const char* path) {
  if (contents(path) == manual()) return 0;
  std::cerr << path << " is not what the entries say: build the target `manual` again\n";
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (!chapters_are_complete()) {
    std::cerr << "a family of operators has no chapter in tests/docs/manual.cpp\n";
    return 1;
  }
  if (count == 3 && std::string(arguments[1]) == "--write") {
    std::ofstream(arguments[2], std::ios::binary) << manual();
    return 0;
  }
  return count == 2 ? check(arguments[1]) : 2;
}
