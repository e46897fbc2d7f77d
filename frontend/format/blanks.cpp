// See blanks.hpp.
#include "frontend/format/blanks.hpp"

namespace covec::format {

namespace {

bool opens_bracket(Role role) {
  return role == Role::open_call || role == Role::open_group || role == Role::open_record;
}

// No blank stands before it.
bool clings_to_left(Role role) {
  switch (role) {
    case Role::comma:
    case Role::semicolon:
    case Role::dot:
    case Role::field_colon:
    case Role::option:
    case Role::open_call:
    case Role::close_bracket: return true;
    default: return false;
  }
}

// No blank stands behind it.
bool clings_to_right(Role role) {
  switch (role) {
    case Role::prefix:
    case Role::dot:
    case Role::slice_colon:
    case Role::option: return true;
    default: return opens_bracket(role);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without a blank the two would be read as other tokens: `* *x`, `1 .real`.
bool would_join(const Item& left, const Item& right, std::string_view text) {
  const char last = text[left.end - 1], next = text[right.begin];
  if (right.role == Role::dot) return is_digit(text[left.begin]);
  return last == next && (next == '*' || next == '.' || next == '/' || next == '=');
}

}  // namespace

uint32_t blanks_between(const Item& left, const Item& right, std::string_view text) {
  if (left.role == Role::open_block || right.role == Role::close_block) return right.role == Role::semicolon ? 0 : 1;
  if (left.role == Role::power) return left.is_spaced ? 1 : 0;
  if (right.role == Role::power) return right.is_spaced ? 1 : 0;
  const bool colon = right.role == Role::slice_colon && left.role != Role::comma;
  const bool clings = colon || clings_to_left(right.role) || clings_to_right(left.role);
  if (!clings) return 1;
  return would_join(left, right, text) && right.written_gap > 0 ? 1 : 0;
}

}  // namespace covec::format
