// From a tree to names and back. Start reading at named_leaves(), then tree_of().
#include "stdlib/files/leaves.hpp"

#include <unordered_map>
#include <unordered_set>

#include "stdlib/files/file.hpp"
#include "stdlib/files/structure.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

std::string in_words(const std::string& name) { return name.empty() ? "the value" : name; }

std::string with_article(const Value& leaf) { return (leaf.is_none() ? "" : "a ") + describe(leaf); }

[[noreturn]] void fail_unlike(const std::string& path, std::string why) {
  fail(message("file_unlike"), {path, std::move(why)});
}

// A tensor or number that derivatives may follow.
bool is_tensor_leaf(const Value& leaf) { return leaf.is_numeric() || leaf.is_traced(); }

void require_same_type(const std::string& path, const std::string& name, const Value& tensor, const Value& like) {
  if (!is_tensor_leaf(like)) fail_unlike(path, in_words(name) + " of like is " + with_article(like) + ", not a tensor");
  const Type is = type_of(tensor), wanted = logical_type(like);
  if (!(is == wanted))
    fail_unlike(path, in_words(name) + " is " + is.text() + " in the file and " + wanted.text() + " in like");
}

}  // namespace

NamedTensors named_leaves(const std::string& path, const Value& tree) {
  NamedTensors leaves;
  std::unordered_set<std::string_view> seen;
  each_named_leaf(tree, [&](const std::string& name, const Value& leaf) {
    if (!leaf.is_numeric()) fail(message("file_leaf"), {path, is_tree(tree) ? name : "the value", with_article(leaf)});
    leaves.tensors.emplace_back(name, leaf);
  });
  for (const auto& [name, leaf] : leaves.tensors) {
    if (!seen.insert(name).second) fail(message("file_names"), {path, quoted(name)});
  }
  const std::string note = structure_text(tree);
  if (note != structure_text(tree_of_names(leaves))) leaves.note = note;
  return leaves;
}

Value tree_of(const Pool& pool, const NamedTensors& leaves) {
  uint64_t steps = 0;  // one small record for each, at worst
  for (const auto& [name, leaf] : leaves.tensors) {
    for (const char c : name) steps += c == '.';
    ++steps;
  }
  constexpr uint64_t bytes_of_step = 512;
  require_memory(pool, steps * bytes_of_step);
  if (!leaves.note.empty()) {
    if (const auto tree = tree_of_note(leaves)) return *tree;
  }
  return tree_of_names(leaves);
}

Value tree_like(const std::string& path, const NamedTensors& leaves, const Value& like) {
  std::unordered_map<std::string_view, const Value*> by_name;
  for (const auto& [name, leaf] : leaves.tensors) by_name.emplace(name, &leaf);
  Value tree = map_named_leaves(like, [&](const std::string& name, const Value& leaf) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) fail_unlike(path, "the file has no tensor named " + quoted(name));
    const Value tensor = *found->second;
    require_same_type(path, name, tensor, leaf);
    by_name.erase(found);
    return tensor;
  });
  for (const auto& [name, leaf] : leaves.tensors) {
    if (by_name.contains(name)) fail_unlike(path, "the file has " + quoted(name) + ", like has no such leaf");
  }
  return tree;
}

void require_like(const std::string& path, const Value& tensor, const Value& like) {
  if (is_tree(like)) fail_unlike(path, "the file holds one tensor, like is a " + describe(like));
  require_same_type(path, "", tensor, like);
}

}  // namespace covec::files
