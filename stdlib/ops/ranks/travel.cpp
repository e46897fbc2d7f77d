#include "stdlib/ops/ranks/travel.hpp"

#include <cstring>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::ByteReader;
using cluster::ByteWriter;

enum class Form : uint8_t { none, number, tensor, string, tuple, list, record, map, complex, range };

constexpr unsigned deepest = 5000;  // as map_leaves

bool is_range(const Value& value) {
  return value.is(ObjectKind::sequence) && dynamic_cast<const Range*>(&value.sequence()) != nullptr;
}

Form form_of(const Value& value) {
  if (value.is_none()) return Form::none;
  if (value.is_scalar()) return Form::number;
  switch (value.object()->kind) {
    case ObjectKind::tensor: return Form::tensor;
    case ObjectKind::string: return Form::string;
    case ObjectKind::tuple: return Form::tuple;
    case ObjectKind::list: return Form::list;
    case ObjectKind::record: return Form::record;
    case ObjectKind::map: return Form::map;
    case ObjectKind::complex: return Form::complex;
    default: return Form::range;
  }
}

bool may_travel(const Value& leaf) {
  return leaf.is_none() || leaf.is_numeric() || leaf.is(ObjectKind::string) || is_range(leaf);
}

void put_tensor(ByteWriter& out, const Value& value) {
  const Tensor& tensor = value.tensor();
  out.put(tensor.dtype());
  out.put(static_cast<uint8_t>(tensor.rank()));
  const Shape shape = tensor.shape();
  for (unsigned axis = 0; axis < shape.rank(); ++axis) out.put(shape[axis].number());
  const Value dense = contiguous(tensor.pool(), value);
  out.put_raw(dense.tensor().data(), static_cast<size_t>(tensor.size()) * size_of(tensor.dtype()));
}

Value get_tensor(Pool& pool, ByteReader& in) {
  const auto dtype = in.get<Dtype>();
  const auto rank = in.get<uint8_t>();
  Shape shape;
  for (unsigned axis = 0; axis < rank; ++axis) shape.push_back(Dim(in.get<int64_t>()));
  Value value = make_tensor(pool, dtype, shape);
  const std::string_view bytes = in.raw(static_cast<size_t>(shape.elements()) * size_of(dtype));
  if (!bytes.empty()) std::memcpy(value.tensor().data(), bytes.data(), bytes.size());
  return value;
}

void put_names(ByteWriter& out, const Value& tree) {
  if (tree.is(ObjectKind::record)) {
    for (const std::string& name : tree.record().layout->names) out.put_text(name);
  } else if (tree.is(ObjectKind::map)) {
    for (const Value& key : map_of(tree).keys()) put_value(out, key);
  }
}

void put_children(ByteWriter& out, const Value& tree) {
  const std::vector<Value>& items = *children(tree);
  out.put(static_cast<uint64_t>(items.size()));
  put_names(out, tree);
  for (const Value& item : items) put_value(out, item);
}

std::vector<Value> get_items(Pool& pool, ByteReader& in, uint64_t count) {
  std::vector<Value> items;
  for (uint64_t i = 0; i < count; ++i) items.push_back(get_value(pool, in));
  return items;
}

Value get_tree(Pool& pool, ByteReader& in, Form form) {
  const auto count = in.get<uint64_t>();
  if (form == Form::record) {
    RecordLayout layout;
    for (uint64_t i = 0; i < count; ++i) layout.names.emplace_back(in.get_text());
    return make_record(std::make_shared<const RecordLayout>(std::move(layout)), get_items(pool, in, count));
  }
  if (form == Form::map) {
    std::vector<Value> keys = get_items(pool, in, count);
    return make_map(std::move(keys), get_items(pool, in, count));
  }
  std::vector<Value> items = get_items(pool, in, count);
  if (form == Form::tuple) return make_tuple(std::move(items));
  if (form == Form::list) return make_list(std::move(items));
  return make_complex(std::move(items.at(0)), std::move(items.at(1)));
}

Value get_range(ByteReader& in) {
  const auto start = in.get<int64_t>(), stop = in.get<int64_t>(), step = in.get<int64_t>();
  return make_range(start, stop, step);
}

std::string find_fixed(const Value& tree, unsigned depth) {
  if (depth > deepest) fail(message("too_deep"), {std::to_string(deepest)});
  if (tree.is_traced()) return "a value of a derivative or a vmap";
  if (!is_tree(tree)) return may_travel(tree) ? "" : "a " + describe(tree);
  for (const Value& child : *children(tree)) {
    if (std::string found = find_fixed(child, depth + 1); !found.empty()) return found;
  }
  return "";
}

}  // namespace

std::string fixed_leaf(const Value& tree) { return find_fixed(tree, 0); }

void fail_fixed(cluster::Operation operation, const std::string& leaf) {
  fail(message("ranks_fixed"), {std::string(cluster::name_of(operation)), leaf});
}

void put_value(ByteWriter& out, const Value& tree) {
  const Form form = form_of(tree);
  out.put(form);
  switch (form) {
    case Form::none: return;
    case Form::number:
      out.put(tree.scalar_dtype());
      return out.put_raw(tree.scalar_data(), size_of(tree.scalar_dtype()));
    case Form::tensor: return put_tensor(out, tree);
    case Form::string: return out.put_text(tree.string().text);
    case Form::range: {
      const auto& range = static_cast<const Range&>(tree.sequence());
      out.put(range.start);
      out.put(range.stop);
      return out.put(range.stride);
    }
    default: return put_children(out, tree);
  }
}

Value get_value(Pool& pool, ByteReader& in) {
  const auto form = in.get<Form>();
  switch (form) {
    case Form::none: return Value();
    case Form::number: {
      const auto dtype = in.get<Dtype>();
      return Value::scalar(dtype, in.raw(size_of(dtype)).data());
    }
    case Form::tensor: return get_tensor(pool, in);
    case Form::string: return make_string(std::string(in.get_text()));
    case Form::range: return get_range(in);
    default: return get_tree(pool, in, form);
  }
}

}  // namespace covec::ops
