// Writes the samples of all entries that programs can name, for programs that compare builds: lines "sample NAME
// ARGUMENTS", and "pointwise NAME OPERANDS" for each elementwise operator, with tabs between.
#include <algorithm>
#include <iostream>

#include "stdlib/ops/contract/entry.hpp"

using covec::ops::Parameter;

int main() {
  for (const covec::ops::Entry* entry : covec::ops::all_entries()) {
    if (entry->internal && !entry->name.starts_with('_')) continue;
    for (const covec::ops::Sample& sample : entry->samples)
      std::cout << "sample\t" << entry->name << '\t' << sample.arguments << '\n';
    if (entry->pointwise == nullptr || entry->internal) continue;
    const auto operands = std::ranges::count(entry->parameters, covec::ops::ParameterKind::tensor, &Parameter::kind);
    std::cout << "pointwise\t" << entry->name << '\t' << operands << '\n';
  }
}
