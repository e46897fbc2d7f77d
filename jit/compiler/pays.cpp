// Going to the interpreter for a statement and coming back costs more than the statement does; what is compiled around
// it must make up for that. A loop always does. The rest is weighed by what each operation costs less than interpreted,
// in nanoseconds; values were measured on small operands, where it matters.
#include "jit/compiler/pays.hpp"

#include <algorithm>

namespace covec::jit {

namespace {

constexpr int64_t of_number = 10, of_tensor = 30, of_text = -80, of_statement = -130;
constexpr int64_t of_loop = 1'000'000, of_pass = 20;
constexpr int64_t of_call = -25;  // from the interpreter, against that of a function that it runs itself
constexpr int64_t of_look = -2;   // at each thing that goes in
constexpr int64_t few_looks = 32;
constexpr int64_t elements_in_ns = 8;  // a pass over memory that is saved

int64_t gain(const ir::Graph& graph, const ir::Region& region, int64_t elements);

// Of known number: less than that of a loop of any.
int64_t gain_of_passes(const ir::Graph& graph, const ir::Operation& loop, int64_t elements) {
  const int64_t pass = of_pass + std::max<int64_t>(0, gain(graph, loop.regions[0], elements));
  const int64_t most = of_loop / pass;
  return pass * std::clamp<int64_t>(loop.args[0].i64(), 0, most);
}

// elements: of a tensor.
int64_t gain(const ir::Graph& graph, const ir::Operation& operation, int64_t elements) {
  switch (operation.kind) {
    case ir::Kind::for_:
      if (operation.args[0].is_scalar()) return gain_of_passes(graph, operation, elements);
      return of_loop;
    case ir::Kind::while_:
    case ir::Kind::itself: return of_loop;
    case ir::Kind::interpret: return of_statement;
    case ir::Kind::if_:
      return std::max(gain(graph, operation.regions[0], elements), gain(graph, operation.regions[1], elements));
    case ir::Kind::apply: break;
    default: return 0;
  }
  const auto& result = graph.values[operation.results[0]];
  if (result.list) return 0;
  if (result.boxed) return of_text;
  return result.type.shape.empty() ? of_number : of_tensor + elements / elements_in_ns;
}

int64_t gain(const ir::Graph& graph, const ir::Region& region, int64_t elements) {
  int64_t sum = 0;
  for (const ir::Operation& operation : region.operations) sum += gain(graph, operation, elements);
  return sum;
}

bool holds_tensors(const ir::Region& region, const ir::Graph& graph) {
  const auto is_tensor = [&](ir::Id id) { return !graph.values[id].boxed && !graph.values[id].type.shape.empty(); };
  return std::any_of(region.operations.begin(), region.operations.end(), [&](const ir::Operation& operation) {
    return std::any_of(operation.results.begin(), operation.results.end(), is_tensor) ||
           std::any_of(operation.regions.begin(), operation.regions.end(),
                       [&](const ir::Region& inner) { return holds_tensors(inner, graph); });
  });
}

constexpr uint32_t few = 3;  // operators

// Few operators on numbers and lists of them alone, at least one of them left; what staging has done at once the
// interpreter would do at each call.
bool is_of_few_numbers(const ir::Graph& graph) {
  const auto numbers = [&](ir::Id id) {
    const ir::ValueInfo& info = graph.values[id];
    return (!info.boxed || info.list) && info.type.shape.empty();
  };
  const auto of_numbers = [&](const ir::Operation& operation) {
    return std::ranges::all_of(operation.results, numbers) &&
           std::ranges::none_of(operation.args, [](const Value& arg) { return arg.is_tensor(); });
  };
  return graph.applied <= few && !graph.body.operations.empty() &&
         std::ranges::all_of(graph.body.parameters, numbers) && std::ranges::all_of(graph.body.operations, of_numbers);
}

}  // namespace

// How much tensors gain depends on their sizes: with them around, text alone is no reason.
Pays pays(const ir::Graph& graph, const Given& given) {
  const int64_t all = gain(graph, graph.body, 0);
  const int64_t looks = given.looked_at > few_looks ? of_look * given.looked_at : 0;
  const bool too_much = looks < 0 && gain(graph, graph.body, given.elements) + of_call + looks < 0;
  if (!graph.unstaged.empty()) return all > 0 && !too_much ? Pays::yes : Pays::no;
  if (too_much) return Pays::too_much;
  if (all + of_call < 0 && !given.texts && is_of_few_numbers(graph)) return Pays::too_little;
  return all >= 0 || holds_tensors(graph.body, graph) ? Pays::yes : Pays::no;
}

}  // namespace covec::jit
