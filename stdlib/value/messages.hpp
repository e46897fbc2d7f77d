// Every message of the standard library, once. `message("key")` finds one at compile time, so that a key without a row
// does not compile; the tests walk the table and ask that each row is provoked. {} marks a part to fill in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace covec {

// What the engines themselves do something about; everything else about an error is for people.
enum class ErrorKind : uint8_t {
  ordinary,
  interrupted,     // from outside: nobody may go on
  no_memory,       // nor here, or it is asked for again
  ended,           // the program has ended itself (exit), with Context::exit_status
  not_staged,      // only the run knows it: what needs it is left to the interpreter
  list_active,     // not staged, and for a list of values that a transformation follows
  compiler_limit,  // more than is ever compiled: leaving out a statement would not help
  no_value,        // a variable that this path has not assigned; the message is its name
};

constexpr bool ends_all(ErrorKind kind) {
  return kind == ErrorKind::interrupted || kind == ErrorKind::no_memory || kind == ErrorKind::ended;
}

struct Message {
  std::string_view key;
  std::string_view pattern;
  ErrorKind kind = ErrorKind::ordinary;
};

inline constexpr Message message_table[] = {
    // memory and limits
    {"out_of_memory", "out of memory: {} are needed, the limit is {}", ErrorKind::no_memory},
    {"system_memory", "out of memory: the system has no more", ErrorKind::no_memory},
    {"device_memory", "out of memory on {}: {} are needed, {} are in use, the limit is {}", ErrorKind::no_memory},
    {"device_failed", "{} on {} failed: {}"},
    {"device_unknown", "there is no device {}: {}"},
    {"rank_limit", "a tensor of rank {} is too deep: the limit is 16"},
    {"too_deep", "a value nested more than {} deep"},
    // trees
    {"tree_mismatch", "the trees differ: {}"},
    {"no_key", "the record has no field {}"},
    {"key_missing", "the map has no key {}"},
    {"key_kind", "a key is a string, an integer, a bool or a tuple of these, not {}"},
    {"map_pairs", "map takes pairs of a key and a value, got {}"},
    {"map_size", "a map of more than 4294967294 keys"},
    {"spread_into_map", "only a map spreads into a map, not {}"},
    {"spread_into_record", "only a record spreads into a record, not {}"},
    {"spread_kind", "`...` spreads a record or a map, not {}"},
    {"sort_kind", "items are put in order by numbers, strings or tuples of them, not {}: give sort a function, by=f"},
    {"sort_mixed", "{} and {} have no order between them"},
    {"filter_condition", "filter needs true or false of its function, got {}"},
    {"kinds_differ", "{} is never equal to {}"},
    {"pop_empty", "cannot pop from an empty list"},
    {"tree_vector_size", "the tree takes a vector of {} numbers, got {}"},
    {"in_kind", "`in` looks into a map, record, string, tuple, list or tensor, not {}"},
    {"in_string", "part of a string is a string, not {}"},
    {"in_tensor", "an element of a tensor is a number, not {}"},
    // text and formats
    {"text_number", "cannot read {} as {}: {}"},
    {"digits_range", "digits must lie between 1 and 17, got {}"},
    {"user_error", "{}"},
    {"raised_again", "{}"},
    {"ended", "the program has ended itself: exit({})", ErrorKind::ended},
    {"no_input", "input: what runs this program gives it no input"},
    {"input_not_utf8", "input: the line {} is not UTF-8 text"},
    {"empty_separator", "{}: the empty text stands between any two characters; codes(text) and text[i] give each"},
    {"join_turned", "join takes the strings first, then what to put between them: write items.join(by)"},
    {"join_item", "join: item {} is {}, not a string: str(x) makes text of it"},
    {"code_point", "from_codes: {} at {} is no code point"},
    {"argument_not_utf8", "{}: argument {} of the program is not UTF-8 text"},
    {"option_unknown", "options: the program has no option {}"},
    {"option_bare", "options: {} belongs to no option"},
    {"option_value", "options: --{} {}"},
    {"format_spec", "cannot read the format '{}': {}"},
    {"format_value", "cannot format {} with '{}': {}"},
    // sequences and calls
    {"not_a_sequence", "{} needs something to iterate over, got {}"},
    {"no_length", "{} has no length"},
    {"range_step", "range: the step cannot be 0"},
    {"argument_twice", "{} got its argument {} twice"},
    {"argument_unknown", "{} has no parameter {}"},
    // files
    {"file_unreadable", "cannot read {}: {}"},
    {"file_damaged", "cannot read {}: at byte {}: {}"},
    {"file_unwritable", "cannot write {}: {}"},
    {"file_format", "{}: cannot tell the format of {}: its name must end in .npy, .npz or .safetensors"},
    {"file_leaf", "cannot save {}: {} is {}, not a tensor of numbers"},
    {"file_key", "cannot save a map with the key {}: files name strings, integers and bools"},
    {"file_names", "cannot save {}: two leaves are named {}"},
    {"file_unlike", "cannot load {} like that: {}"},
    {"shared_examples",
     "{} changes what all examples of a vmap or comprehension share: call it outside, or write a for loop"},
    // figures
    {"table_argument", "table.{}: `{}` must be {}, got {}"},
    {"table_data", "table.{}: {}"},
    {"plot_argument", "plot.{}: `{}` must be {}, got {}"},
    {"plot_data", "plot.{}: {}"},
    {"image_format", "cannot tell the format of {}: its name must end in .png, .jpg or .jpeg"},
    {"plot_format", "plot.save: cannot tell the format of {}: its name must end in .svg or .png"},
    {"plot_cairo", "plot.save: PNG needs Cairo, which cannot be used: {}"},
    {"file_not_utf8", "cannot read {}: line {} is not UTF-8 text"},
    {"csv_empty", "cannot read {}: it holds no rows"},
    {"csv_ragged", "cannot read {}: rows differ in length: {} in line {}, {} in line {}"},
    {"csv_empty_field", "cannot read {}: line {}, field {} is empty"},
    {"csv_range", "cannot read {}: line {}, field {}: {} is outside the range of f64"},
    {"csv_quotes", "cannot read {}: line {}, field {}: {}"},
    {"csv_not_a_number", "cannot read {}: line {}, field {}: '{}' is not a number"},
    // pointwise operators
    {"interrupted", "interrupted", ErrorKind::interrupted},
    {"pointwise_shapes", "cannot {}: dimensions {} and {} differ on axis {}"},
    {"pointwise_integers", "cannot {}: it takes bools or integers, not {}"},
    {"pointwise_whole", "cannot {}: it takes integers, not {}"},
    {"pointwise_mixed", "cannot {}: it takes two bools or two integers, not {}"},
    {"pointwise_condition", "cannot {}: the condition is a bool, not {}"},
    {"pointwise_not", "cannot {}: not takes a bool, not {}"},
    {"divide_by_zero", "integer division by zero{}"},
    {"negative_exponent", "an integer cannot be raised to a negative power{}"},
    {"negative_shift", "an integer cannot be shifted by a negative number{}"},
    {"literal_range", "the number {} does not fit in {}"},
    // arguments and attributes
    {"argument_count", "{} takes {} arguments, got {}"},
    {"argument_missing", "{} needs the argument {}"},
    {"not_numeric", "{} needs a tensor of numbers, got {}"},
    {"bad_attribute", "{}: {} must be {}, got {}"},
    {"axis_range", "{}: axis {} is out of range for rank {}"},
    {"negative_size", "{}: a size cannot be negative, got {}"},
    // shape
    {"reshape_elements", "cannot reshape {} into {}: {} elements against {}"},
    {"reshape_unknown", "cannot reshape {}: at most one size may be -1"},
    {"reshape_infer", "cannot reshape {} into {}: {} elements do not divide evenly"},
    {"permutation", "{}: the axes must be a permutation of 0 to {}, got {}"},
    {"axis_repeated", "{}: axis {} is given twice"},
    {"squeeze_axis", "cannot squeeze axis {} of {}: its size is {}, not 1"},
    {"join_empty", "{} needs at least one tensor"},
    {"join_tensors", "{} needs a tuple or list of tensors, got {}"},
    {"concat_scalar", "cannot concat numbers: they have no axis (stack makes one)"},
    {"concat_rank", "cannot concat {} and {}: their ranks differ"},
    {"concat_shape", "cannot concat along axis {}: sizes {} and {} differ on axis {}"},
    {"stack_shape", "cannot stack {} and {}: their shapes differ"},
    {"broadcast_to", "cannot broadcast {} to {}: sizes {} and {} differ on axis {}"},
    {"broadcast_rank", "cannot broadcast {} to {}: rank {} is more than {}"},
    {"sum_to", "cannot sum {} to {}: it does not broadcast to that shape"},
    {"split_parts", "cannot split {} elements into {} equal parts"},
    {"split_points", "cannot split {} elements at {}: the places must rise from 0 to the size"},
    {"repeat_count", "{}: a count cannot be negative, got {}"},
    {"roll_counts", "roll: {} shifts do not go with {} axes"},
    {"pad_widths", "pad: {} pairs of widths for the axes of {}"},
    {"topk_count", "topk: k is {}, but there are {} elements"},
    {"searchsorted_rank", "searchsorted: sorted must have rank 1, got {}"},
    {"gather_rank", "{}: x and indices must have the same rank, got {} and {}"},
    {"one_hot_range", "one_hot: index {} is out of range for rows of {}"},
    // statistics
    {"quantile_share", "{}: q must lie between 0 and 1, got {}"},
    {"bin_number", "{}: x must not be negative, got {} at {}"},
    {"bin_weights", "{}: weights must have the shape of x, {}, got {}"},
    {"bin_range", "histogram: the range must be two finite numbers of which the second is larger, got {} and {}"},
    {"windows_size", "windows: a window of {} does not fit into an axis of {}"},
    {"lengths_differ", "{}: {} and {} must have as many elements along the axis, got {} and {}"},
    {"convolve_empty", "{}: a and v must have elements, got {} and {}"},
    {"repeat_counts", "repeat: there are {} counts for {} elements"},
    {"polyfit_points", "polyfit: {} coefficients need as many points, got {}"},
    {"bin_edges", "{}: {} must rise, but {} comes after {}"},
    // indexing
    {"index_range", "index {} is out of range for axis {} of size {}"},
    {"item_range", "index {} is out of range for {} of length {}"},
    {"index_too_many", "too many indices: {} for {} of rank {}"},
    {"index_ellipsis", "an index may have only one ..."},
    {"index_step", "the step of a slice cannot be 0"},
    {"index_kind", "an index must be an integer, a slice, a tensor of integers or a mask, got {}"},
    {"index_bound", "the bounds of a slice must be integers, got {}"},
    {"index_mask", "a mask of shape {} cannot select here: axis {} has size {}"},
    {"index_broadcast", "the index tensors do not go together: {} and {}"},
    {"index_rank", "the result of this index would have rank {}: the limit is 16"},
    {"index_assign_shape", "cannot assign {} to a place of shape {}"},
    {"index_assign_dtype", "cannot store {} in a tensor of {}"},
    // making tensors
    {"ragged", "ragged literal: row {} {}, row 0 {}"},
    {"literal_element", "a tensor holds numbers, got {}"},
    {"arange_step", "arange: the step cannot be 0"},
    {"arange_size", "arange: {} elements are too many"},
    {"diag_rank", "diag takes a vector or a matrix, got {}"},
    {"matrix_rank", "{} takes matrices, tensors of rank 2 or more, got {}"},
    {"meshgrid_rank", "meshgrid takes vectors and numbers, got {}"},
    {"grid_bound", "{}: {} must be a finite number"},
    // random numbers
    {"random_dtype", "{}: random numbers are f32 or f64, got {}"},
    {"randint_range", "randint: low {} must be below high {}"},
    {"choice_empty", "choice: there is nothing to choose from"},
    {"choice_count", "choice: {} cannot be chosen of {} without choosing one twice"},
    {"choice_p_shape", "choice: p must have one probability for each of {} elements, got {}"},
    {"choice_p_value", "choice: {} at {} of p is no probability"},
    {"choice_p_sum", "choice: the probabilities must sum to 1, got {}"},
    // reductions and products
    {"reduce_empty", "{} of an empty axis has no value"},
    {"matmul_rank", "cannot multiply {} @ {}: a product needs tensors of rank 1 or more"},
    {"matmul_inner", "cannot multiply {} @ {}: inner dimensions {} and {} differ"},
    {"matmul_batch", "cannot multiply {} @ {}: batch dimensions {} and {} differ"},
    {"dot_rank", "dot takes tensors of rank 1 or 2, got {} and {}"},
    {"matrix_square", "{} needs a square matrix, got {}"},
    {"singular", "{}: the matrix{} is singular"},
    {"not_symmetric", "{}: the matrix{} is not symmetric"},
    {"not_positive_definite", "cholesky: the matrix{} is not positive definite"},
    {"no_decomposition", "{}: the matrix{} has none: it holds NaN or infinity, or the search for it does not converge"},
    {"solve_rank", "{}: b must be a vector or a matrix, got {}"},
    {"solve_rows", "cannot solve {} @ x = {}: {} rows against {}"},
    {"solve_stacks", "cannot solve {} @ x = {}: stacks of {} and {} matrices"},
    {"wide_derivative", "svd: only the reduced form (full_matrices=false) can be differentiated"},
    {"einsum", "einsum: {}"},
    {"lu_derivative", "lu: only that of square matrices can be differentiated, got {}"},
    {"no_square_root", "sqrtm: the matrix{} has no real square root, or none that the search for it finds"},
    {"bands", "banded_solve: ab must have one row for each of the {} bands, got {}"},
    {"special_shapes", "cannot {}: dimensions {} and {} differ"},
    {"shape_derivative", "{} has no derivative by {} in closed form"},
    {"contract_extent", "cannot sum this product: one index runs to {} in {} and to {} in {}"},
    // convolutions and pools
    {"signal_rank", "{} takes {} of rank {} ({}), got {}"},
    {"conv_channels", "{}: x has {} channels, but w, {}, with groups={} takes {}"},
    {"conv_groups", "{}: groups={} does not divide the {} channels of the result"},
    {"conv_bias", "{}: bias must be one number for each of the {} channels of the result, got {}"},
    {"conv_same", "{}: padding=\"same\" needs a stride of 1, got {}"},
    {"window_least", "{}: {} must be {} or more, got {}"},
    {"window_most", "{}: {} must be {} or less, got {}"},
    {"window_fit", "{}: a window of {} does not fit into an axis of {} with padding {}"},
    {"pool_padding", "{}: padding {} is more than half of the window's size, {}"},
    // derivatives and vmap
    {"no_derivative", "{} cannot be differentiated: it {}"},
    {"escaped_batch", "{} was given a value of a vmap that has ended"},
    {"in_derivative", "the derivative of {} cannot be taken: {}"},
    {"not_finite_gradient", "the gradient of {} is not finite here"},
    {"not_a_function", "{} needs a function, got {}"},
    {"no_parameter_named", "{}: {} has no parameter named {}"},
    {"no_parameter_number", "{}: {} has {} parameters, there is no parameter {}"},
    {"bad_parameter", "{}: {} takes a parameter's number or name, or a tuple of them, not {}"},
    {"parameter_twice", "{}: {} names parameter {} twice"},
    {"no_parameters", "{}: {} is empty"},
    {"parameter_not_given", "{}: the parameter {} is not given in this call"},
    {"bad_choice", "{}: {} must be one of {}, not {}"},
    {"no_float_leaf", "{} needs floats to differentiate by, {} is {}"},
    {"no_float_primal", "vjp needs a float tensor among its primals"},
    {"aux_result", "{} with has_aux=true needs a tuple of at least two results, got {}"},
    {"grad_result_kind", "{} needs a scalar float result, got {}"},
    {"grad_result_dtype", "{} needs a float result, got {}"},
    {"grad_result_shape", "{} needs a scalar result, got {}; use jacobian or sum"},
    {"jacobian_result", "{} needs a float result, got {}"},
    {"cotangent_kind", "{} of {} must be a tensor like it, got {}"},
    {"cotangent_shape", "{} of {} must have its shape, got {}"},
    {"tangent_count", "jvp takes one tangent per primal: {} primals, {} tangents"},
    {"rule_arguments",
     "{} has a rule of its own (@derivative or checkpoint): the argument {} must be given in this call"},
    {"rule_results", "{} must give one cotangent per argument: {} are needed, got {}"},
    {"rule_function_captures",
     "{} gives nothing for an argument that is a function, and that has captured a value that is being differentiated "
     "by: give a function of it, whose gradient is the cotangent"},
    {"rule_of_function",
     "{} must give none for an argument that is a function, or a function of it that gives a float, got {}"},
    {"rule_captures",
     "{} has a derivative rule, which speaks of its arguments only, but captures a value that is being differentiated "
     "by: pass it as an argument"},
    {"vmap_sizes", "{}: {} has {} examples, {} has {}"},
    {"vmap_nothing", "{}: no argument has examples to map over"},
    {"vmap_axes", "vmap: in_axes is a number, a name, none, or a tuple with one of them per parameter, not {}"},
    {"vmap_axes_count", "{}: in_axes has {} elements, there is none for {}"},
    {"vmap_axes_tree", "{}: in_axes does not fit {}: a {} against a {}"},
    {"vmap_axis", "{}: {} is {}, which has no axis {}"},
    {"cannot_stack", "{} gives a {} for each example; only tensors of numbers stack"},
    {"examples_differ", "{}: example {} gives {}, example 0 gives {}; results of one shape stack"},
    {"no_examples", "{} is over no examples, and what it would give depends on them"},
    // compiling: the statement is interpreted instead
    {"list_active", "{} of a list of values that a derivative or vmap follows is not known before the run",
     ErrorKind::list_active},
    {"not_staged", "{} is not known before the run", ErrorKind::not_staged},
    // internal
    {"compiler_limit", "a function of more than {} operations", ErrorKind::compiler_limit},
    {"compile_strict", "{} cannot be compiled: {}"},
    {"internal", "this is a bug in covec: {}"},
};

struct UnknownMessageKey {};
consteval const Message& message(std::string_view key) {
  for (const Message& row : message_table) {
    if (row.key == key) return row;
  }
  throw UnknownMessageKey{};
}

}  // namespace covec
