// See build_annotations.hpp.
#include "frontend/parse/build_annotations.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "frontend/common/nearest.hpp"
#include "frontend/parse/build_expressions.hpp"
#include "frontend/parse/children.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/foreign_syntax.hpp"

namespace covec::grammar {

using messages::message;

namespace {

constexpr std::string_view kTypes[] = {"bool", "i8",  "u8",  "i16", "u16",  "i32",     "u32",   "i64", "f16",
                                       "bf16", "f32", "f64", "c64", "c128", "complex", "float", "int", "any"};

bool is_type(std::string_view name) {
  return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
}

// What a dimension may be: whole numbers, names, and their arithmetic.
bool is_dimension(const ast::Expr* expr) {
  while (expr->kind == ast::ExprKind::binary) {
    const auto* b = static_cast<const ast::Binary*>(expr);
    bool arithmetic = b->op == Operator::add || b->op == Operator::sub || b->op == Operator::mul ||
                      b->op == Operator::floor_div || b->op == Operator::mod;
    if (!arithmetic || !is_dimension(b->right)) return false;
    expr = b->left;
  }
  if (expr->kind == ast::ExprKind::name) return true;
  return expr->kind == ast::ExprKind::number && !static_cast<const ast::Number*>(expr)->is_float;
}

}  // namespace

ast::Annotation* AnnotationBuilder::annotation(P::AnnotationContext& context) {
  auto* out = arena_.make<ast::Annotation>();
  out->span = places_.span(context);
  if (context.op != nullptr && context.op->getType() == P::LBRACE) {
    record(context, *out);
    return out;
  }
  if (context.op != nullptr && context.op->getType() == P::LPAREN) {
    tuple(context, *out);
    return out;
  }
  out->dtype = places_.text(*context.start);
  out->has_dimensions = context.op != nullptr;
  out->dimensions = dimensions(context);
  if (!is_type(out->dtype)) {
    Diagnostic& d = places_.report(message("unknown_annotation"), places_.span(*context.start), {out->dtype});
    const std::vector<std::string_view> types(std::begin(kTypes), std::end(kTypes));
    const std::string_view near = nearest_name(out->dtype, types);
    const std::string_view known = foreign_syntax::replacement(foreign_syntax::At::annotation, out->dtype);
    if (!known.empty()) {
      d.hint = known;
      const std::string_view word = foreign_syntax::single_word(known);
      if (!word.empty()) d.fix = Fix{places_.span(*context.start), std::string(word)};
    } else if (!near.empty()) {
      d.hint = "did you mean `" + std::string(near) + "`?";
      if (!only_nearest_name(out->dtype, types).empty()) d.fix = Fix{places_.span(*context.start), std::string(near)};
    } else {
      d.hint = "the types are";
      for (const std::string_view type : kTypes) d.hint += " " + std::string(type);
    }
  }
  return out;
}

void AnnotationBuilder::tuple(P::AnnotationContext& context, ast::Annotation& out) {
  std::vector<ast::AnnotationField> items;
  each<P::AnnotationContext>(context, [&](P::AnnotationContext& item) {
    items.push_back({"", Span(), annotation(item)});
  });
  out.kind = ast::Annotation::Kind::tuple;
  out.fields = arena_.list(items);
}

void AnnotationBuilder::record(P::AnnotationContext& context, ast::Annotation& out) {
  out.kind = ast::Annotation::Kind::record;
  std::vector<ast::AnnotationField> fields;
  std::unordered_set<std::string_view> seen;
  check_commas(context, places_);
  each<P::AnnotationFieldContext>(context, [&](P::AnnotationFieldContext& f) {
    Span name = places_.span(*f.start);
    if (!seen.insert(places_.text(name)).second) places_.report(message("duplicate_field"), name, {places_.text(name)});
    fields.push_back({places_.text(name), name, annotation(*first<P::AnnotationContext>(f))});
  });
  out.fields = arena_.list(fields);
}

ast::List<ast::Dimension> AnnotationBuilder::dimensions(P::AnnotationContext& context) {
  std::vector<ast::Dimension> out;
  bool ellipsis = false;
  each<P::DimensionContext>(context, [&](P::DimensionContext& d) {
    auto* value = first<P::ExpressionContext>(d);
    ast::Dimension dimension{value != nullptr ? expressions_.expression(*value) : nullptr, places_.span(d)};
    if (value == nullptr && ellipsis) places_.report(message("annotation_ellipsis"), dimension.span);
    ellipsis = ellipsis || value == nullptr;
    if (value != nullptr && !is_dimension(dimension.value))
      places_.report(message("annotation_dimension"), dimension.span);
    out.push_back(dimension);
  });
  return arena_.list(out);
}

}  // namespace covec::grammar
