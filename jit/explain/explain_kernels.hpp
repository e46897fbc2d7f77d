// Lists the kernels of a function's code, for explain. For each kernel it says what was fused and why fusion stopped.
// It lists vectorized loops and library calls. Matrix products show their shapes, and why the operations before and
// after them are not fused in. Each entry has its time if it was measured. Start at explain_kernels.
#pragma once

#include <string>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/cost/roofline.hpp"
#include "jit/pipeline.hpp"

namespace covec::jit {

// full: nothing is left out. roofline: with what each kernel takes, against this; nullptr: without.
struct Detail {
  bool full = false;
  const Roofline* roofline = nullptr;
};

std::string explain_kernels(const Walker& walker, const Code& code, const Detail& detail);

// "64 * x.shape[0]"
std::string product_text(const ir::Graph& graph, const std::vector<Dim>& dims, int64_t factor = 1);
// "3 kernels"
std::string plural(size_t count, const char* what);
// Items up to some, then how many more there are.
template <class Items, class Text>
std::string some_of(const Items& items, bool full, const char* what, Text text_of) {
  constexpr size_t max_shown = 8;  // items; chosen, not measured
  const size_t shown = full || items.size() <= max_shown + 1 ? items.size() : max_shown;
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += text_of(items[i]);
  if (shown < items.size()) text += "    … and " + plural(items.size() - shown, what) + " more\n";
  return text;
}

}  // namespace covec::jit
