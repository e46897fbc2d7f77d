// Reads a figure from values of the language. A value that does not fit is an OpError that names the function of `plot`
// and its argument.
#pragma once

#include "stdlib/plot/figure.hpp"

namespace covec::plot {

// Whether a value is what the functions of the module `plot` make.
bool is_figure(const Value& value);
// `function` is what messages about options speak of; "": the function that made the only mark, else `figure`.
Figure read_figure(const Value& value, const std::string& function = {});

}  // namespace covec::plot
