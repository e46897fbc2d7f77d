#include "jit/passes/rows/row_group.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

void each_used(const Operation& operation, FunctionRef<void(Id)> f) {
  for (const Value& value : operation.args) each_symbol(value, f);
  for (const Value& value : operation.rest) each_symbol(value, f);
  for (const Region& inner : operation.regions) each_used(inner, f);
}
void each_used(const Region& region, FunctionRef<void(Id)> f) {
  for (const Operation& operation : region.operations) each_used(operation, f);
  for (const Value& value : region.results) each_symbol(value, f);
}

// --- sizes of broadcasts ---

namespace {

bool asks_for_one(const Operation& operation) {
  return operation.entry == &ops::handles().equal && is_symbol(operation.args[0]) &&
         operation.args[1].tag() == Tag::i64 && operation.args[1].i64() == 1;
}
bool chooses_size(const Graph& graph, const Operation& operation) {
  const ValueInfo& result = graph.values[operation.results[0]];
  return operation.entry == &ops::handles().where && !result.boxed && result.type == Type{Dtype::i64, {}};
}

}  // namespace

std::optional<RowSizes::Kind> RowSizes::kind_of(const Value& value) const {
  const auto found = is_symbol(value) ? kinds_.find(id_of(value)) : kinds_.end();
  return found == kinds_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<RowSizes::Kind> RowSizes::result_of(const Graph& graph, const Operation& operation,
                                                  FunctionRef<bool(const Value&)> is_length) const {
  const std::span<const Value> args = operation.args;
  if (asks_for_one(operation)) return has(args[0]) ? std::optional(Kind::is_one) : std::nullopt;
  if (!chooses_size(graph, operation) || !is_symbol(args[0])) return std::nullopt;
  if (kind_of(args[0]) == Kind::is_one) return has(args[2]) ? std::optional(Kind::size) : std::nullopt;
  const bool any = has(args[1]) || has(args[2]);
  return any && is_length(args[1]) && is_length(args[2]) ? std::optional(Kind::size) : std::nullopt;
}

// --- kinds of rows: sets of values, dimensions and numbers ---

namespace {

// Nodes that are no values.
constexpr uint64_t of_dimension = uint64_t{1} << 32, of_number = uint64_t{1} << 33;  // bits above those of an id

bool may_be_length(Dim dim) { return !dim.known() || (dim.number() >= shortest_row && dim.number() <= longest_row); }
bool is_change(const Operation& operation) {
  return operation.entry == &ops::handles().index_add || operation.entry == &ops::handles().index_update;
}
bool names_piece(const Graph& graph, const Operation& operation) {
  const bool change = is_change(operation);
  if (!change && operation.entry != &ops::handles().index_read) return false;
  const std::optional<RowPart> part = row_part(graph, operation, change ? 2 : 1);
  return part && part->is_piece();
}
bool has_size(const Operation& operation) {
  const ops::Handles& known = ops::handles();
  return operation.entry == &known.sum_to || operation.entry == &known.broadcast_to || operation.entry == &known.zeros;
}

}  // namespace

RowKinds::RowKinds(const Graph& graph, const std::vector<Operation*>& operations) : graph_(graph) {
  for (const Operation* operation : operations) join(*operation);
}

void RowKinds::join(const Operation& operation) {
  if (operation.kind == Kind::dimension && type_in(graph_, operation.args[0]).shape.rank() == 1)
    return join(node_of(graph_.symbol(operation.results[0])), node_of(operation.args[0]));
  if (operation.kind != Kind::apply || operation.results.size() != 1) return;
  if (chooses_size(graph_, operation)) {
    const std::optional<uint64_t> size = node_of(graph_.symbol(operation.results[0]));
    join(size, node_of(operation.args[1]));
    return join(size, node_of(operation.args[2]));
  }
  const bool known = operation.entry->pointwise != nullptr || operation.entry == &ops::handles().index_read ||
                     is_change(operation) || has_size(operation);
  if (!known) return;
  const std::optional<uint64_t> result = node_of(graph_.symbol(operation.results[0]));
  if (names_piece(graph_, operation)) return join(result, is_change(operation) ? node_of(operation.args[0]) : result);
  for (const Value& arg : operation.args) join(result, node_of(arg));
  if (has_size(operation) && !operation.rest.empty()) join(result, node_of(operation.rest.back()));
}

// A tensor has the kind of its last axis.
std::optional<uint64_t> RowKinds::node_of(const Value& value) {
  if (!is_symbol(value)) {
    if (value.tag() == Tag::i64 && may_be_length(Dim(value.i64()))) return of_number | value.i64();
    if (!value.is_tensor() || logical_type(value).shape.rank() != 1) return std::nullopt;
    return node_of(Value(logical_type(value).shape[0].number()));
  }
  const ValueInfo& info = graph_.values[id_of(value)];
  if (info.boxed) return std::nullopt;
  if (info.type.shape.empty())
    return info.type.dtype == Dtype::i64 ? std::optional<uint64_t>(id_of(value)) : std::nullopt;
  const Dim dim = info.type.shape[info.type.shape.rank() - 1];
  if (!may_be_length(dim)) return std::nullopt;
  join(uint64_t{id_of(value)}, dim.known() ? of_number | dim.number() : of_dimension | dim.id());
  return id_of(value);
}

void RowKinds::join(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  if (!a || !b) return;
  const uint64_t left = root(*a), right = root(*b);
  if (left != right) parents_[left] = right;
}
uint64_t RowKinds::root(uint64_t node) const {
  for (auto found = parents_.find(node); found != parents_.end(); found = parents_.find(node)) node = found->second;
  return node;
}

std::optional<uint64_t> RowKinds::kind_of(const Operation& operation) const {
  const Value* value = nullptr;
  Value result;
  if (operation.kind == Kind::push || operation.kind == Kind::dimension) value = &operation.args[0];
  const bool changes_piece = operation.kind == Kind::apply && is_change(operation) && names_piece(graph_, operation);
  if ((operation.kind == Kind::apply || operation.kind == Kind::pop) && operation.results.size() == 1) {
    result = graph_.symbol(operation.results[0]);
    value = &result;
  }
  if (changes_piece) value = &operation.args[1];  // its length, not the tensor's
  if (operation.kind == Kind::apply && asks_for_one(operation)) return root(id_of(operation.args[0]));
  if (operation.kind == Kind::apply && chooses_size(graph_, operation)) return root(id_of(*value));
  if (value == nullptr || !is_symbol(*value) || type_in(graph_, *value).shape.empty()) return std::nullopt;
  return root(id_of(*value));
}

// --- groups ---

bool RowGroup::add(const Operation& operation, const Ids& needed_elsewhere) {
  new_lengths_.clear();
  const std::optional<Role> role = role_of(operation, needed_elsewhere);
  if (!role || !agree()) return false;
  lengths_.insert(lengths_.end(), new_lengths_.begin(), new_lengths_.end());
  members_.push_back({&operation, *role});
  fails_ |= operation.kind == Kind::apply && is_ordered(graph_, operation);
  if (!operation.results.empty()) note_result(operation, *role);
  return true;
}

int64_t RowGroup::rows_of(Id id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? 0 : found->second;
}
std::optional<size_t> RowGroup::chain_of(Id id) const {
  const auto found = chain_of_.find(id);
  if (found == chain_of_.end()) return std::nullopt;
  return found->second;
}

bool RowGroup::plain(const Value& value) const {
  const bool is_plain = is_symbol(value) ? !graph_.values[id_of(value)].boxed : value.is_tensor() || value.is_scalar();
  return is_plain && !is_narrow(type_in(graph_, value).dtype);
}
bool RowGroup::is_made(const Value& value) const { return is_symbol(value) && rows_of(id_of(value)) > 0; }

bool RowGroup::is_row(const Value& value) {
  if (is_made(value)) return type_in(graph_, value).shape.rank() == 1;
  return plain(value) && type_in(graph_, value).shape.rank() == 1 && needs(value, 0);
}

bool RowGroup::needs(const Value& tensor, unsigned axis) {
  const Dim dim = type_in(graph_, tensor).shape[axis];
  if (!may_be_length(dim)) return false;
  new_lengths_.push_back({tensor, axis, dim});
  return true;
}
bool RowGroup::needs_piece(const Value& tensor, const RowPart& part) {
  const unsigned axis = type_in(graph_, tensor).shape.rank() - 1;
  const bool known = part.stop && !is_symbol(*part.stop) && (!part.start || !is_symbol(*part.start));
  const Dim dim = known ? Dim(part.stop->i64() - (part.start ? part.start->i64() : 0)) : Dim::symbol(0);
  if (known && (part.stop->i64() < 0 || !may_be_length(dim))) return false;
  new_lengths_.push_back({tensor, axis, dim, part.start, part.stop});
  return true;
}
bool RowGroup::needs_number(const Value& number) {
  if (sizes_.has(number)) return true;
  if (is_symbol(number)) {
    if (!is_number(graph_, number)) return false;
    new_lengths_.push_back({number, std::nullopt, Dim::symbol(0)});
    return true;
  }
  if (number.tag() != Tag::i64 || !may_be_length(Dim(number.i64()))) return false;
  new_lengths_.push_back({number, std::nullopt, Dim(number.i64())});
  return true;
}
// Known lengths are one.
bool RowGroup::agree() {
  std::optional<int64_t> known = known_;
  for (const Length& each : new_lengths_) {
    if (!each.dim.known()) continue;
    if (known && *known != each.dim.number()) return false;
    known = each.dim.number();
  }
  known_ = known;
  return true;
}

std::optional<RowGroup::Role> RowGroup::role_of(const Operation& operation, const Ids& needed_elsewhere) {
  if (operation.kind == Kind::push || operation.kind == Kind::pop) return role_on_stack(operation);
  if (operation.kind == Kind::dimension) return role_of_extent(operation);
  if (operation.kind != Kind::apply || operation.results.size() != 1) return std::nullopt;
  const ValueInfo& result = graph_.values[operation.results[0]];
  if (result.boxed || is_narrow(result.type.dtype)) return std::nullopt;
  if (result.type.shape.empty()) {
    const auto size = sizes_.result_of(graph_, operation, [&](const Value& value) { return needs_number(value); });
    if (!size) return std::nullopt;
    return *size == RowSizes::Kind::size ? Role::extent : Role::differs;
  }
  if (operation.entry == &ops::handles().index_read) return role_of_read(operation);
  if (is_change(operation)) return role_of_change(operation, needed_elsewhere);
  if (operation.entry == &ops::handles().zeros) return role_of_zeros(operation);
  if (has_size(operation)) return role_of_size(operation);
  if (result.type.shape.rank() != 1) return std::nullopt;
  if (works_by_element(graph_, operation, [&](const Value& value) { return is_row(value); })) return Role::compute;
  return std::nullopt;
}

// Of a row that would have to be kept for it.
std::optional<RowGroup::Role> RowGroup::role_of_extent(const Operation& operation) {
  if (!is_made(operation.args[0]) || !is_row(operation.args[0])) return std::nullopt;
  return Role::extent;
}

std::optional<RowGroup::Role> RowGroup::role_on_stack(const Operation& operation) {
  if (!stacks_.contains(operation.number)) return std::nullopt;
  if (operation.kind == Kind::push) {
    const Value& row = operation.args[0];
    return is_symbol(row) && is_row(row) ? std::optional(Role::push) : std::nullopt;
  }
  const Value row = graph_.symbol(operation.results[0]);
  if (!plain(row) || type_in(graph_, row).shape.rank() != 1) return std::nullopt;
  const Dim dim = type_in(graph_, row).shape[0];
  if (!may_be_length(dim)) return std::nullopt;
  if (dim.known()) new_lengths_.push_back({Value(dim.number()), std::nullopt, dim});
  return Role::pop;
}

// A constant index of a row of a block that a member makes.
bool RowGroup::names_row_of_block(const Operation& operation, size_t spec) const {
  if (!names_part(graph_, operation, spec, 1) || operation.rest.size() != 1 || is_symbol(operation.rest[0]))
    return false;
  const int64_t rows = rows_of(id_of(operation.args[0])), at = operation.rest[0].i64();
  return at >= -rows && at < rows;
}
// How many rows a part of a tensor has that an operation names; 0: it names none.
int64_t RowGroup::rows_of_part(const Operation& operation, size_t spec) {
  const Value& tensor = operation.args[0];
  if (operation.rest.empty() || !is_symbol(tensor) || !plain(tensor)) return 0;
  const Shape shape = type_in(graph_, tensor).shape;
  const unsigned rank = shape.rank();
  const std::optional<size_t> chain = chain_of(id_of(tensor));
  const std::optional<RowPart> part = row_part(graph_, operation, spec);
  if (!part || part->at.empty()) return 0;
  const Value& base = chain ? chains_[*chain].base : tensor;
  if (part->is_piece() ? !needs_piece(base, *part) : !needs(base, rank - 1)) return 0;
  if (part->axes == 1) return 1;
  if (part->axes != 2 || part->is_piece()) return 0;
  const Dim rows = shape[rank - 2];
  return rows.known() && rows.number() <= largest_block ? rows.number() : 0;
}
// As it is after all changes so far.
bool RowGroup::is_latest(const Value& tensor) const {
  const std::optional<size_t> chain = chain_of(id_of(tensor));
  return !chain || chains_[*chain].latest == id_of(tensor);
}

std::optional<RowGroup::Role> RowGroup::role_of_read(const Operation& operation) {
  if (is_made(operation.args[0])) {
    if (!names_row_of_block(operation, 1)) return std::nullopt;
    return Role::pick;
  }
  if (rows_of_part(operation, 1) == 0 || !is_latest(operation.args[0])) return std::nullopt;
  return Role::read;
}

std::optional<RowGroup::Role> RowGroup::role_of_change(const Operation& operation, const Ids& needed_elsewhere) {
  if (operation.args.size() != 3) return std::nullopt;
  const Value &base = operation.args[0], &value = operation.args[1];
  if (!plain(value) || type_in(graph_, value).dtype != type_in(graph_, base).dtype) return std::nullopt;
  const auto fits = [&] { return is_number(graph_, value) || is_row(value); };
  if (is_made(base)) {
    if (!names_row_of_block(operation, 2) || !fits()) return std::nullopt;
    return Role::put;
  }
  const int64_t rows = rows_of_part(operation, 2);
  if (rows == 0 || !is_latest(base) || needed_elsewhere.contains(id_of(base))) return std::nullopt;
  const bool of_block = row_part(graph_, operation, 2)->axes == 2;
  const bool is_block = is_made(value) && type_in(graph_, value).shape.rank() == 2 && rows_of(id_of(value)) == rows;
  if (of_block ? !is_block : !fits()) return std::nullopt;
  return Role::change;
}

std::optional<RowGroup::Role> RowGroup::role_of_size(const Operation& operation) {
  const bool one_size = operation.rest.size() == 1 && operation.args.size() == 2 && operation.args[1].is_none();
  if (!one_size || !needs_number(operation.rest[0])) return std::nullopt;
  const Value& x = operation.args[0];
  if (!plain(x) || type_in(graph_, x).dtype != graph_.values[operation.results[0]].type.dtype) return std::nullopt;
  if (is_row(x)) return Role::same;
  if (operation.entry == &ops::handles().broadcast_to && is_number(graph_, x)) return Role::fill;
  return std::nullopt;
}
std::optional<RowGroup::Role> RowGroup::role_of_zeros(const Operation& operation) {
  const std::vector<Value>& sizes = operation.rest;
  if (sizes.empty() || sizes.size() > 2 || !operation.args[0].is_none() || !needs_number(sizes.back()))
    return std::nullopt;
  if (sizes.size() == 1) return Role::fill;
  const bool few = sizes[0].tag() == Tag::i64 && sizes[0].i64() >= 1 && sizes[0].i64() <= largest_block;
  return few ? std::optional(Role::fill) : std::nullopt;
}

namespace {

bool same(const Value& a, const Value& b) {
  if (is_symbol(a) != is_symbol(b)) return false;
  return is_symbol(a) ? id_of(a) == id_of(b) : a.i64() == b.i64();
}

}  // namespace

std::vector<RowGroup::IndexToCheck> RowGroup::indices_to_check() const {
  std::vector<IndexToCheck> found;
  for (const Member& member : members_) {
    if (member.role != Role::read && member.role != Role::change) continue;
    const Operation& operation = *member.operation;
    const Shape shape = type_in(graph_, operation.args[0]).shape;
    const std::optional<size_t> chain = chain_of(id_of(operation.args[0]));
    const RowPart part = *row_part(graph_, operation, operation.args.size() - 1);
    for (unsigned axis = 0; axis < part.at.size(); ++axis) {
      const Value& index = part.at[axis];
      const Dim extent = shape[axis];
      const bool known = extent.known() && !is_symbol(index);
      if (known && index.i64() >= -extent.number() && index.i64() < extent.number()) continue;
      const IndexToCheck check{chain ? chains_[*chain].base : operation.args[0], axis, extent, index};
      const auto equal = [&](const IndexToCheck& other) { return other.extent == extent && same(other.index, index); };
      if (std::ranges::none_of(found, equal)) found.push_back(check);
    }
  }
  return found;
}

std::vector<std::vector<Value>> RowGroup::places_of_pieces() const {
  std::vector<std::vector<Value>> places(chains_.size());
  for (const Member& member : members_) {
    if (member.role != Role::read && member.role != Role::change) continue;
    const Operation& operation = *member.operation;
    const std::optional<size_t> chain = chain_of(id_of(operation.args[0]));
    if (!chain) continue;
    const Value start = row_part(graph_, operation, operation.args.size() - 1)->start.value_or(Value(int64_t{0}));
    const auto equal = [&](const Value& other) { return same(other, start); };
    if (std::ranges::none_of(places[*chain], equal)) places[*chain].push_back(start);
  }
  return places;
}

void RowGroup::note_result(const Operation& operation, Role role) {
  const Id result = operation.results[0];
  if (role == Role::extent) return sizes_.add(result, RowSizes::Kind::size);
  if (role == Role::differs) return sizes_.add(result, RowSizes::Kind::is_one);
  if (role == Role::change) return note_version(operation.args[0], result);
  const Shape shape = graph_.values[result].type.shape;
  rows_[result] = shape.rank() == 2 ? shape[0].number() : 1;
}
void RowGroup::note_version(const Value& tensor, Id result) {
  const auto [found, fresh] = chain_of_.try_emplace(id_of(tensor), chains_.size());
  const size_t chain = found->second;
  if (fresh) chains_.push_back({tensor, id_of(tensor)});
  chains_[chain].latest = result;
  chain_of_.emplace(result, chain);
}

}  // namespace covec::passes
