// The texts of the interpreter's messages, in the order of their keys. Only this source contains them, so a new wording
// recompiles one source.
#include "interpreter/eval/report/messages.hpp"

namespace covec::eval {

constexpr Message message_table[] = {
    // names
    {"no_value", "`{}` has no value here: it is assigned on one path only"},
    {"no_global_value", "`{}` has no value yet"},
    {"no_captured_value", "`{}` has no value here: it had none when this function was made"},
    // choice
    {"condition", "condition must be a rank-0 bool, got {}"},
    {"logical_operand", "operands of `{}` must be rank-0 bools, got {}"},
    // calls
    {"spread_fields", "`**` spreads a record into arguments by name, not {}"},
    {"spread_keys", "`**` spreads a map with names for keys, not {}"},
    {"not_callable", "cannot call {}"},
    {"too_many_arguments", "{} takes {}, got {}"},
    {"missing_argument", "{} is called without a value for `{}`"},
    {"unknown_keyword", "{} has no parameter `{}`"},
    {"duplicate_argument", "{} gets `{}` twice"},
    {"recursion", "recursion too deep: {} calls are open"},
    {"stack", "recursion too deep: the stack is used up"},
    {"names_limit", "a module with more than {} names"},
    // annotations
    {"annotation_dtype", "`{}` must be {}, got {}"},
    {"annotation_range", "`{}` must be {}, and {} does not fit"},
    {"annotation_rank", "`{}` must be {}, got {}"},
    {"annotation_kind", "`{}` must be {}, got {}"},
    {"annotation_dimension", "dimension `{}` is {} in `{}` but {} in `{}`"},
    {"annotation_parameter", "dimension `{}` of `{}` is {}, but the argument `{}` is {}"},
    {"annotation_literal", "`{}` must be {}: axis {} is {}, not {}"},
    {"annotation_expression", "`{}` must be {}: axis {} is {}, not {}"},
    {"annotation_field", "`{}` must be {}: it has no field `{}`"},
    {"annotation_number", "a dimension must be an integer, got {}"},
    // parts
    {"no_field", "{} has no field `{}`"},
    {"unused_method", "the value of this statement is not used"},
    {"method_arguments", "{}"},
    {"no_method", "{} has no method `{}`"},
    {"no_attribute", "{} has no attribute `{}`"},
    {"module_name", "module `{}` has no name `{}`"},
    {"not_indexable", "cannot index {}"},
    {"one_index", "{} takes one index, got {}"},
    {"index_kind", "an index of {} must be an integer or a slice, got {}"},
    {"key_slice", "a map takes keys, not slices"},
    {"slice_part", "parts of a slice must be integers, got {}"},
    {"slice_step", "the step of a slice must not be 0"},
    {"too_many_items", "an index of {} parts: the limit is {}"},
    // updates
    {"not_assignable", "cannot assign to a part of {}"},
    {"new_field", "{} has no field `{}`: records keep their fields"},
    {"slice_update", "cannot assign to a slice of {}"},
    {"string_update", "strings cannot be changed"},
    {"push", "cannot push to {}"},
    {"ellipsis_list", "{} takes an integer or a slice as its index"},
    {"unpack", "cannot unpack {} into {}"},
    {"unpack_kind", "cannot unpack {}"},
    // loops and comprehensions
    {"not_iterable", "cannot iterate over {}"},
    {"extent_mismatch", "the extents of `{}` differ: {} and {}"},
    {"extent_operand", "`{}` indexes {}: only tensors give it an extent"},
    // statements
    {"assertion", "assertion failed"},
    {"assertion_message", "assertion failed: {}"},
    {"interrupted", "interrupted", ErrorKind::interrupted},
    // derivatives
    {"derivative_target", "@derivative(of=…) needs a function, got {}"},
    {"derivative_place", "@derivative(of=…) must name a function of this block"},
    {"derivative_parameters",
     "{} is the rule of {} for {} mode: it gets {} arguments (those of the function, the result, {}), and takes {}"},
    {"compile_target", "compile needs a function, got {}"},
    // modules
    {"module_not_found", "no module `{}`"},
    {"module_cycle", "modules import each other in a cycle: {}"},
    {"unreadable_file", "cannot read {}"},
    {"endless_file", "cannot read {}: it is longer than any program, 64 MiB"},
    // the rest
    {"loop_not_staged", "{}"},  // what was said of a statement in it
    {"host_exception", "the host's function has thrown an exception: {}"},
    {"host_nothing", "the host's function {} gave no value, and did not say why"},
    {"host_foreign", "the host's function {} gave a value that is not of this session"},
    {"host_result", "the host's function {} must give {}, as the host has declared it, and gave {}"},
    {"host_failed", "the host's function {} failed: {}"},
    // limits of a run
    {"deadline", "the program has run longer than the {} that it may", ErrorKind::interrupted},
    {"no_watchdog", "a deadline needs a thread, which cannot be started: {}"},
    {"print_limit", "the program has printed more than the {} bytes that it may"},
    {"internal", "this is a bug in covec: {}"},
};

static_assert(keys_agree(message_keys, message_table),
              "messages.hpp has other keys, another order, or other numbers of {}");

}  // namespace covec::eval
