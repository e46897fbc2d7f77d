#include "stdlib/ops/derivatives/basis.hpp"

#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

void Basis::append(ops::Builder& b, std::span<const Type> more) {
  for (const Type& type : more) {
    offsets.push_back(size);
    types.push_back(type);
    size = b.add(size, elements_of(b, type.shape));
  }
}

Dim Basis::elements_of(ops::Builder& b, const Shape& shape) {
  Dim elements(1);
  for (Dim dim : shape) elements = b.multiply(elements, dim);
  return elements;
}

void refuse_complex(std::string_view transform, const Arguments& arguments, const Parameters& wrt) {
  for (const auto number : wrt.numbers) {
    const int slot = arguments.find(number);
    if (slot < 0 || !holds_complex(arguments.all()[static_cast<size_t>(slot)])) continue;
    fail(message("jacobian_complex"), {std::string(transform), arguments.name_of(number)}, {},
         "differentiate by the parts: " + std::string(transform) +
             "((x, y) -> f(complex(x, y)), wrt=(0, 1))(real(z), imag(z))");
  }
}

std::vector<Value> count_inputs(ops::Builder& b, std::string_view transform, const Arguments& arguments,
                                const Parameters& wrt, Basis& inputs) {
  std::vector<Value> trees;
  for (size_t number : wrt.numbers) {
    const int slot = arguments.find(number);
    if (slot < 0) fail(message("parameter_not_given"), {std::string(transform), arguments.name_of(number)});
    std::vector<Type> types;
    const Value& argument = arguments.all()[static_cast<size_t>(slot)];
    trees.push_back(map_leaves(argument, [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return Value();
      types.push_back(logical_type(leaf));
      return Value(true);
    }));
    if (types.empty()) {
      fail(message("no_float_leaf"), {std::string(transform), arguments.name_of(number), without_floats(argument)},
           {{slot, without_floats(argument)}});
    }
    inputs.append(b, types);
  }
  return trees;
}

Value tangents_along(ops::Builder& b, Callable& f, const Arguments& arguments, const Parameters& wrt,
                     FunctionRef<Value(size_t leaf)> tangent, Value& any, Value& plain, bool* passes_rule,
                     bool runs_again) {
  std::vector<Value> args(arguments.all().begin(), arguments.all().end());
  LevelScope scope(b.context(), TraceKind::jvp);
  scope.open().passes_rule = passes_rule;
  scope.open().runs_again = runs_again;
  size_t leaf = 0;
  for (size_t number : wrt.numbers) {
    Value& argument = args[static_cast<size_t>(arguments.find(number))];
    argument = map_leaves(argument, [&](const Value& primal) {
      return is_float_leaf(primal) ? make_jvp(scope.level(), primal, tangent(leaf++)) : primal;
    });
  }
  plain = f.call(b, args, arguments.keywords());
  scope.close();
  return map_leaves(plain, [&](const Value& output) {
    if (!is_float_leaf(output)) return Value();
    const Value along = is_traced_at(output, scope.level()) ? output.traced().tangent : Value();
    any = either(b, any, conditional_tangents(b).is_present(along));
    return tangent_or_zeros(b, along, logical_type(output));
  });
}

}  // namespace covec::autodiff
