// Hints that rows of both files of the table of habits share.
#pragma once

#include <string_view>

namespace covec::foreign_syntax {

inline constexpr std::string_view kGpu =
    "compile(f, device=\"gpu\") runs a function on a GPU, and to(x, \"gpu\") moves a tensor there";
inline constexpr std::string_view kValues = "values never share memory: write y = x";
inline constexpr std::string_view kGrad = "take the derivative of a function: write grad(f)(x)";
inline constexpr std::string_view kBlocks = "put blocks in braces: { … }";
inline constexpr std::string_view kRecord = "records hold values: write p = {w: 1, b: 2}";
inline constexpr std::string_view kDelete =
    "names need not be deleted; to delete an entry, write d.remove(k), or xs.pop(i) for a list";
inline constexpr std::string_view kClock = "write time()";
inline constexpr std::string_view kReadJson = "write import table, then table.read_json(\"file.json\")";
inline constexpr std::string_view kRoot = "write import optim, then optim.root(f, x0)";
inline constexpr std::string_view kFigure = "write import plot, then plot.show(plot.line(x, y))";
inline constexpr std::string_view kSubplot = "write plot.grid([[plot.line(x), plot.hist(x)]])";
inline constexpr std::string_view kSave = "write plot.save(plot.line(x, y), \"figure.png\")";
inline constexpr std::string_view kPicture = "write plot.heatmap(z), or plot.image(z) for a picture";
inline constexpr std::string_view kLabel = "a label is an option: write plot.line(x, y, xlabel=\"t\", title=\"name\")";
inline constexpr std::string_view kLegend =
    "a legend appears where lines have labels: write plot.line(x, y, label=\"a\")";
inline constexpr std::string_view kRows =
    "a table is a record of columns: write t = {x: [1.0, 2.0], name: list(\"a\", \"b\")}";
inline constexpr std::string_view kAllSum = "write import parallel, then parallel.all_sum(x)";
inline constexpr std::string_view kAllGather = "write import parallel, then parallel.all_gather(x)";
inline constexpr std::string_view kRanks = "write import parallel: its functions join all processes of the job";
inline constexpr std::string_view kError = "write error(\"message\")";

}  // namespace covec::foreign_syntax
