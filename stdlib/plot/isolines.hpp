// Lines of one height through a grid, by marching squares.
#pragma once

#include <vector>

#include "stdlib/plot/figure.hpp"

namespace covec::plot {

// In units of cells: x counts columns, y rows. A closed line's last point is its first.
using Isoline = std::vector<Point>;

// The open and closed lines where z is `level`; cells with a corner that is not finite have none. `canvas`: of whose
// context the interrupt is looked at.
std::vector<Isoline> isolines(const Grid& z, double level, const Canvas& canvas = {});
// Closed lines around all that is at least `level`, along the grid's edge too; what is not finite lies outside.
std::vector<Isoline> outlines(const Grid& z, double level, const Canvas& canvas = {});

}  // namespace covec::plot
