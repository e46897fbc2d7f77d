#include "jit/passes/analysis/index_sums.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned max_terms = 16;  // operations that an index is made by

class Adding {
 public:
  Adding(const Graph& graph, const Makers& makers, FunctionRef<bool(Id)> stands)
      : graph_(graph), makers_(makers), stands_(stands) {}

  bool add_to(IndexSum& sum, const Value& number, uint64_t factor) {
    if (!is_number_of(graph_, number, Dtype::i64) || ++terms_ > max_terms) return false;
    if (!is_symbol(number)) {
      sum.constant += factor * static_cast<uint64_t>(number.i64());
      return true;
    }
    const Id id = id_of(number);
    const auto maker = makers_.find(id);
    if (maker == makers_.end() || stands_(id)) {
      sum.add({{{id, 1}}, 0}, factor);
      return true;
    }
    if (maker->second == nullptr || maker->second->kind != Kind::apply) return false;
    const Operation& made = *maker->second;
    const ops::Handles& known = ops::handles();
    const auto& args = made.args;
    if (made.entry == &known.add) return add_to(sum, args[0], factor) && add_to(sum, args[1], factor);
    if (made.entry == &known.subtract) return add_to(sum, args[0], factor) && add_to(sum, args[1], 0 - factor);
    if (made.entry == &known.negate) return add_to(sum, args[0], 0 - factor);
    if (made.entry != &known.multiply) return false;
    const size_t other = is_symbol(args[0]) ? 0 : 1;
    if (is_symbol(args[1 - other]) || !is_number_of(graph_, args[1 - other], Dtype::i64)) return false;
    return add_to(sum, args[other], factor * static_cast<uint64_t>(args[1 - other].i64()));
  }

 private:
  const Graph& graph_;
  const Makers& makers_;
  FunctionRef<bool(Id)> stands_;
  unsigned terms_ = 0;
};

}  // namespace

void IndexSum::add(const IndexSum& other, uint64_t factor) {
  for (const auto& [id, count] : other.times) {
    if ((times[id] += count * factor) == 0) times.erase(id);
  }
  constant += other.constant * factor;
}

bool is_number_of(const Graph& graph, const Value& value, Dtype dtype) {
  if (is_symbol(value) && graph.values[id_of(value)].boxed) return false;
  if (!is_symbol(value) && !value.is_scalar()) return false;
  const Type type = type_in(graph, value);
  return type.dtype == dtype && type.shape.empty();
}

bool names_element(const Graph& graph, const Operation& operation, size_t spec) {
  if (operation.kind != Kind::apply || operation.args.size() <= spec || !is_symbol(operation.args[0])) return false;
  const ValueInfo& tensor = graph.values[id_of(operation.args[0])];
  if (tensor.boxed || tensor.type.shape.rank() != operation.rest.size() || operation.rest.empty()) return false;
  const ops::IndexSpec items(operation.args[spec].i64());
  if (items.items() != operation.rest.size()) return false;
  for (unsigned i = 0; i < items.items(); ++i) {
    if (items.item(i) != ops::IndexSpec::Item::at) return false;
  }
  return std::ranges::all_of(operation.rest,
                             [&](const Value& index) { return is_number_of(graph, index, Dtype::i64); });
}

std::optional<IndexSum> index_sum(const Graph& graph, const Makers& makers, const Value& number,
                                  FunctionRef<bool(Id)> stands) {
  IndexSum sum;
  return Adding(graph, makers, stands).add_to(sum, number, 1) ? std::optional(sum) : std::nullopt;
}

Value write_sum(Graph& graph, const IndexSum& sum, uint32_t place, std::vector<Operation>& to) {
  const ops::Handles& known = ops::handles();
  const auto apply = [&](const ops::Entry& entry, Value a, Value b) {
    Operation operation;
    operation.entry = &entry;
    operation.args = {std::move(a), std::move(b)};
    operation.place = place;
    operation.results = {graph.add(Type{Dtype::i64, {}})};
    to.push_back(operation);
    return graph.symbol(operation.results[0]);
  };
  Value made(static_cast<int64_t>(sum.constant));
  for (const auto& [id, count] : sum.times) {
    const Value symbol = graph.symbol(id);
    if (count == ~uint64_t{0}) {
      made = apply(known.subtract, made, symbol);
      continue;
    }
    const Value term = count == 1 ? symbol : apply(known.multiply, symbol, Value(static_cast<int64_t>(count)));
    made = is_symbol(made) || made.i64() != 0 ? apply(known.add, made, term) : term;
  }
  return made;
}

}  // namespace covec::passes
