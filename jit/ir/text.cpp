// Reads a graph from its text, for tests and for people who try a pass. Some parts are not in the text and stay empty:
// source places, frames, the serial numbers of regions. Other parts are shown but cannot be read back: functions other
// than operators, large constants, statements for the interpreter. The parser refuses these with their line.
//
// The trade-off: a value keeps its number, so a number that the text skips is a value that nothing defines. Start at
// Parser::run; the grammar is print.cpp's.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>

#include "jit/ir/graph.hpp"
#include "jit/ir/graph_text.hpp"
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
  explicit Parser(std::string_view text) : text_(text) { graph_.places.emplace_back(); }

  Graph run() {
    expect("function");
    name();
    expect("(");
    parameters();
    expect(")");
    expect("{");
    operations(graph_.body, "return");
    expect("}");
    space();
    if (at_ != text_.size()) fail("something follows the function");
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  }

  // --- tokens ---

  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool next_is(std::string_view token) {
    space();
    if (!text_.substr(at_).starts_with(token)) return false;
    const bool word = std::isalnum(static_cast<unsigned char>(token.back()));
    return !word || at_ + token.size() >= text_.size() || !is_word(text_[at_ + token.size()]);
  }
  bool accept(std::string_view token) {
    if (!next_is(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("expected " + std::string(token));
  }
  static bool is_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || c == '_' || byte >= 0x80;  // names may have letters past ASCII
  }
  bool next_is_number() {
    space();
    return at_ < text_.size() && (text_[at_] == '-' || std::isdigit(static_cast<unsigned char>(text_[at_])));
  }
  bool next_is_word() {
    space();
    return at_ < text_.size() && is_word(text_[at_]);
  }
  // What comes next, for a message: a word or a character.
  std::string found() {
    space();
    if (at_ == text_.size()) return "the end";
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return "`" + std::string(text_.substr(at_, std::max<size_t>(end - at_, 1))) + "`";
  }
  std::string word() {
    space();
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  // Ends where the parameters begin: a name may have parentheses of its own, grad(f).
  void name() {
    space();
    const size_t line = text_.find('\n', at_);
    const size_t end = std::min({text_.find("(%", at_), text_.find("() {", at_), line, text_.size()});
    graph_.name = std::string(text_.substr(at_, end - at_));
    at_ = end;
  }
  int64_t whole() {
    space();
    const std::string digits(text_.substr(at_, 24));
    char* end = nullptr;
    const int64_t number = std::strtoll(digits.c_str(), &end, 10);
    if (end == digits.c_str()) fail("expected a whole number");
    at_ += static_cast<size_t>(end - digits.c_str());
    return number;
  }
  double real() {
    space();
    const std::string digits(text_.substr(at_, 40));
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str()) fail("expected a number");
    at_ += static_cast<size_t>(end - digits.c_str());
    return number;
  }
  Id id() {
    expect("%");
    return id_of_number(whole());
  }
  Id id_of_number(int64_t number) {
    if (number < 0 || number > 1000000) fail("that is no value");
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
    if (accept("(")) {
      const Dim left = dim(of, axis);
      const auto kind = accept("+") ? add : accept("*") ? multiply : accept("less") ? less : broadcast;
      if (kind == broadcast) expect("|");
      const Dim right = dim(of, axis);
      expect(")");
      return dimension({kind, 0, 0, left, right});
    }
    if (next_is_number()) return Dim(whole());
    if (accept("…")) fail("a size that is cut short is not in the text");
    if (!next_is_word()) fail("expected a size, not " + found());
    const std::string name = word();
    if (name == "_") return dimension({axis_of, of, axis, 0, 0});
    const Id value = value_in_size(name);
    if (!accept(".")) return dimension({number, value, 0, 0, 0});
    return dimension({axis_of, value, static_cast<uint32_t>(whole()), 0, 0});
  }
  // `v3`, or a parameter by its name.
  Id value_in_size(const std::string& name) {
    if (is_reserved_in_size(name)) return id_of_number(std::strtoll(name.c_str() + 1, nullptr, 10));
    if (!has_names_) return 0;
    const auto is_called = [&](Id id) { return graph_.values[id].name == name; };
    const auto& all = graph_.body.parameters;
    const auto first = std::ranges::find_if(all, is_called);
    if (first == all.end()) fail("no parameter is called " + name);
    if (std::find_if(first + 1, all.end(), is_called) != all.end()) fail("several parameters are called " + name);
    return *first;
  }
  Dtype dtype(const std::string& name) const {
    for (const Dtype d : all_dtypes) {
      if (name_of(d) == name) return d;
    }
    fail("no dtype is called " + name);
  }
  Type type(Id of) {
    Type result{dtype(word()), {}};
    if (!accept("[")) return result;
    for (uint32_t axis = 0; !accept("]"); ++axis) {
      if (axis > 0) expect(",");
      result.shape.push_back(dim(of, axis));
    }
    return result;
  }

  // Of a list's items: their sizes say nothing.
  Type item_type() {
    Type result{dtype(word()), {}};
    if (!accept("[")) return result;
    do {
      expect("_");
      result.shape.push_back(Dim(0));
    } while (accept(","));
    expect("]");
    return result;
  }

  // Twice: the first time for the names, as a size may refer to a parameter that comes later.
  void parameters() {
    const size_t start = at_;
    graph_.body.parameters = definitions(")", true);
    has_names_ = true;
    at_ = start;
    graph_.dims.clear();
    graph_.body.parameters = definitions(")", true);
  }
  std::vector<Id> definitions(std::string_view end, bool with_names = false) {
    std::vector<Id> ids;
    while (!next_is(end)) {
      if (!ids.empty()) expect(",");
      ids.push_back(id());
      expect(":");
      ValueInfo info;
      info.list = accept("list");
      info.boxed = info.list || accept("any");
      if (info.list) info.type = item_type();
      if (!info.boxed) info.type = type(ids.back());
      if (with_names && !next_is(",") && !next_is(end)) info.name = word();
      graph_.values[ids.back()] = std::move(info);
    }
    return ids;
  }

  // --- values ---

  Value number(Dtype of) {
    if (of == Dtype::boolean) {
      if (accept("true")) return Value(true);
      expect("false");
      return Value(false);
    }
    return is_float(of) ? Value::number(of, real()) : Value::number(of, whole());
  }
  Value value() {
    if (next_is("%")) return graph_.symbol(id());
    if (next_is("\"")) return string();
    if (accept("(")) return make_tuple(items(")"));
    if (next_is("{")) return record();
    const std::string name = word();
    if (name == "none") return Value();
    if (name == "unbound") return Value::unbound();
    if (name == "constant") return constant();
    if (name == "fn") return function();
    if (!accept("(")) fail("no value is written " + name);
    if (name == "list") return make_list(items(")"));
    const Value result = number(dtype(name));
    expect(")");
    return result;
  }
  std::vector<Value> items(std::string_view end) {
    std::vector<Value> result;
    while (!accept(end)) {
      if (!result.empty()) expect(",");
      result.push_back(value());
    }
    return result;
  }
  Value string() {
    expect("\"");
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
      const bool newline = at_ > 0 && text_[at_ - 1] == '\\' && text_[at_] == 'n';
      result += newline ? '\n' : text_[at_];
    }
    expect("\"");
    return make_string(std::move(result));
  }
  Value record() {
    expect("{");
    const auto layout = std::make_shared<RecordLayout>();
    std::vector<Value> fields;
    while (!accept("}")) {
      if (!fields.empty()) expect(",");
      layout->names.push_back(word());
      expect(":");
      fields.push_back(value());
    }
    return make_record(layout, std::move(fields));
  }
  Value constant() {
    const Type of = type(0);
    if (!of.shape.known() || of.shape.empty()) fail("a constant's sizes are numbers");
    if (!accept("{")) fail("a constant of " + of.text() + " is too large for the text");
    Value result = make_tensor(*pool_.pool, of.dtype, of.shape);
    for (int64_t i = 0; i < of.shape.elements(); ++i) {
      if (i > 0) expect(",");
      const Value element = number(of.dtype);
      const size_t width = size_of(of.dtype);
      std::memcpy(result.tensor().data() + static_cast<size_t>(i) * width, element.scalar_data(), width);
    }
    expect("}");
    return result;
  }
  Value function() {
    const std::string name = word();
    const ops::Entry* entry = ops::find_entry(name);
    if (entry == nullptr || next_is("<")) fail("the function " + name + " is not in the text");
    return ops::function_of(*entry);
  }

  // --- operations ---

  void operations(Region& region, std::string_view end) {
    while (!accept(end)) region.operations.push_back(operation());
    while (!next_is("}")) {
      if (!region.results.empty()) expect(",");
      region.results.push_back(value());
    }
  }

  Operation operation() {
    Operation result;
    if (next_is("%")) {
      result.results = definitions("=");
      expect("=");
    }
    head(result);
    arguments(result);
    while (accept("(")) {
      Region region;
      region.parameters = definitions(")");
      expect(")");
      expect("{");
      operations(region, "give");
      expect("}");
      if (result.kind == Kind::recursion) region.serial = static_cast<uint32_t>(result.number);
      result.regions.push_back(std::move(region));
    }
    return result;
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
    const std::string name = word();
    if (name == "interpret") fail("statements for the interpreter are not in the text");
    const auto kind = kinds.find(name);
    if (kind == kinds.end()) {
      operation.entry = ops::find_entry(name);
      if (operation.entry == nullptr) fail("no operator is called " + name);
      return;
    }
    operation.kind = kind->second;
    if (!accept(".")) return;
    if (accept("exits")) {
      operation.exits = true;
      return;
    }
    operation.number = whole();
    graph_.calls_itself |= operation.kind == Kind::itself;
    const bool stack = operation.kind == Kind::push || operation.kind == Kind::pop;
    if (stack) graph_.stacks = std::max(graph_.stacks, static_cast<uint32_t>(operation.number) + 1);
  }

  void arguments(Operation& operation) {
    expect("(");
    std::optional<ops::IndexSpec> spec;
    while (!next_is(")") && !next_is(";")) {
      if (!operation.args.empty()) expect(",");
      operation.args.push_back(value());
      if (next_is("[")) {
        check_takes_index(operation);
        spec = index(operation.rest);
      }
      if (accept("'")) operation.literals |= 1u << (operation.args.size() - 1);
    }
    if (spec) {
      expect(")");
      insert_index(operation, *spec);
    } else if (accept(";")) {
      operation.rest = items(")");
    } else {
      expect(")");
    }
  }

  // --- indices ---

  void check_takes_index(const Operation& operation) const {
    if (operation.kind != Kind::apply) fail("only entries take an index");
    const std::string name(operation.entry->name);
    if (!index_parameter(*operation.entry)) fail(name + " takes no index");
    if (operation.args.size() != 1) fail("the index of " + name + " stands behind its first operand");
  }
  void insert_index(Operation& operation, ops::IndexSpec spec) const {
    const size_t operands = operation.entry->parameters.size() - 1;
    if (operation.args.size() != operands) {
      fail(std::string(operation.entry->name) + " takes an index and " + std::to_string(operands) +
           (operands == 1 ? " operand" : " operands"));
    }
    const size_t at = *index_parameter(*operation.entry);
    operation.args.insert(operation.args.begin() + static_cast<ptrdiff_t>(at), Value(spec.packed()));
    const uint32_t before = (1u << at) - 1;  // the literals before it, and those that it has moved
    operation.literals = (operation.literals & before) | (operation.literals & ~before) << 1;
  }

  ops::IndexSpec index(std::vector<Value>& values) {
    expect("[");
    ops::IndexSpec spec;
    do {
      if (spec.items() == ops::IndexSpec::max_items) {
        fail("an index has at most " + std::to_string(ops::IndexSpec::max_items) + " items");
      }
      index_item(spec, values);
    } while (accept(","));
    if (!accept("]")) fail("expected , or ] after an item of an index, not " + found());
    return spec;
  }
  void index_item(ops::IndexSpec& spec, std::vector<Value>& values) {
    using enum ops::IndexSpec::Item;
    if (accept("...")) return spec.push(ellipsis);
    if (accept("newaxis")) return spec.push(newaxis);
    const bool start = index_value(values);
    if (!accept(":")) {
      if (!start) fail("expected an item of an index, not " + found());
      return spec.push(at);
    }
    const bool stop = index_value(values);
    const bool step = accept(":") && index_value(values);
    spec.push(slice, start, stop, step);
  }
  // Whether there is one.
  bool index_value(std::vector<Value>& values) {
    if (next_is_number())
      values.emplace_back(whole());
    else if (next_is("%") || next_is("(") || next_is_word())
      values.push_back(value());
    else
      return false;
    return true;
  }

  const std::string_view text_;
  size_t at_ = 0;
  bool has_names_ = false;  // the parameters' are known
  Graph graph_;
  OwnPool pool_;
};

}  // namespace

Graph parse(std::string_view text) { return Parser(text).run(); }

}  // namespace covec::ir
