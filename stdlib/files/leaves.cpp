// Converts a tree to named leaves and back. Start reading at named_leaves(), then tree_of().
#include "stdlib/files/leaves.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/files/npy.hpp"
#include "stdlib/files/npz.hpp"
#include "stdlib/files/safetensors.hpp"
#include "stdlib/files/structure.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
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
bool is_tensor_leaf(const Value& leaf) {
  const Value& part = shaped_part(leaf);
  return part.is_numeric() || part.is_traced();
}

std::string type_text(const Value& leaf) { return is_complex(leaf) ? describe(leaf) : logical_type(leaf).text(); }

// A tensor of f32 whose elements bf16 holds, as it is written where a format has no bf16.
std::optional<Value> narrowed(Pool& pool, const Value& tensor) {
  const Type type = type_of(tensor);
  Value result = make_tensor(pool, Dtype::bf16, type.shape);
  const Value dense = tensor.is_scalar() ? tensor : contiguous(pool, tensor);
  const auto* from = static_cast<const float*>(data_of(dense));
  auto* to = static_cast<uint16_t*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    to[i] = bf16_of(from[i]);
    if (from[i] == from[i] && float_of_bf16(to[i]) != from[i]) return std::nullopt;
  }
  return result;
}

// The tensor, of the type that `like` has. has_bf16: in the file bf16 would be bf16.
Value of_same_type(Pool& pool, const std::string& path, const std::string& name, const Value& tensor, const Value& like,
                   bool has_bf16) {
  if (!is_tensor_leaf(like)) fail_unlike(path, in_words(name) + " of like is " + with_article(like) + ", not a tensor");
  const Type is = type_of(shaped_part(tensor)), wanted = logical_type(shaped_part(like));
  const bool of_one_kind = is_complex(tensor) == is_complex(like);
  if (of_one_kind && is == wanted) return tensor;
  if (of_one_kind && !has_bf16 && is.shape == wanted.shape && is.dtype == Dtype::f32 && wanted.dtype == Dtype::bf16) {
    if (std::optional<Value> halves = narrowed(pool, tensor)) return *std::move(halves);
  }
  fail_unlike(path, in_words(name) + " is " + type_text(tensor) + " in the file and " + type_text(like) + " in like");
}

}  // namespace

NamedTensors named_leaves(const std::string& path, const Value& tree) {
  NamedTensors leaves;
  std::unordered_set<std::string_view> seen;
  each_named_leaf(tree, [&](const std::string& name, const Value& leaf) {
    if (!leaf.is_numeric() && !is_complex(leaf))
      fail(message("file_leaf"), {path, is_tree(tree) ? name : "the value", with_article(leaf)});
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
  constexpr uint64_t bytes_of_step = 512;  // an upper estimate of a record with one field
  require_memory(pool, steps * bytes_of_step);
  if (!leaves.note.empty()) {
    if (const auto tree = tree_of_note(leaves)) return *tree;
  }
  return tree_of_names(leaves);
}

Value tree_like(Pool& pool, const std::string& path, const NamedTensors& leaves, const Value& like) {
  std::unordered_map<std::string_view, const Value*> by_name;
  for (const auto& [name, leaf] : leaves.tensors) by_name.emplace(name, &leaf);
  Value tree = map_named_leaves(like, [&](const std::string& name, const Value& leaf) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) fail_unlike(path, "the file has no tensor named " + quoted(name));
    Value tensor = of_same_type(pool, path, name, *found->second, leaf, leaves.has_bf16);
    by_name.erase(found);
    return tensor;
  });
  for (const auto& [name, leaf] : leaves.tensors) {
    if (by_name.contains(name)) fail_unlike(path, "the file has " + quoted(name) + ", like has no such leaf");
  }
  return tree;
}

Value tensor_like(Pool& pool, const std::string& path, const Value& tensor, const Value& like) {
  if (is_container(like)) fail_unlike(path, "the file holds one tensor, like is a " + describe(like));
  return of_same_type(pool, path, "", tensor, like, false);
}

// --- writing ---

Format format_of(std::string_view function, const std::string& path) {
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".npz")) return Format::npz;
  if (path.ends_with(".safetensors")) return Format::safetensors;
  const bool csv = path.ends_with(".csv");
  fail(message("file_format"), {std::string(function), shown(path)}, {},
       csv ? "use read_csv and write_csv for tables as text" : "");
}

Value plain_tree(std::string_view function, const Value& tree) {
  return map_leaves(tree, [&](const Value& leaf) {
    const Value* at = &leaf;
    for (; at->is_traced(); at = &at->traced().primal) {
      if (at->traced().trace == TraceKind::batch) fail(message("shared_examples"), {std::string(function)});
    }
    return *at;
  });
}

TreeFile::TreeFile(std::string_view function, std::string path, const Value& tree)
    : path_(std::move(path)), format_(format_of(function, path_)), tree_(plain_tree(function, tree)) {
  if (format_ == Format::npy && is_container(tree_))
    fail_to_write(path_, "a .npy file holds one tensor, not a " + describe(tree_),
                  ".npz and .safetensors files hold trees");
  leaves_ = named_leaves(path_, tree_);
}

void TreeFile::write(ops::Context& context) const {
  AtomicFile file(path_, context);
  switch (format_) {
    case Format::npy: write_npy(file, *context.pool, tree_); break;
    case Format::npz: write_npz(file, *context.pool, leaves_); break;
    case Format::safetensors: write_safetensors(file, *context.pool, leaves_); break;
  }
  file.commit();
}

}  // namespace covec::files
