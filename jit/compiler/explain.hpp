// Writes the report of explain(f). Its first line says how much is compiled and what would help most; two lines say
// which line of the program costs the most and what to do about it (dearest_lines.hpp). Where there are several
// compilations, a line for each follows. In detail each has its key, why it was made, what it took, and its kernels
// with what was fused and why fusion stopped; the steps that call library code, and what the interpreter still does.
#pragma once

#include "jit/compiler/run_host.hpp"
#include "jit/explain/explain_kernels.hpp"
#include "jit/specialize/code_table.hpp"

namespace covec::jit {

// whole: all that there is to say. roofline: with what the code has taken, against this; nullptr: without.
struct Detail {
  bool whole = false;
  const Roofline* roofline = nullptr;
};

// The beginning of a long list of types, in so many bytes.
std::string shortened(const std::string& types, size_t longest);
// What a program is told of a function that is mostly interpreted.
std::string cliff_text(const Walker& walker, const Specialization& made);
// `function`: as it was before it was compiled.
// has_many: no code is made of it any more where it is called with what is new.
std::string explain(const RunHost& host, const Walker& walker, const CodeTable& table, const Value& function,
                    bool has_many, const Detail& detail);
// What the code that there is of a function takes is measured from the next call on.
void measure(CodeTable& table, const Value& function);
// The same of one that is never compiled by itself.
std::string unmarked(const Value& function);

}  // namespace covec::jit
