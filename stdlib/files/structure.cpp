// Builds trees from names. Recursion is limited to 1000 levels, as trees are here: a file that claims more is read as a
// flat record. Start reading at tree_of_names().
#include "stdlib/files/structure.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "stdlib/value/error.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr unsigned depth_limit = 1000;  // levels of a tree
constexpr std::string_view lone_name = "arr_0";

// A string is itself, a number or bool as it is written.
std::string name_of_key(const Value& key) { return key.is(ObjectKind::string) ? key.string().text : key_text(key); }

std::string name_of_child(const Value& tree, size_t i) {
  if (tree.is(ObjectKind::map)) return name_of_key(map_of(tree).keys()[i]);
  return tree.is(ObjectKind::record) ? tree.record().layout->names[i] : std::to_string(i);
}

// Makes `name` the name of a child, and takes that back.
class Step {
 public:
  Step(std::string& name, bool top, const std::string& child) : name_(name), before_(name.size()) {
    if (!top) name += '.';
    name += child;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() { name_.resize(before_); }

 private:
  std::string& name_;
  size_t before_;
};

void expect_plain_keys(const Map& map) {
  for (const Value& key : map.keys()) {
    if (key.is(ObjectKind::tuple)) covec::fail(message("file_key"), {key_text(key)});
  }
}

Value map_named(const Value& tree, FunctionRef<Value(const std::string&, const Value&)> f, std::string& name,
                unsigned depth) {
  if (!is_container(tree)) return f(depth == 0 ? std::string(lone_name) : name, tree);
  const std::vector<Value>* items = children(tree);
  if (depth == depth_limit) fail(message("too_deep"), {std::to_string(depth_limit)});
  if (tree.is(ObjectKind::map)) expect_plain_keys(map_of(tree));
  std::vector<Value> results;
  results.reserve(items->size());
  for (size_t i = 0; i < items->size(); ++i) {
    const Step step(name, depth == 0, name_of_child(tree, i));
    results.push_back(map_named((*items)[i], f, name, depth + 1));
  }
  return rebuild(tree, std::move(results));
}

void append_quoted(std::string& text, const std::string& name) {
  text += '"';
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

void append_structure(std::string& text, const Value& tree);

// <"a":*,#3:*>: strings quoted, other keys as they are written after a #.
void append_map(std::string& text, const Map& map) {
  text += '<';
  for (size_t i = 0; i < map.keys().size(); ++i) {
    const Value& key = map.keys()[i];
    if (i > 0) text += ',';
    if (key.is(ObjectKind::string))
      append_quoted(text, key.string().text);
    else
      text += "#" + key_text(key);
    text += ':';
    append_structure(text, map.values()[i]);
  }
  text += '>';
}

void append_structure(std::string& text, const Value& tree) {
  if (!is_container(tree)) {
    text += '*';
    return;
  }
  const std::vector<Value>* items = children(tree);
  if (tree.is(ObjectKind::map)) return append_map(text, map_of(tree));
  const bool record = tree.is(ObjectKind::record), list = tree.is(ObjectKind::list);
  text += record ? '{' : list ? '[' : '(';
  for (size_t i = 0; i < items->size(); ++i) {
    if (i > 0) text += ',';
    if (record) {
      append_quoted(text, tree.record().layout->names[i]);
      text += ':';
    }
    append_structure(text, (*items)[i]);
  }
  text += record ? '}' : list ? ']' : ')';
}

// A tree of names while it grows.
struct Node {
  const Value* leaf = nullptr;
  std::vector<std::string> names;
  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> places;

  Node& child(const std::string& name) {
    const auto [found, fresh] = places.emplace(name, nodes.size());
    if (fresh) {
      names.push_back(name);
      nodes.emplace_back();
    }
    return nodes[found->second];
  }
};

// False where there is no place for it: below a leaf, where branches are, or too deep.
bool insert(Node& root, std::string_view name, const Value& leaf) {
  if (std::count(name.begin(), name.end(), '.') >= depth_limit) return false;
  Node* at = &root;
  for (bool more = true; more;) {
    if (at->leaf != nullptr) return false;
    const size_t dot = name.find('.');
    more = dot != std::string_view::npos;
    at = &at->child(std::string(name.substr(0, dot)));
    if (more) name.remove_prefix(dot + 1);
  }
  if (at->leaf != nullptr || !at->nodes.empty()) return false;
  at->leaf = &leaf;
  return true;
}

// Which item of a sequence of `count` a name is; count when it is none.
size_t item_number(const std::string& name, size_t count) {
  size_t number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool plain = code == std::errc() && end == name.data() + name.size() && (name == "0" || name[0] != '0');
  return plain && number < count ? number : count;
}

Value value_of(const Node& node) {
  if (node.leaf != nullptr) return *node.leaf;
  const size_t count = node.nodes.size();
  std::vector<Value> items(count), in_order(count);
  bool sequence = count > 0;  // names differ, so numbers below the count are all of them
  for (size_t i = 0; i < count; ++i) {
    items[i] = value_of(node.nodes[i]);
    const size_t number = item_number(node.names[i], count);
    sequence = sequence && number < count;
    if (sequence) in_order[number] = items[i];
  }
  if (sequence) return make_tuple(std::move(in_order));
  return make_record(std::make_shared<RecordLayout>(RecordLayout{node.names}), std::move(items));
}

Value flat_record(const NamedTensors& leaves) {
  std::vector<std::string> names;
  std::vector<Value> items;
  for (const auto& [name, leaf] : leaves.tensors) {
    names.push_back(name);
    items.push_back(leaf);
  }
  return make_record(std::make_shared<RecordLayout>(RecordLayout{std::move(names)}), std::move(items));
}

class NoteParser {
 public:
  explicit NoteParser(const NamedTensors& leaves) : text_(leaves.note) {
    for (const auto& [name, leaf] : leaves.tensors) unused_.emplace(name, &leaf);
  }

  std::optional<Value> parse() {
    Value tree = value(0);
    if (failed_ || !text_.empty() || !unused_.empty()) return std::nullopt;
    return tree;
  }

 private:
  Value fail() {
    failed_ = true;
    return Value();
  }

  bool accept(char c) {
    if (failed_ || !text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  Value value(unsigned depth) {
    if (accept('*')) return leaf(depth == 0 ? std::string(lone_name) : name_);
    if (depth == depth_limit) return fail();
    if (accept('{')) return branch('}', depth);
    if (accept('(')) return branch(')', depth);
    if (accept('[')) return branch(']', depth);
    if (accept('<')) return map(depth);
    return fail();
  }

  Value map(unsigned depth) {
    std::vector<Value> keys, items;
    while (!failed_ && !accept('>')) {
      if (!items.empty() && !accept(',')) return fail();
      keys.push_back(map_key());
      if (failed_) return Value();
      const Step step(name_, depth == 0, name_of_key(keys.back()));
      items.push_back(value(depth + 1));
    }
    if (failed_) return Value();
    Value out = make_map({}, {});
    for (size_t i = 0; i < keys.size(); ++i) map_of(out).set(keys[i], std::move(items[i]));
    return map_of(out).size() == keys.size() ? out : fail();
  }

  Value map_key() {
    if (!accept('#')) return make_string(key());
    const size_t end = std::min(text_.find(':'), text_.size());
    const std::string_view word = text_.substr(0, end);
    int64_t number = 0;
    const auto [after, code] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = code == std::errc() && after == word.data() + word.size();
    if (!whole && word != "true" && word != "false") return fail();
    text_.remove_prefix(end);
    if (!accept(':')) return fail();
    return whole ? Value(number) : Value(word == "true");
  }

  Value leaf(const std::string& name) {
    const auto found = unused_.find(name);
    if (found == unused_.end()) return fail();
    const Value value = *found->second;
    unused_.erase(found);
    return value;
  }

  Value branch(char end, unsigned depth) {
    std::vector<std::string> names;
    std::vector<Value> items;
    while (!failed_ && !accept(end)) {
      if (!items.empty() && !accept(',')) return fail();
      names.push_back(end == '}' ? key() : std::to_string(items.size()));
      const Step step(name_, depth == 0, names.back());
      items.push_back(value(depth + 1));
    }
    if (failed_) return Value();
    if (end == ')') return make_tuple(std::move(items));
    if (end == ']') return make_list(std::move(items));
    std::vector<std::string> ordered = names;
    std::sort(ordered.begin(), ordered.end());
    if (std::adjacent_find(ordered.begin(), ordered.end()) != ordered.end()) return fail();
    return make_record(std::make_shared<RecordLayout>(RecordLayout{std::move(names)}), std::move(items));
  }

  std::string key() {
    std::string name;
    if (!accept('"')) fail();
    while (!failed_ && !accept('"')) {
      accept('\\');
      if (text_.empty()) {
        fail();
        break;
      }
      name += text_.front();
      text_.remove_prefix(1);
    }
    if (!accept(':')) fail();
    return name;
  }

  std::string_view text_;
  std::string name_;
  std::unordered_map<std::string_view, const Value*> unused_;
  bool failed_ = false;
};

}  // namespace

Value map_named_leaves(const Value& tree, FunctionRef<Value(const std::string&, const Value&)> f) {
  std::string name;
  return map_named(tree, f, name, 0);
}

void each_named_leaf(const Value& tree, FunctionRef<void(const std::string&, const Value&)> f) {
  map_named_leaves(tree, [&](const std::string& name, const Value& leaf) {
    f(name, leaf);
    return Value();
  });
}

std::string structure_text(const Value& tree) {
  std::string text;
  append_structure(text, tree);
  return text;
}

Value tree_of_names(const NamedTensors& leaves) {
  Node root;
  for (const auto& [name, leaf] : leaves.tensors) {
    if (!insert(root, name, leaf)) return flat_record(leaves);
  }
  return value_of(root);
}

std::optional<Value> tree_of_note(const NamedTensors& leaves) { return NoteParser(leaves).parse(); }

}  // namespace covec::files
