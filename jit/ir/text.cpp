// Reads a graph from its text, for tests and for people who try a pass. Some parts are not in the text and stay empty:
// source places, frames, the serial numbers of regions. Other parts are shown but cannot be read back: functions other
// than operators, large constants, statements for the interpreter. The parser refuses these with their line.
//
// The trade-off: a value keeps its number, so a number that the text skips is a value that nothing defines. Start at
// Parser::run; the grammar is print.cpp's.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "jit/ir/graph.hpp"
#include "jit/ir/graph_text.hpp"
#include "jit/ir/lexer.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

// The tensors of parsed text lie in a pool of their own, which lives as long as they do.
struct OwnPool {
  Pool* pool = Pool::create();
  OwnPool() = default;
  OwnPool(const OwnPool&) = delete;
  OwnPool& operator=(const OwnPool&) = delete;
  ~OwnPool() { pool->release(); }
};

class Parser {
 public:
  Parser(std::string_view text, std::span<const ops::Entry* const> more) : text_(text), more_(more) {
    graph_.places.emplace_back();
  }

  Graph run() {
    text_.expect("function");
    name();
    text_.expect("(");
    parameters();
    text_.expect(")");
    text_.expect("{");
    operations(graph_.body, "return");
    text_.expect("}");
    if (!text_.at_end()) text_.fail("something follows the function");
    return std::move(graph_);
  }

 private:
  // Ends where the parameters begin: a name may have parentheses of its own, grad(f).
  void name() { graph_.name = text_.until({"(%", "() {", "\n"}); }
  Id id() {
    text_.expect("%");
    return id_of_number(text_.whole());
  }
  Id id_of_number(int64_t number) {
    if (number < 0 || number > 1000000) text_.fail("that is no value");
    while (graph_.values.size() <= static_cast<size_t>(number)) graph_.values.emplace_back();
    return static_cast<Id>(number);
  }

  // --- types ---

  Dim dimension(const DimExpression& expression) {
    for (uint32_t d = 0; d < graph_.dims.size(); ++d) {
      if (graph_.dims[d] == expression) return Dim::symbol(d);
    }
    graph_.dims.push_back(expression);
    return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
  }
  Dim dim(Id of, uint32_t axis) {
    using enum DimExpression::Kind;
    if (text_.accept("(")) {
      const Dim left = dim(of, axis);
      const auto kind = text_.accept("+")                ? add
                        : text_.accept("*")              ? multiply
                        : text_.accept("saturating_sub") ? saturating_sub
                                                         : broadcast;
      if (kind == broadcast) text_.expect("|");
      const Dim right = dim(of, axis);
      text_.expect(")");
      return dimension({kind, 0, 0, left, right});
    }
    if (text_.next_is_number()) return Dim(text_.whole());
    if (text_.accept("…")) text_.fail("a size that is cut short is not in the text");
    if (!text_.next_is_word()) text_.fail("expected a size, not " + text_.found());
    const std::string name = text_.word();
    if (name == "_") return dimension({axis_of, of, axis, 0, 0});
    const Id value = value_in_size(name);
    if (!text_.accept(".")) return dimension({number, value, 0, 0, 0});
    return dimension({axis_of, value, static_cast<uint32_t>(text_.whole()), 0, 0});
  }
  // `v3`, or a parameter by its name.
  Id value_in_size(const std::string& name) {
    if (is_reserved_in_size(name)) return id_of_number(std::strtoll(name.c_str() + 1, nullptr, 10));
    if (!has_names_) return 0;
    const auto is_called = [&](Id id) { return graph_.values[id].name == name; };
    const auto& all = graph_.body.parameters;
    const auto first = std::ranges::find_if(all, is_called);
    if (first == all.end()) text_.fail("no parameter is called " + name);
    if (std::find_if(first + 1, all.end(), is_called) != all.end()) text_.fail("several parameters are called " + name);
    return *first;
  }
  Dtype dtype(const std::string& name) const {
    for (const Dtype d : all_dtypes) {
      if (name_of(d) == name) return d;
    }
    text_.fail("no dtype is called " + name);
  }
  Type type(Id of) {
    Type result{dtype(text_.word()), {}};
    if (!text_.accept("[")) return result;
    for (uint32_t axis = 0; !text_.accept("]"); ++axis) {
      if (axis > 0) text_.expect(",");
      result.shape.push_back(dim(of, axis));
    }
    return result;
  }

  // Of a list's items: their sizes say nothing.
  Type item_type() {
    Type result{dtype(text_.word()), {}};
    if (!text_.accept("[")) return result;
    do {
      text_.expect("_");
      result.shape.push_back(Dim(0));
    } while (text_.accept(","));
    text_.expect("]");
    return result;
  }

  // Twice: the first time for the names, as a size may refer to a parameter that comes later.
  void parameters() {
    const size_t start = text_.place();
    graph_.body.parameters = definitions(")", true);
    has_names_ = true;
    text_.go_to(start);
    graph_.dims.clear();
    graph_.body.parameters = definitions(")", true);
  }
  std::vector<Id> definitions(std::string_view end, bool with_names = false) {
    std::vector<Id> ids;
    while (!text_.next_is(end)) {
      if (!ids.empty()) text_.expect(",");
      ids.push_back(id());
      text_.expect(":");
      ValueInfo info;
      info.list = text_.accept("list");
      info.boxed = info.list || text_.accept("any");
      if (info.list) info.type = item_type();
      if (!info.boxed) info.type = type(ids.back());
      if (with_names && !text_.next_is(",") && !text_.next_is(end)) info.name = text_.word();
      graph_.values[ids.back()] = std::move(info);
    }
    return ids;
  }

  // --- values ---

  Value number(Dtype of) {
    if (of == Dtype::boolean) {
      if (text_.accept("true")) return Value(true);
      text_.expect("false");
      return Value(false);
    }
    return is_float(of) ? Value::number(of, text_.real()) : Value::number(of, text_.whole());
  }
  Value value() {
    if (text_.next_is("%")) return graph_.symbol(id());
    if (text_.next_is("\"")) return make_string(text_.string());
    if (text_.accept("(")) return make_tuple(items(")"));
    if (text_.next_is("{")) return record();
    const std::string name = text_.word();
    if (name == "none") return Value();
    if (name == "unbound") return Value::unbound();
    if (name == "constant") return constant();
    if (name == "fn") return function();
    if (!text_.accept("(")) text_.fail("no value is written " + name);
    if (name == "list") return make_list(items(")"));
    const Value result = number(dtype(name));
    text_.expect(")");
    return result;
  }
  std::vector<Value> items(std::string_view end) {
    std::vector<Value> result;
    while (!text_.accept(end)) {
      if (!result.empty()) text_.expect(",");
      result.push_back(value());
    }
    return result;
  }
  Value record() {
    text_.expect("{");
    const auto layout = std::make_shared<RecordLayout>();
    std::vector<Value> fields;
    while (!text_.accept("}")) {
      if (!fields.empty()) text_.expect(",");
      layout->names.push_back(text_.word());
      text_.expect(":");
      fields.push_back(value());
    }
    return make_record(layout, std::move(fields));
  }
  Value constant() {
    const Type of = type(0);
    if (!of.shape.known() || of.shape.empty()) text_.fail("a constant's sizes are numbers");
    if (!text_.accept("{")) text_.fail("a constant of " + of.text() + " is too large for the text");
    Value result = make_tensor(*pool_.pool, of.dtype, of.shape);
    for (int64_t i = 0; i < of.shape.elements(); ++i) {
      if (i > 0) text_.expect(",");
      const Value element = number(of.dtype);
      const size_t width = size_of(of.dtype);
      std::memcpy(result.tensor().data() + static_cast<size_t>(i) * width, element.scalar_data(), width);
    }
    text_.expect("}");
    return result;
  }
  Value function() {
    const std::string name = text_.word();
    const ops::Entry* entry = ops::find_entry(name);
    if (entry == nullptr || text_.next_is("<")) text_.fail("the function " + name + " is not in the text");
    return ops::function_of(*entry);
  }

  // --- operations ---

  void operations(Region& region, std::string_view end) {
    while (!text_.accept(end)) region.operations.push_back(operation());
    while (!text_.next_is("}")) {
      if (!region.results.empty()) text_.expect(",");
      region.results.push_back(value());
    }
  }

  Operation operation() {
    Operation result;
    if (text_.next_is("%")) {
      result.results = definitions("=");
      text_.expect("=");
    }
    head(result);
    arguments(result);
    while (text_.accept("(")) {
      Region region;
      region.parameters = definitions(")");
      text_.expect(")");
      text_.expect("{");
      operations(region, "give");
      text_.expect("}");
      if (result.kind == Kind::recursion) region.serial = static_cast<uint32_t>(result.number);
      result.regions.push_back(std::move(region));
    }
    return result;
  }

  const ops::Entry* find_entry(const std::string& name) const {
    const auto found = std::ranges::find(more_, name, &ops::Entry::name);
    return found == more_.end() ? ops::find_entry(name) : *found;
  }

  void head(Operation& operation) {
    static const std::map<std::string, Kind> kinds = {{"dimension", Kind::dimension},
                                                      {"undefined", Kind::undefined},
                                                      {"box", Kind::box},
                                                      {"unbox", Kind::unbox},
                                                      {"if", Kind::if_},
                                                      {"for", Kind::for_},
                                                      {"while", Kind::while_},
                                                      {"call", Kind::call},
                                                      {"itself", Kind::itself},
                                                      {"recursion", Kind::recursion},
                                                      {"invoke", Kind::invoke},
                                                      {"push", Kind::push},
                                                      {"pop", Kind::pop},
                                                      {"pause", Kind::pause}};
    const std::string name = text_.word();
    if (name == "interpret") text_.fail("statements for the interpreter are not in the text");
    const auto kind = kinds.find(name);
    if (kind == kinds.end()) {
      operation.entry = find_entry(name);
      if (operation.entry == nullptr) text_.fail("no operator is called " + name);
      return;
    }
    operation.kind = kind->second;
    if (!text_.accept(".")) return;
    if (text_.accept("exits")) {
      operation.exits = true;
      return;
    }
    operation.number = text_.whole();
    graph_.calls_itself |= operation.kind == Kind::itself;
    const bool stack = operation.kind == Kind::push || operation.kind == Kind::pop;
    if (stack) graph_.stacks = std::max(graph_.stacks, static_cast<uint32_t>(operation.number) + 1);
  }

  void arguments(Operation& operation) {
    text_.expect("(");
    std::optional<ops::IndexSpec> spec;
    while (!text_.next_is(")") && !text_.next_is(";")) {
      if (!operation.args.empty()) text_.expect(",");
      operation.args.push_back(value());
      if (text_.next_is("[")) {
        check_takes_index(operation);
        spec = index(operation.rest);
      }
      if (text_.accept("'")) operation.literals |= 1u << (operation.args.size() - 1);
    }
    if (spec) {
      text_.expect(")");
      insert_index(operation, *spec);
    } else if (text_.accept(";")) {
      operation.rest = items(")");
    } else {
      text_.expect(")");
    }
  }

  // --- indices ---

  void check_takes_index(const Operation& operation) const {
    if (operation.kind != Kind::apply) text_.fail("only entries take an index");
    const std::string name(operation.entry->name);
    if (!index_parameter(*operation.entry)) text_.fail(name + " takes no index");
    if (operation.args.size() != 1) text_.fail("the index of " + name + " stands behind its first operand");
  }
  void insert_index(Operation& operation, ops::IndexSpec spec) const {
    const size_t operands = operation.entry->parameters.size() - 1;
    if (operation.args.size() != operands) {
      text_.fail(std::string(operation.entry->name) + " takes an index and " + std::to_string(operands) +
                 (operands == 1 ? " operand" : " operands"));
    }
    const size_t at = *index_parameter(*operation.entry);
    operation.args.insert(operation.args.begin() + static_cast<ptrdiff_t>(at), Value(spec.packed()));
    const uint32_t before = (1u << at) - 1;  // the literals before it, and those that it has moved
    operation.literals = (operation.literals & before) | (operation.literals & ~before) << 1;
  }

  ops::IndexSpec index(std::vector<Value>& values) {
    text_.expect("[");
    ops::IndexSpec spec;
    do {
      if (spec.items() == ops::IndexSpec::max_items) {
        text_.fail("an index has at most " + std::to_string(ops::IndexSpec::max_items) + " items");
      }
      index_item(spec, values);
    } while (text_.accept(","));
    if (!text_.accept("]")) text_.fail("expected , or ] after an item of an index, not " + text_.found());
    return spec;
  }
  void index_item(ops::IndexSpec& spec, std::vector<Value>& values) {
    using enum ops::IndexSpec::Item;
    if (text_.accept("...")) return spec.push(ellipsis);
    if (text_.accept("newaxis")) return spec.push(newaxis);
    const bool start = index_value(values);
    if (!text_.accept(":")) {
      if (!start) text_.fail("expected an item of an index, not " + text_.found());
      return spec.push(at);
    }
    const bool stop = index_value(values);
    const bool step = text_.accept(":") && index_value(values);
    spec.push(slice, start, stop, step);
  }
  // Whether there is one.
  bool index_value(std::vector<Value>& values) {
    if (text_.next_is_number())
      values.emplace_back(text_.whole());
    else if (text_.next_is("%") || text_.next_is("(") || text_.next_is_word())
      values.push_back(value());
    else
      return false;
    return true;
  }

  Lexer text_;
  const std::span<const ops::Entry* const> more_;
  bool has_names_ = false;  // the parameters' are known
  Graph graph_;
  OwnPool pool_;
};

}  // namespace

Graph parse(std::string_view text) { return parse(text, {}); }
Graph parse(std::string_view text, std::span<const ops::Entry* const> more) { return Parser(text, more).run(); }

}  // namespace covec::ir
