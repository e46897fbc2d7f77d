// Checks arguments in order. Dimensions that are expressions come last, when all names are known.
#include "interpreter/eval/walk/signatures.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <functional>
#include <list>

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/report/operand_hints.hpp"
#include "interpreter/eval/walk/indexing.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::Annotation;
using core::DimAnnotation;
using eval::row;

namespace {

bool accepts(std::string_view wanted, Dtype dtype) {
  if (wanted == "any") return true;
  if (wanted == "float") return is_float(dtype);
  if (wanted == "int") return kind_of(dtype) == DtypeKind::integer;
  return wanted == name_of(dtype);
}

bool accepts(const Annotation& annotation, Dtype dtype) {
  if (annotation.dtypes == 0) {
    for (const Dtype each : all_dtypes) {
      if (accepts(annotation.dtype, each))
        annotation.dtypes |= static_cast<uint16_t>(1u << static_cast<unsigned>(each));
    }
  }
  return (annotation.dtypes >> static_cast<unsigned>(dtype) & 1) != 0;
}

// agree(dim, extent): whether a dimension that has a name agrees with what the name stands for.
template <class Agree>
bool passes(const Annotation& annotation, const Value& value, Agree agree) {
  if (annotation.kind != Annotation::Kind::tensor || !value.is_numeric()) return false;
  if (annotation.dtype == "any" && !annotation.has_dims) return true;
  if (!accepts(annotation, dtype_of(value)) || rank_of(value) != annotation.dims.size()) return false;
  for (unsigned axis = 0; axis < annotation.dims.size(); ++axis) {
    const DimAnnotation& dim = annotation.dims[axis];
    const int64_t extent = value.tensor().dims()[axis];
    if (dim.kind == DimAnnotation::Kind::any) continue;
    if (dim.kind == DimAnnotation::Kind::literal && dim.literal == extent) continue;
    if (dim.kind == DimAnnotation::Kind::name && agree(dim, extent)) continue;
    return false;
  }
  return true;
}

bool is_extent(const Value& value, int64_t extent) { return value.tag() == Tag::i64 && value.i64() == extent; }

}  // namespace

bool NamedExtents::agree(uint32_t slot, int64_t extent) {
  for (size_t i = 0; i < count_; ++i) {
    if (names_[i].slot == slot) return names_[i].extent == extent;
  }
  if (count_ == names_.size()) return false;
  names_[count_++] = {slot, extent};
  return true;
}

void NamedExtents::bind(Value* slots) const {
  for (size_t i = 0; i < count_; ++i) slots[names_[i].slot] = Value(names_[i].extent);
}

bool Signatures::pass(const core::Function& function, std::span<const Value> args, NamedExtents& names) {
  if (args.size() != function.parameters.size() || function.rest >= 0 || function.options) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Annotation* annotation = function.parameters[i].annotation;
    const auto agree = [&](const DimAnnotation& dim, int64_t extent) {
      return dim.is_parameter ? is_extent(args[dim.slot], extent) : names.agree(dim.slot, extent);
    };
    if (annotation != nullptr && !passes(*annotation, args[i], agree)) return false;
  }
  return true;
}

// One signature at one call. Its subjects are the things annotated: arguments, fields of them, the result.
class Signatures::Check {
 public:
  Check(const Signatures& signatures, Frame& frame, uint32_t slots)
      : signatures_(signatures), frame_(frame), slots_(slots) {}

  struct Subject {
    std::string_view name;  // "x", "p.w", "the result"
    Span span;
    bool literal = false;
  };

  void check(const Annotation& annotation, Value& value, const Subject& subject) {
    if (annotation.kind == Annotation::Kind::record) return check_record(annotation, value, subject);
    if (annotation.kind == Annotation::Kind::tuple) return check_tuple(annotation, value, subject);
    if (annotation.dtype == "any" && !annotation.has_dims) return;
    if (is_complex(value)) return check_complex(annotation, value, subject);
    if (!is_operand(value)) {
      fail(row("annotation_kind"), {std::string(subject.name), text(annotation), what_is(value)}, subject, value);
    }
    check_dtype(annotation, value, subject);
    check_dims(annotation, value, subject);
  }

  std::function<Span(size_t)> parameter_span = [](size_t) { return Span(); };

  // Says before the check where the value in a slot comes from.
  void know(uint32_t slot, std::string_view name, Span span) { source(slot) = {true, name, nullptr, span}; }

  // Dimensions given as expressions wait until all names are known.
  void finish() {
    for (const Waiting& waiting : waiting_) {
      const int64_t wanted =
          integer(signatures_.parts_.expressions.value_of(*waiting.dim->expression, frame_), waiting.dim->span);
      if (wanted != waiting.size) {
        fail_axis(row("annotation_expression"), *waiting.annotation, waiting.axis, waiting.size, wanted,
                  waiting.subject, *waiting.value);
      }
    }
    waiting_.clear();
  }

  // Which thing said what a dimension is, for the second caret.
  struct Source {
    bool known = false;
    std::string_view name;
    const Value* value = nullptr;  // whose dimension it is; nullptr: it is a number itself
    Span span;
  };

 private:
  struct Waiting {
    const Annotation* annotation;
    const DimAnnotation* dim;
    unsigned axis;
    int64_t size;
    Subject subject;
    const Value* value;
  };

  std::string text(const Annotation& annotation) const {
    return signatures_.parts_.reporter.source_of(annotation.span);
  }

  void check_record(const Annotation& annotation, Value& value, const Subject& subject) {
    if (!value.is(ObjectKind::record)) {
      fail(row("annotation_kind"), {std::string(subject.name), text(annotation), what_is(value)}, subject, value);
    }
    for (size_t i = 0; i < annotation.names.size(); ++i) {
      const int found = value.record().layout->find(annotation.names[i]);
      if (found < 0) {
        fail(row("annotation_field"), {std::string(subject.name), text(annotation), std::string(annotation.names[i])},
             subject, value);
      }
      names_.push_back(std::string(subject.name) + "." + std::string(annotation.names[i]));
      check(*annotation.fields[i], value.record().items[found], {names_.back(), subject.span, false});
    }
  }

  void check_tuple(const Annotation& annotation, Value& value, const Subject& subject) {
    if (!value.is(ObjectKind::tuple)) {
      fail(row("annotation_kind"), {std::string(subject.name), text(annotation), what_is(value)}, subject, value);
    }
    std::vector<Value>& items = value.tuple().items;
    if (items.size() != annotation.fields.size()) {
      const std::string count = std::to_string(items.size()) + (items.size() == 1 ? " item" : " items");
      fail(row("annotation_items"), {std::string(subject.name), text(annotation), count}, subject, value);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      names_.push_back(std::string(subject.name) + "[" + std::to_string(i) + "]");
      check(*annotation.fields[i], items[i], {names_.back(), subject.span, false});
    }
  }

  void check_complex(const Annotation& annotation, Value& value, const Subject& subject) {
    Value part = complex_of(value).re();
    const std::string_view dtype = logical_type(part).dtype == Dtype::f32 ? "c64" : "c128";
    if (annotation.dtype != "any" && annotation.dtype != "complex" && annotation.dtype != dtype)
      fail(row("annotation_dtype"),
           {std::string(subject.name), annotation.has_dims ? text(annotation) : std::string(annotation.dtype),
            what_is(value)},
           subject, value);
    check_dims(annotation, part, subject);
  }

  void check_dtype(const Annotation& annotation, Value& value, const Subject& subject) {
    const Dtype dtype = logical_type(value).dtype;
    if (accepts(annotation, dtype)) return;
    if (subject.literal && value.is_scalar()) {
      std::array<Dtype, 2 + dtype_count> candidates = {Dtype::i64, Dtype::f64};  // `int` and `float` are these
      std::ranges::copy(all_dtypes, candidates.begin() + 2);
      for (const Dtype wanted : candidates) {
        if (accepts(annotation, wanted) && kind_of(wanted) >= kind_of(dtype)) {
          if (!is_float(wanted) && !fits(value.integer(), wanted)) {
            fail(row("annotation_range"),
                 {std::string(subject.name), std::string(name_of(wanted)), std::to_string(value.integer())}, subject,
                 value);
          }
          value = signatures_.cast(value, wanted, subject.span, frame_);
          return;
        }
      }
    }
    const std::string wanted = annotation.has_dims ? text(annotation) : std::string(annotation.dtype);
    const bool whole = is_float(dtype) && accepts(annotation, Dtype::i64);
    fail(row("annotation_dtype"), {std::string(subject.name), wanted, what_is(value)}, subject, value,
         whole ? hint_for_quotient(signatures_.parts_.reporter.source_of(subject.span)) : "");
  }

  void check_dims(const Annotation& annotation, Value& value, const Subject& subject) {
    const Shape shape = logical_type(value).shape;
    const auto& dims = annotation.dims;
    size_t ellipsis = dims.size();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].kind == DimAnnotation::Kind::ellipsis) ellipsis = i;
    }
    const bool open = ellipsis < dims.size();
    const size_t fixed = dims.size() - open;
    if (open ? shape.rank() < fixed : shape.rank() != fixed) {
      fail(row("annotation_rank"), {std::string(subject.name), text(annotation), what_is(value)}, subject, value);
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i == ellipsis) continue;
      const unsigned axis = static_cast<unsigned>(i < ellipsis ? i : i + shape.rank() - dims.size());
      check_dim(annotation, dims[i], axis, shape[axis], subject, value);
    }
  }

  void check_dim(const Annotation& annotation, const DimAnnotation& dim, unsigned axis, Dim extent,
                 const Subject& subject, const Value& value) {
    const bool named = dim.kind == DimAnnotation::Kind::name;
    if (!extent.known() || (named && is_symbolic(frame_.slots[dim.slot])))
      return signatures_.parts_.staged.dimension(dim, extent, frame_);
    const int64_t size = extent.number();
    switch (dim.kind) {
      case DimAnnotation::Kind::any:
      case DimAnnotation::Kind::ellipsis: return;
      case DimAnnotation::Kind::expression:
        waiting_.push_back({&annotation, &dim, axis, size, subject, &value});
        return;
      case DimAnnotation::Kind::literal:
        if (size != dim.literal) {
          fail_axis(row("annotation_literal"), annotation, axis, size, dim.literal, subject, value);
        }
        return;
      case DimAnnotation::Kind::name: check_name(dim, size, subject, value); return;
    }
  }

  void check_name(const DimAnnotation& dim, int64_t size, const Subject& subject, const Value& value) {
    Value& slot = frame_.slots[dim.slot];
    if (!dim.is_parameter && slot.is_unbound()) {
      slot = Value(size);
      source(dim.slot) = {true, subject.name, &value, subject.span};
      return;
    }
    const int64_t before = integer(slot, dim.span);
    if (before != size) fail_name(dim, before, size, subject, value);
  }

  [[noreturn]] void fail_name(const DimAnnotation& dim, int64_t before, int64_t size, const Subject& subject,
                              const Value& value) {
    const Source& source = this->source(dim.slot);
    const std::string subject_name(subject.name);
    std::vector<Label> labels = {{subject.span, subject_name + " is " + what_is(value)}};
    if (dim.is_parameter) {
      if (const Span span = parameter_span(dim.slot); span.known()) labels.push_back({span, ""});
      const std::string name(dim.name);
      signatures_.parts_.reporter.fail(row("annotation_parameter"),
                                       {name, subject_name, std::to_string(size), name, std::to_string(before)},
                                       std::move(labels), &frame_);
    }
    const std::string first(source.known ? source.name : dim.name);
    if (source.known) labels.push_back({source.span, source.value ? first + " is " + what_is(*source.value) : ""});
    signatures_.parts_.reporter.fail(
        row("annotation_dimension"),
        {std::string(dim.name), std::to_string(before), first, std::to_string(size), subject_name}, std::move(labels),
        &frame_);
  }

  Source& source(uint32_t slot) {
    if (known_.empty()) known_.resize(slots_);
    return known_[slot];
  }

  int64_t integer(const Value& value, Span span) {
    if (is_symbolic(value)) signatures_.parts_.reporter.stop_staging("whether a dimension agrees", span, frame_);
    return whole_number(signatures_.parts_.reporter, value, row("annotation_number"), nullptr, span, frame_);
  }

  [[noreturn]] void fail(const Message& what, std::vector<std::string> parts, const Subject& subject,
                         const Value& value, std::string hint = {}) {
    signatures_.parts_.reporter.fail(what, std::move(parts), {{subject.span, "this is " + what_is(value)}}, &frame_,
                                     std::move(hint));
  }
  [[noreturn]] void fail_axis(const Message& what, const Annotation& annotation, unsigned axis, int64_t size,
                              int64_t wanted, const Subject& subject, const Value& value) {
    signatures_.parts_.reporter.fail(what,
                                     {std::string(subject.name), text(annotation), std::to_string(axis),
                                      std::to_string(size), std::to_string(wanted)},
                                     {{subject.span, "this is " + what_is(value)}}, &frame_);
  }

  const Signatures& signatures_;
  Frame& frame_;
  const uint32_t slots_;
  std::vector<Source> known_;     // by slot
  std::list<std::string> names_;  // of fields, for subjects
  std::vector<Waiting> waiting_;
};

// Of an argument its place is shown; of a default, or where there is no program, that of the parameter.
void Signatures::check_parameters(const core::Function& function, const Given& given, Frame& frame) {
  if (function.simple) return;
  Check check(*this, frame, function.slots);
  const auto span_of = [&](size_t i) {
    const core::Expr* written = given.expression(function, i);
    return written ? written->span : function.parameters[i].span;
  };
  check.parameter_span = span_of;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const core::Parameter& parameter = function.parameters[i];
    if (!parameter.annotation) continue;
    const core::Expr* written = given.expression(function, i);
    if (!written) written = parameter.fallback;
    check.check(*parameter.annotation, frame.slots[i], {parameter.name, span_of(i), written && written->literal});
  }
  check.finish();
  if (parts_.applier.staging() == nullptr) return;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Annotation* const annotation = function.parameters[i].annotation;
    if (annotation != nullptr) parts_.staged.know_extents(*annotation, frame.slots[i], frame);
  }
}

void Signatures::check_result(const core::Function& function, Value& result, Frame& frame) {
  const auto agree = [&](const DimAnnotation& dim, int64_t extent) { return is_extent(frame.slots[dim.slot], extent); };
  if (passes(*function.result, result, agree)) return;
  Check check(*this, frame, function.slots);
  for (const core::Parameter& parameter : function.parameters) {
    if (!parameter.annotation || parameter.annotation->kind != Annotation::Kind::tensor) continue;
    for (const DimAnnotation& dim : parameter.annotation->dims) {
      if (dim.kind == DimAnnotation::Kind::name) check.know(dim.slot, parameter.name, dim.span);
    }
  }
  const bool literal = function.expression && function.expression->literal;
  check.check(*function.result, result, {"the result", function.result->span, literal});
  check.finish();
}

Value Signatures::cast(const Value& value, Dtype dtype, Span span, const Frame& f) const {
  Value argument = value;
  const Value cast = parts_.host.dtype_value(dtype);
  return parts_.applier.call(*cast.function().entry(), {&argument, 1}, {}, 0, span, {&span, 1}, f);
}

}  // namespace covec
