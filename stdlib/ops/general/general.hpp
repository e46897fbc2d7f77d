// Operators that belong to no tensor family: text and output, sequences, lists and records, trees, time, constants.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

const Entry& len_entry();
const Entry& range_entry();
const Entry& enumerate_entry();
const Entry& zip_entry();
const Entry& progress_entry();
const Entry& progress_part_entry();
const Entry& list_entry();
const Entry& push_entry();
const Entry& map_entry();
const Entry& check_names_entry();
const Entry& keys_entry();
const Entry& has_entry();
const Entry& in_entry();
const Entry& make_map_entry();
const Entry& spread_fields_entry();
const Entry& spread_tuple_entry();
const Entry& same_entry();
const Entry& tree_map_entry();
const Entry& tree_leaves_entry();
const Entry& tree_vector_entry();
const Entry& print_entry();
const Entry& format_entry();
const Entry& str_entry();
const Entry& type_of_entry();
const Entry& error_entry();
const Entry& time_entry();
const Entry& sleep_entry();

// The items of a literal with spread parts: for each operand pair whether it is spread, and what.
std::vector<Value> spread_items(Builder& b, const Call& call);

// The kinds of errors that a program tells apart: what error(text, kind=kind) takes, and the error that it raises.
bool is_error_kind(std::string_view kind);
OpError error_of_kind(std::string text, std::string kind);

// What tells one error that a program has caught from another.
std::string error_text(const Record& record);

}  // namespace covec::ops
