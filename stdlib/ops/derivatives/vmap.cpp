// Moves the arguments' batched axes to the front and wraps the arguments; over_examples does the rest.
#include "stdlib/ops/derivatives/vmap.hpp"

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// A batched leaf before the batch is open: its examples, under a level that is never used.
constexpr uint64_t not_yet_open = UINT64_MAX;

class ExampleCount {
 public:
  explicit ExampleCount(std::string_view what) : what_(what) {}
  void see(ops::Builder& b, const std::string& name, int argument, Dim size) {
    if (first_argument_ < 0) {
      size_ = size;
      first_ = name;
      first_argument_ = argument;
    } else if (size_.known() && size.known()) {
      if (size != size_) fail_sizes(name, argument, std::to_string(size.number()));
    } else if (size != size_) {
      ops::call(b, ops::handles().expect_size,
                {b.extent(size_), b.extent(size), make_string(std::string(what_)), make_string(first_),
                 make_string(name), Value(int64_t{first_argument_}), Value(int64_t{argument})});
    }
  }
  bool any() const { return first_argument_ >= 0; }
  Dim size() const { return size_; }

 private:
  [[noreturn]] void fail_sizes(const std::string& name, int argument, const std::string& size) const {
    const std::string first_size = std::to_string(size_.number());
    fail(message("vmap_sizes"), {std::string(what_), first_, first_size, name, size},
         {{first_argument_, first_ + " has " + first_size}, {argument, name + " has " + size}});
  }
  std::string_view what_;
  Dim size_ = 0;
  std::string first_;
  int first_argument_ = -1;
};

class Vmap final : public Transformed {
 public:
  Vmap(Value f, Value in_axes) : Transformed("vmap", std::move(f)), in_axes_(std::move(in_axes)) { check_axes(); }

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const Arguments arguments(function(), args, keywords);
    const std::string what = name();
    ExampleCount count(what);
    for (size_t i = 0; i < args.size(); ++i) {
      const size_t parameter = arguments.parameter_of(i);
      if (parameter == std::string_view::npos) continue;
      const ArgumentPath place{b, count, arguments.name_of(parameter), static_cast<int>(i)};
      const bool no_options = i + 1 == args.size() && function().takes_options() && children(args[i])->empty();
      if (!no_options) args[i] = prepare(place, args[i], axes_of(arguments, parameter));
    }
    if (!count.any()) fail(message("vmap_nothing"), {what});
    return over_examples(b, count.size(), BatchView{}, what, [&](uint64_t level, const Value& example) {
      std::vector<Value> given;
      for (const Value& arg : args) given.push_back(for_body(b, arg, level, example, count.size()));
      return function().call(b, given, keywords);
    });
  }

  std::string staging_key() const override {
    std::string text = "vmap ";
    add_axes(in_axes_, text);
    return text;
  }

 protected:
  Value with_function(Value f) const override { return make_vmap(std::move(f), in_axes_); }

 private:
  // in_axes whole: brackets, names and all.
  static void add_axes(const Value& axes, std::string& text) {
    const std::vector<Value>* const items = children(axes);
    if (items == nullptr) {
      text += axes.is_none() ? "none" : ops::is_integer(axes) ? std::to_string(ops::integer_of(axes)) : describe(axes);
      if (axes.is(ObjectKind::string)) text += '"' + axes.string().text + '"';
      return;
    }
    text += std::to_string(static_cast<int>(axes.object()->kind)) + '(';
    for (size_t i = 0; i < items->size(); ++i) {
      text += child_label(axes, i);
      add_axes((*items)[i], text);
      text += ',';
    }
    text += ')';
  }
  struct ArgumentPath {
    ops::Builder& builder;
    ExampleCount& count;
    std::string name;
    int argument;
  };

  void check_axes() const {
    if (in_axes_.is(ObjectKind::string)) {
      parameters_of(transform_, "in_axes", function(), in_axes_);
    } else if (in_axes_.is(ObjectKind::tuple)) {
      size_t names = 0;
      for (const Value& item : in_axes_.tuple().items) names += item.is(ObjectKind::string);
      if (names == 0) return;
      if (names != in_axes_.tuple().items.size()) fail(message("vmap_axes"), {describe(in_axes_)});
      parameters_of(transform_, "in_axes", function(), in_axes_);
    } else if (!in_axes_.is_none() && !ops::is_integer(in_axes_)) {
      if (is_symbolic(in_axes_)) fail_not_staged("in_axes of vmap");
      fail(message("vmap_axes"), {describe(in_axes_)});
    }
  }

  // What in_axes says of one parameter: none, an integer, or a tree of them.
  Value axes_of(const Arguments& arguments, size_t parameter) const {
    if (in_axes_.is(ObjectKind::string)) return named(in_axes_, arguments, parameter) ? Value(int64_t{0}) : Value();
    if (!in_axes_.is(ObjectKind::tuple)) return in_axes_;
    const std::vector<Value>& items = in_axes_.tuple().items;
    if (!items.empty() && items[0].is(ObjectKind::string)) {
      for (const Value& item : items) {
        if (named(item, arguments, parameter)) return Value(int64_t{0});
      }
      return Value();
    }
    if (parameter >= items.size()) {
      fail(message("vmap_axes_count"), {name(), std::to_string(items.size()), arguments.name_of(parameter)}, {},
           parameter >= by_name
               ? "name the batched parameters: in_axes=(\"x\", \"" + arguments.name_of(parameter) + "\")"
               : "");
    }
    return items[parameter];
  }
  static bool named(const Value& item, const Arguments& arguments, size_t parameter) {
    return item.string().text == arguments.name_of(parameter);
  }

  // The tree with its batched leaves' examples in front.
  Value prepare(const ArgumentPath& place, const Value& tree, const Value& axes) const {
    if (axes.is_none()) return tree;
    if (ops::is_integer(axes)) {
      return map_leaves(tree,
                        [&](const Value& leaf) { return is_operand(leaf) ? prepare_leaf(place, leaf, axes) : leaf; });
    }
    check_alike(place, tree, axes);
    std::vector<Value> items;
    for (size_t i = 0; i < children(tree)->size(); ++i)
      items.push_back(prepare(place, (*children(tree))[i], axes_at(axes, tree, i)));
    return rebuild(tree, std::move(items));
  }
  static bool match_by_names(const Value& tree, const Value& axes) {
    return has_named_children(tree) && axes.object()->kind == tree.object()->kind;
  }
  static const Value& axes_at(const Value& axes, const Value& tree, size_t i) {
    return match_by_names(tree, axes) ? *matching_child(tree, axes, i) : (*children(axes))[i];
  }
  void check_alike(const ArgumentPath& place, const Value& tree, const Value& axes) const {
    std::string given, wanted;  // what the error adds to the kinds
    bool alike = is_tree(axes) && is_tree(tree);
    if (alike && match_by_names(tree, axes)) {
      const std::string surplus = name_only_in(tree, axes), lacking = name_only_in(axes, tree);
      alike = surplus.empty() && lacking.empty();
      given = surplus.empty() ? " without " + lacking : " with " + surplus;
      wanted = surplus.empty() ? " with it" : " without it";
    } else if (alike) {
      alike = children(axes)->size() == children(tree)->size();
    }
    if (!alike) fail(message("vmap_axes_tree"), {name(), place.name, describe(tree) + given, describe(axes) + wanted});
  }
  // The first child's name that the other tree does not have; "": there is none.
  static std::string name_only_in(const Value& tree, const Value& other) {
    for (size_t i = 0; i < children(tree)->size(); ++i) {
      if (matching_child(tree, other, i) != nullptr) continue;
      const std::string label = child_label(tree, i);
      return "`" + label.substr(0, label.rfind(':')) + "`";
    }
    return "";
  }

  Value prepare_leaf(const ArgumentPath& place, const Value& leaf, const Value& axis) const {
    const Type type = logical_type(leaf);
    const int64_t rank = type.shape.rank();
    const int64_t given = ops::integer_of(axis);
    const int64_t normal = given < 0 ? given + rank : given;
    if (normal < 0 || normal >= rank) {
      fail(message("vmap_axis"), {name(), place.name, type.text(), std::to_string(given)},
           {{place.argument, place.name + " is " + type.text()}},
           "use none for an argument that is the same for all examples: in_axes=(0, none)");
    }
    const unsigned at = static_cast<unsigned>(normal);
    place.count.see(place.builder, place.name, place.argument, type.shape[at]);
    return make_batch(not_yet_open, ops::move_axis_to_front(place.builder, leaf, at));
  }

  static Value for_body(ops::Builder& b, const Value& tree, uint64_t level, const Value& example, Dim size) {
    return map_leaves(tree, [&](const Value& leaf) {
      if (!is_traced_at(leaf, not_yet_open)) return leaf;
      const Value& examples = leaf.traced().primal;
      if (example.is_none()) return make_batch(level, examples);
      if (size != Dim(0)) return example_of(b, examples, example);
      const Type type = logical_type(examples);
      return ops::RuleContext(b, false).zeros(Type{type.dtype, Shape(type.shape.begin() + 1, type.shape.rank() - 1)});
    });
  }

  const Value in_axes_;
};

}  // namespace

Value make_vmap(Value f, Value in_axes) { return make_function<Vmap>(std::move(f), std::move(in_axes)); }

}  // namespace covec::autodiff
