// Updates: x += e, x[i, :] = v, p.layer.w = v, xs.push(v), and the assignments of destructuring and loops. The right
// side is evaluated first, then the indices of the path; then the place is updated (token_spans.hpp). Start at
// update().
#pragma once

#include "interpreter/eval/walk/operators.hpp"
#include "interpreter/eval/walk/update_path.hpp"

namespace covec {

struct Parts;

class Updates {
 public:
  explicit Updates(Parts& parts) : parts_(parts) {}

  Flow update(const core::UpdatePath& node, Frame& f) {
    if (!node.apply_update) [[unlikely]]
      return update_first(node, f);
    return node.apply_update(*this, node, f);
  }
  void push(const core::Push& node, Frame& f);
  // A part of destructuring, a loop's variable.
  void assign(const core::Target& target, Value value, Span value_span, Frame& f);
  // Destructuring: items to targets, left to right.
  Value slice_of(const Value& value, int64_t first, int64_t count, Span span, Frame& f);
  void unpack(const Value& value, const core::Target& target, Span value_span, Frame& f);

 private:
  [[gnu::cold]] Flow update_first(const core::UpdatePath& node, Frame& f);
  core::ApplyUpdate chosen(const core::UpdatePath& node) const;
  struct Ways;  // the functions that chosen() chooses from
  void update_with(const core::UpdatePath& node, Raw value, Frame& f);
  void update_element(const core::Target& target, Change& change, Frame& f);
  Value* own_list(const core::Target& target, const Value& list, Frame& f);
  void push_item(Value& list, Value item, const Span& span, const Frame& f) const;
  PathValues evaluate_path(const core::Target& target, Frame& f);
  Value& root_of(const core::Target& target, const Frame& f) const;
  bool has_field(const Value& root, const core::Target& target, const PathValues& path, std::string_view name,
                 const Frame& f) const;

  Parts& parts_;
};

}  // namespace covec
