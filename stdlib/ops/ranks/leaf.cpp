#include "stdlib/ops/ranks/leaf.hpp"

#include <cstring>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

LeafBytes::LeafBytes(Pool& pool, Value leaf)
    : leaf_(leaf.is_scalar() ? std::move(leaf) : contiguous(pool, leaf)), type_(type_of(leaf_)) {}

uint8_t told_followers(const Value& active) {
  const int64_t levels = active.i64();
  const bool is_refused = (levels & refused_follower) != 0;
  return static_cast<uint8_t>((levels & (cluster::refused - 1)) | (is_refused ? cluster::refused : 0));
}

bool is_alone(const Context& context, cluster::Operation operation, const Value& active) {
  require_no_part(context, operation);
  if (context.ranks->size() > 1) return false;
  if ((active.i64() & refused_follower) != 0)
    fail(message("ranks_gradient"), {std::string(cluster::name_of(operation))});
  return true;
}

cluster::Bytes LeafBytes::bytes() const {
  const size_t bytes = static_cast<size_t>(type_.shape.elements()) * size_of(type_.dtype);
  return {static_cast<const std::byte*>(data_of(leaf_)), bytes};
}

Value leaf_of(Pool& pool, const Type& type, cluster::Bytes bytes) {
  if (type.shape.empty()) return Value::scalar(type.dtype, bytes.data());
  Value leaf = make_tensor(pool, type.dtype, type.shape);
  if (!bytes.empty()) std::memcpy(leaf.tensor().data(), bytes.data(), bytes.size());
  return leaf;
}

Value view_of(Pool& pool, const Type& type, cluster::Bytes bytes) {
  return Tensor::share(pool, type.dtype, type.shape, const_cast<std::byte*>(bytes.data()), true, nullptr, nullptr);
}

std::string_view structure_text(const Value& structure) {
  return structure.is_none() ? std::string_view() : std::string_view(structure.string().text);
}

bool is_leaf_of_numbers(const Value& value) { return is_operand(value) || is_complex(value); }

uint64_t hash_of_leaf(const Type& type, std::string_view structure) {
  int64_t numbers[max_rank + 2] = {static_cast<int64_t>(type.dtype), type.shape.rank()};
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) numbers[axis + 2] = type.shape[axis].number();
  const size_t bytes = (type.shape.rank() + 2) * sizeof(int64_t);
  return cluster::hash_of({reinterpret_cast<const char*>(numbers), bytes}, cluster::hash_of(structure));
}

std::string words_of_leaf(const Type& type, std::string_view structure) {
  return structure.empty() ? type.text() : type.text() + " in " + std::string(structure);
}

}  // namespace covec::ops
