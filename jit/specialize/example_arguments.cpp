#include "jit/specialize/example_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

[[noreturn]] void fail_at(Span span, std::string_view code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  if (span.known()) diagnostic.labels.push_back({span, ""});
  diagnostic.hint = std::move(hint);
  throw CovecError(std::move(diagnostic));
}

namespace {

struct Element {
  Dtype dtype;  // of complex numbers that of their parts
  bool complex;
};

Element element_named(std::string_view name, Span span) {
  std::string all;
  for (const Dtype dtype : all_dtypes) {
    if (name_of(dtype) == name) return {dtype, false};
    all += std::string(name_of(dtype)) + " ";
  }
  if (name == "c64" || name == "c128") return {name == "c64" ? Dtype::f32 : Dtype::f64, true};
  fail_at(span, "dump_types", "'" + std::string(name) + "' is not a dtype: " + all + "c64 c128",
          span.known() ? "give the types with --types 'f64[_, _], f64'" : "");
}

Value example(Pool& pool, Dtype dtype, std::span<const int64_t> extents, Span span) {
  const uint64_t zero = 0;
  if (extents.empty()) return Value::scalar(dtype, &zero);
  if (extents.size() > max_rank) fail_at(span, "dump_types", "a tensor has at most 16 axes");
  return make_tensor(pool, dtype, Shape(extents.data(), extents.size()));
}

Value example_record(std::vector<std::string> names, std::vector<Value> items) {
  auto layout = std::make_shared<RecordLayout>();
  layout->names = std::move(names);
  return make_record(std::move(layout), std::move(items));
}

constexpr const char* fixed_example = "write types with extents like \"f64, f32[100, 4], {w: f64[3], b: f64}\"";

constexpr const char* named_example =
    "write types with extents like \"f64, f32[100, 4], {w: f64[n], b: f64}\"; a name is an argument of the C "
    "function";

constexpr const char* any_example = "write them like 'f64[_, 3], f64' or '{w: f32[n], b: f32}, i64'";

const char* example_of(Extents extents) {
  return extents == Extents::fixed ? fixed_example : extents == Extents::named ? named_example : any_example;
}

// Gets each tensor's extents as they are written, and gives them as numbers.
struct Written {
  Extents extents;
  WrittenExtents* to;
  const ExtentSizes& sizes;
  std::vector<int64_t> numbers(std::vector<WrittenExtent> written) const {
    std::vector<int64_t> numbers;
    for (const WrittenExtent& each : written) {
      const auto size = sizes.find(each.name);
      const bool given = extents != Extents::any && extents != Extents::annotated && each.number >= 0;
      numbers.push_back(given ? each.number : size == sizes.end() ? any_extent : size->second);
    }
    if (to != nullptr) to->push_back(std::move(written));
    return numbers;
  }
};

// A complex value has two leaves, whose extents are written alike.
Value example_of_elements(Pool& pool, Element element, const Written& written,
                          const std::vector<WrittenExtent>& extents, Span span) {
  Value re = example(pool, element.dtype, written.numbers(extents), span);
  if (!element.complex) return re;
  return make_complex(std::move(re), example(pool, element.dtype, written.numbers(extents), span));
}

// "f32[_, _], {w: f64[n], b: f64}, (i64, i64)".
class TypesText {
 public:
  TypesText(Pool& pool, std::string_view text, const Written& written) : pool_(pool), rest_(text), written_(written) {}

  std::vector<Value> all() {
    std::vector<Value> values;
    if (!at_end()) values = list('\0');
    return values;
  }

 private:
  [[noreturn]] void fail() {
    const std::string where =
        at_end() ? "the types end too early" : "cannot read the types from '" + std::string(rest_) + "' on";
    fail_at({}, "dump_types", where, example_of(written_.extents));
  }
  bool at_end() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return rest_.empty();
  }
  bool take(char c) {
    if (at_end() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    at_end();
    size_t length = 0;
    while (length < rest_.size() && std::strchr(" ,:[](){}", rest_[length]) == nullptr) ++length;
    const std::string_view found = rest_.substr(0, length);
    if (found.empty()) fail();
    rest_.remove_prefix(length);
    return found;
  }
  std::vector<Value> list(char close) {
    std::vector<Value> values;
    do values.push_back(type());
    while (take(','));
    if (close == '\0' ? !at_end() : !take(close)) fail();
    return values;
  }
  Value record() {
    std::vector<std::string> names;
    std::vector<Value> items;
    do {
      names.emplace_back(word());
      if (!take(':')) fail();
      items.push_back(type());
    } while (take(','));
    if (!take('}')) fail();
    return example_record(std::move(names), std::move(items));
  }
  WrittenExtent extent() {
    const std::string_view written = word();
    WrittenExtent extent;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), extent.number);
    if (error == std::errc() && end == written.data() + written.size() && extent.number >= 0) return extent;
    extent.number = -1;
    const bool has_name = written_.extents == Extents::any || (written_.extents == Extents::named && written != "_");
    if (!has_name || !is_name(written))
      fail_at({}, "dump_types", "'" + std::string(written) + "' is not an extent", example_of(written_.extents));
    if (written != "_") extent.name = written;
    return extent;
  }
  static bool is_name(std::string_view word) {
    return word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
               std::string_view::npos &&
           (word[0] < '0' || word[0] > '9');
  }
  Value type() {
    const bool is_record = take('{');
    if (is_record || take('(')) {
      if (++depth_ > deepest) fail_at({}, "dump_types", "types that are nested too deeply");
      Value tree = is_record ? record() : make_tuple(list(')'));
      --depth_;
      return tree;
    }
    const Element element = element_named(word(), {});
    std::vector<WrittenExtent> extents;
    if (take('[')) {
      do extents.push_back(extent());
      while (take(','));
      if (!take(']')) fail();
    }
    return example_of_elements(pool_, element, written_, extents, {});
  }

  static constexpr unsigned deepest = 100;  // types inside each other
  Pool& pool_;
  std::string_view rest_;
  const Written& written_;
  unsigned depth_ = 0;
};

class Annotated {
 public:
  Annotated(Pool& pool, const core::Parameter& parameter, const Written& written)
      : pool_(pool), parameter_(parameter), written_(written) {}

  Value argument(const core::Annotation* annotation) const {
    if (annotation == nullptr || annotation->dtype == "any") fail();
    if (annotation->kind != core::Annotation::Kind::tensor) {
      std::vector<Value> items;
      for (const core::Annotation* field : annotation->fields) items.push_back(argument(field));
      if (annotation->kind == core::Annotation::Kind::tuple) return make_tuple(std::move(items));
      return example_record({annotation->names.begin(), annotation->names.end()}, std::move(items));
    }
    std::vector<WrittenExtent> extents;
    for (const core::DimAnnotation& dim : annotation->dims) extents.push_back(extent(dim));
    const Element element = element_named(annotation->dtype, annotation->span);
    return example_of_elements(pool_, element, written_, extents, annotation->span);
  }

 private:
  WrittenExtent extent(const core::DimAnnotation& dim) const {
    using Kind = core::DimAnnotation::Kind;
    if (dim.kind == Kind::ellipsis) fail();
    if (written_.extents == Extents::any) return {};
    if (dim.kind == Kind::literal) return {dim.literal, {}};
    if (written_.extents == Extents::annotated)
      return {-1, dim.kind == Kind::name && !dim.is_parameter ? std::string(dim.name) : ""};
    const bool named = written_.extents == Extents::named && dim.kind == Kind::name && !dim.is_parameter;
    if (!named) fail();
    return {-1, std::string(dim.name)};
  }
  [[noreturn]] void fail() const {
    const bool any = written_.extents == Extents::any;
    fail_at(parameter_.span, "dump_types",
            "the type of '" + std::string(parameter_.name) + "' is not known" + (any ? "" : " with its extents"),
            any ? "annotate it, or give --types 'f64[_, _], f64'" : example_of(written_.extents));
  }

  Pool& pool_;
  const core::Parameter& parameter_;
  const Written& written_;
};

void check_count(const Value& function, const ClosureParts* parts, size_t given) {
  const size_t wanted =
      parts != nullptr ? parts->function->parameters.size() : function.function().parameter_names().size();
  if (given == wanted) return;
  fail_at(
      parts != nullptr ? parts->function->name_span : Span(), "dump_types",
      "--types gives " + std::to_string(given) + " types, the function has " + std::to_string(wanted) + " parameters");
}

}  // namespace

std::vector<Value> example_arguments(Pool& pool, const Value& function, const std::string& types, Extents extents,
                                     WrittenExtents* written, const ExtentSizes& sizes) {
  ClosureParts parts{};
  const bool is_closure = closure_parts(function.function(), parts);
  const Written writes{extents, written, sizes};
  std::vector<Value> args;
  if (!types.empty()) {
    args = TypesText(pool, types, writes).all();
  } else if (is_closure) {
    for (const core::Parameter& parameter : parts.function->parameters)
      args.push_back(Annotated(pool, parameter, writes).argument(parameter.annotation));
  } else if (!function.function().parameter_names().empty()) {
    fail_at({}, "dump_types", "the types of the parameters are not known",
            extents == Extents::any ? "give --types 'f64[_, _], f64'" : example_of(extents));
  }
  if (extents == Extents::any) check_count(function, is_closure ? &parts : nullptr, args.size());
  return args;
}

}  // namespace covec::jit
