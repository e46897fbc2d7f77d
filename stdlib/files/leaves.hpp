// Stores trees in files of named tensors. A leaf's name is its path: names of fields and numbers of items of tuples and
// lists, joined by dots ("layers.0.w"). A single tensor is called arr_0, as numpy does. When a file is read, names make
// the tree: numbers from 0 without a gap make a tuple, anything else a record. Some trees would change this way (a
// list, an empty tuple, a field's name with a dot). For these a note of the structure goes into the file, at a place
// that other readers skip. The trade-off: files stay as other programs expect them, and any tree comes back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

struct NamedTensors {
  std::vector<std::pair<std::string, Value>> tensors;
  std::string note;      // the structure, where the names do not say it: {"a": *, "b": [*, ()]}
  bool has_bf16 = true;  // the format has bf16
};

// Of a tree whose leaves are numbers and tensors; another leaf is an error that names it.
NamedTensors named_leaves(const std::string& path, const Value& tree);
// The tree that the note tells, or else the names.
Value tree_of(const Pool& pool, const NamedTensors& leaves);
// The tensors in the structure of `like`, whose leaves must have the same names, dtypes and shapes. Where one is bf16
// and the file has f32 that bf16 holds (a format without bf16), it is bf16.
Value tree_like(Pool& pool, const std::string& path, const NamedTensors& leaves, const Value& like);
// One tensor, which must be as `like`; the same of bf16.
Value tensor_like(Pool& pool, const std::string& path, const Value& tensor, const Value& like);

enum class Format : uint8_t { npy, npz, safetensors };
Format format_of(std::string_view function, const std::string& path);

// The tree without what derivatives have wrapped around its leaves. An error inside vmap, where there is no single
// value.
Value plain_tree(std::string_view function, const Value& tree);

// A tree that is to be saved, in the format that the file's name chooses. What is wrong with the tree is found before
// anything is written. `function` is what messages call the one that the program has called.
class TreeFile {
 public:
  TreeFile(std::string_view function, std::string path, const Value& tree);
  const std::string& path() const { return path_; }
  const NamedTensors& leaves() const { return leaves_; }
  void write(ops::Context& context) const;  // all of it, or nothing

 private:
  std::string path_;
  Format format_;
  Value tree_;
  NamedTensors leaves_;
};

}  // namespace covec::files
