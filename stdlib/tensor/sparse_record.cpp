#include "stdlib/tensor/sparse_record.hpp"

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

const Value& field(const Value& value, std::string_view name) { return *value.record().find(name); }

const Value& extent(const Value& value, size_t axis) { return field(value, "shape").tuple().items[axis]; }

bool holds_tensor(const Value& value, std::string_view name) {
  const Value* found = value.record().find(name);
  return found != nullptr && is_operand(*found) && !is_boxed_symbol(*found);
}

// An integer, or what stands for one while a function is staged or a tape is open.
bool is_extent(const Value& value) {
  return value.is_integer() || ((value.is_symbol() || value.is_traced()) && !is_boxed_symbol(value));
}

bool has_shape(const Value& value) {
  const Value* shape = value.record().find("shape");
  if (shape == nullptr || !shape->is(ObjectKind::tuple)) return false;
  const std::vector<Value>& items = shape->tuple().items;
  return items.size() == 2 && is_extent(items[0]) && is_extent(items[1]);
}

constexpr size_t field_count = 4;  // data, indices, indptr, shape

}  // namespace

namespace {

bool has_pattern(const Value& value) {
  return value.is(ObjectKind::record) && value.record().items.size() == field_count && has_shape(value) &&
         holds_tensor(value, "indices") && holds_tensor(value, "indptr");
}

}  // namespace

bool is_sparse_matrix(const Value& value) { return has_pattern(value) && holds_tensor(value, "data"); }

bool is_complex_sparse_matrix(const Value& value) {
  if (!has_pattern(value)) return false;
  const Value* data = value.record().find("data");
  return data != nullptr && is_complex(*data);
}

SparseRecord::SparseRecord(const Value& value)
    : data(field(value, "data")),
      indices(field(value, "indices")),
      indptr(field(value, "indptr")),
      rows(extent(value, 0)),
      columns(extent(value, 1)) {}

std::string SparseRecord::text() const {
  const std::string dtype(name_of(logical_type(data).dtype));
  if (!rows.is_integer() || !columns.is_integer()) return "sparse " + dtype;
  return "sparse " + dtype + "[" + std::to_string(rows.integer()) + ", " + std::to_string(columns.integer()) + "]";
}

}  // namespace covec
