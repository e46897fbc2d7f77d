// See result_type.hpp.
#include "interpreter/host/result_type.hpp"

#include <algorithm>
#include <charconv>

#include "frontend/common/trimmed.hpp"
#include "frontend/resolve/resolve.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::embedding {

namespace {

std::optional<int64_t> extent_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<ResultType> ResultType::read(std::string_view text) {
  ResultType read;
  read.text_ = text = trimmed(text);
  const size_t bracket = text.find('[');
  const auto* const dtype =
      std::ranges::find_if(all_dtypes, [&](Dtype each) { return name_of(each) == trimmed(text.substr(0, bracket)); });
  if (dtype == all_dtypes.end()) return std::nullopt;
  read.dtype_ = *dtype;
  if (bracket == std::string_view::npos) return read;
  if (!text.ends_with(']')) return std::nullopt;
  std::string_view left = text.substr(bracket + 1, text.size() - bracket - 2);
  for (bool more = true; more;) {
    const size_t comma = left.find(',');
    const std::string_view extent = trimmed(left.substr(0, comma));
    const std::optional<int64_t> number = extent_number(extent);
    if (number)
      read.extents_.push_back({*number, ""});
    else if (extent == "_")
      read.extents_.emplace_back();
    else if (is_variable_name(extent))
      read.extents_.push_back({-1, std::string(extent)});
    else
      return std::nullopt;
    more = comma != std::string_view::npos;
    if (more) left.remove_prefix(comma + 1);
  }
  return read.extents_.size() <= max_rank ? std::optional(std::move(read)) : std::nullopt;
}

Type ResultType::type(ops::ShapeBuilder& builder) const {
  Type type{dtype_, {}};
  for (size_t axis = 0; axis < extents_.size(); ++axis) {
    const Extent& extent = extents_[axis];
    size_t first = axis;
    for (size_t other = 0; other < axis && !extent.name.empty(); ++other) {
      if (extents_[other].name == extent.name) first = std::min(first, other);
    }
    type.shape.push_back(extent.number >= 0 ? Dim(extent.number)
                         : first < axis     ? type.shape[static_cast<unsigned>(first)]
                                            : builder.unknown_dim());
  }
  return type;
}

bool ResultType::agree(size_t axis, int64_t extent, const Value& value) const {
  const Extent& declared = extents_[axis];
  if (declared.number >= 0) return extent == declared.number;
  for (size_t other = 0; other < axis && !declared.name.empty(); ++other) {
    if (extents_[other].name == declared.name) return value.tensor().dims()[other] == extent;
  }
  return true;
}

bool ResultType::fits(const Value& value) const {
  if (!value.is_numeric() || dtype_of(value) != dtype_ || rank_of(value) != extents_.size()) return false;
  for (size_t axis = 0; axis < extents_.size(); ++axis) {
    if (!agree(axis, value.tensor().dims()[axis], value)) return false;
  }
  return true;
}

std::optional<Type> ResultType::known() const {
  Type type{dtype_, {}};
  for (const Extent& extent : extents_) {
    if (extent.number < 0) return std::nullopt;
    type.shape.push_back(extent.number);
  }
  return type;
}

}  // namespace covec::embedding
