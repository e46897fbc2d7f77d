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
    {"spread_keys", "`**` spreads a map whose keys are names, not {}"},
    {"not_callable", "cannot call {}"},
    {"too_many_arguments", "{} takes {}, got {}"},
    {"missing_argument", "{} is called without a value for `{}`"},
    {"unknown_keyword", "{} has no parameter `{}`"},
    {"duplicate_argument", "{} gets `{}` twice"},
    {"unknown_option", "`{}` is no option of {}"},
    {"recursion", "recursion too deep: {} nested calls"},
    {"stack", "recursion too deep: the stack is full"},
    {"names_limit", "a module has at most {} names"},
    // annotations
    {"annotation_dtype", "`{}` must be {}, got {}"},
    {"annotation_range", "`{}` must be {}, but {} does not fit"},
    {"annotation_rank", "`{}` must be {}, got {}"},
    {"annotation_kind", "`{}` must be {}, got {}"},
    {"annotation_dimension", "dimension `{}` is {} in `{}` but {} in `{}`"},
    {"annotation_parameter", "dimension `{}` of `{}` is {}, but the argument `{}` is {}"},
    {"annotation_literal", "`{}` must be {}: axis {} is {}, not {}"},
    {"annotation_expression", "`{}` must be {}: axis {} is {}, not {}"},
    {"annotation_field", "`{}` must be {}: it has no field `{}`"},
    {"annotation_items", "`{}` must be {}: it has {}"},
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
    {"too_many_items", "an index has {} parts, but the limit is {}"},
    // updates
    {"not_assignable", "cannot assign to a part of {}"},
    {"new_field", "{} has no field `{}`, and a record cannot get new fields"},
    {"slice_update", "cannot assign to a slice of {}"},
    {"string_update", "strings cannot be changed"},
    {"push", "cannot push to {}"},
    {"ellipsis_list", "{} takes an integer or a slice as its index"},
    {"unpack", "cannot unpack {} into {}"},
    {"unpack_kind", "cannot unpack {}"},
    // loops and comprehensions
    {"not_iterable", "cannot iterate over {}"},
    {"filter_of_examples", "the length differs between examples: reduce, or use `where`"},
    {"extent_mismatch", "the extents of `{}` differ: {} and {}"},
    {"extent_operand", "`{}` indexes {}: only a tensor defines its range"},
    // statements
    {"assertion", "assertion failed"},
    {"assertion_message", "assertion failed: {}"},
    {"interrupted", "interrupted", ErrorKind::interrupted},
    // derivatives
    {"derivative_target", "@derivative(of=…) needs a function, got {}"},
    {"derivative_place", "@derivative(of=…) must name a function of this block"},
    {"derivative_parameters",
     "{} is the rule of {} for {} mode: it must take {} arguments (those of the function, the result, {}), but it "
     "takes {}"},
    {"compile_target", "compile needs a function, got {}"},
    // modules
    {"module_not_found", "no module `{}`"},
    {"module_cycle", "modules import each other in a cycle: {}"},
    {"unreadable_file", "cannot read {}"},
    {"endless_file", "cannot read {}: it is longer than 64 MiB, the limit for a program"},
    // the rest
    {"loop_not_staged", "{}"},  // what was said of a statement in it
    {"host_exception", "the host function threw an exception: {}"},
    {"host_nothing", "the host function {} returned no value and no error"},
    {"host_foreign", "the host function {} returned a value that is not of this session"},
    {"host_result", "the host function {} must return {}, as the host declared it, but it returned {}"},
    {"host_failed", "the host function {} failed: {}"},
    {"host_ranks", "the host's function {} for its ranks failed (error {})"},
    {"host_ranks_moved", "the host's functions have not put the bytes of rank {} in their place"},
    {"host_ranks_ended", "this rank can do no more with others{}"},
    // limits of a run
    {"deadline", "the program ran longer than its limit of {}", ErrorKind::interrupted},
    {"no_watchdog", "a time limit needs a thread, but no thread could be started: {}"},
    {"no_timer", "a profile needs a timer, and the system gave none: {}"},
    {"isa_not_built", "COVEC_ISA={}: this build has kernels for {} only"},
    {"print_limit", "the program printed more than its limit of {} bytes"},
    {"internal", "this is a bug in covec: {}"},
};

static_assert(keys_agree(message_keys, message_table),
              "messages.hpp has other keys, another order, or other numbers of {}");

}  // namespace covec::eval
