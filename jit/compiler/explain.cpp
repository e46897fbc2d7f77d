#include "jit/compiler/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "jit/device/code.hpp"
#include "jit/explain/explain_saved.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

std::string times_text(const Code& code, bool full) {
  double total = 0;
  std::string passes;
  char number[64];
  for (const PassTime& time : code.times) {
    total += time.microseconds;
    std::snprintf(number, sizeof number, "%s %.0f", time.name.c_str(), time.microseconds);
    passes += (passes.empty() ? "" : ", ") + std::string(number);
  }
  std::snprintf(number, sizeof number, "%.0f", total);
  return "    compiled in " + std::string(number) + " us" + (full ? " (" + passes + ")" : "") + ", " +
         std::to_string(code.bytes) + " bytes of code\n";
}

std::string device_text(const runtime::DeviceCode& code) {
  const runtime::DeviceTally& tally = code.tally;
  std::string text = "    on " + code.accelerator().device().name() + ": " + plural(tally.kernels, "kernel") + " and " +
                     plural(tally.operators, "operator") + " so far\n";
  if (code.precision() != Precision::full) {
    text += std::string("    precision=") + (code.precision() == Precision::tf32 ? "tf32" : "bf16") + ": " +
            plural(tally.library, "product") + " by cuBLASLt\n";
  }
  for (const auto& [name, fetched] : tally.fetched) {
    text += "    fetched for " + name + ", which the processor computes: " + human_bytes(fetched.bytes) + " in " +
            plural(fetched.times, "call") + "\n";
  }
  if (tally.numbers > 0) {
    text += "    " + plural(tally.numbers, "number") +
            " fetched, for conditions, results and other work of the processor\n";
  }
  return text;
}

std::string placed(const Walker& walker, Span at, std::string_view reason) {
  return reason_text(reason) + (at.known() ? " (" + walker.place_text(at) + ")" : "");
}

std::string explain(const Walker& walker, const Specialization& made, const Detail& detail) {
  const bool full = detail.full;
  std::string text = "  for (" + (full ? made.cause.types : shortened(made.cause.types)) +
                     "): " + (full ? made.cause.text : shortened(made.cause.text)) + "\n";
  if (made.reads_interpreted()) return text + "    interpreted: " + placed(walker, made.reason_at, made.reason) + "\n";
  text += times_text(made.code, full) + explain_kernels(walker, made.code, detail) +
          explain_saved(walker, *made.code.graph, full);
  if (made.checks() > Specialization::max_cheap_checks && made.code.device == nullptr)
    text += "    each call checks " + std::to_string(made.checks()) +
            " parts of its arguments; if the interpreter is faster, it runs the call (not with strict=true)\n";
  if (made.code.device != nullptr) text += device_text(*made.code.device);
  return text + some_of(made.share.left_out, full, "statement", [&](const LeftOut& part) {
           return "    interpreted at " + walker.place_text(part.at) + ": " + reason_text(part.reason) + "\n";
         });
}

// --- the first line ---

double interpreted_share(const Specialization& made) {
  if (made.by_choice) return 0;
  if (made.interpreted) return 1;
  return made.share.statements == 0
             ? 0
             : static_cast<double>(made.share.interpreted()) / static_cast<double>(made.share.statements);
}

// Loops before others, the largest first.
const LeftOut* worst_of(const Share& share) {
  const auto worst = std::max_element(share.left_out.begin(), share.left_out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.loop, a.statements) < std::pair(b.loop, b.statements);
  });
  return worst == share.left_out.end() ? nullptr : &*worst;
}

std::string with_cure(std::string text, std::string_view reason) {
  const std::string_view cure = cure_of(reason);
  return cure.empty() ? text : text + "; " + std::string(cure);
}

std::string loops_of(const Walker& walker, const Share& share) {
  std::string places;
  size_t count = 0;
  for (const LeftOut& part : share.left_out) {
    if (part.loop) places += (count++ == 0 ? "" : ", ") + walker.place_text(part.whole);
  }
  return count == 0 ? "" : (count == 1 ? "the loop at " : "the loops at ") + places;
}

std::string headline(const Walker& walker, const Specialization& made) {
  const LeftOut* worst = worst_of(made.share);
  if (worst == nullptr && !made.reads_interpreted()) return "compiled, all of it";
  const bool all_left_out = made.share.interpreted() >= made.share.statements;
  if (worst == nullptr || made.recursive || (made.interpreted && all_left_out))
    return with_cure("interpreted: " + placed(walker, made.reason_at, made.reason), made.reason);
  const std::string loops = loops_of(walker, made.share);
  const std::string where = loops.empty() ? walker.place_text(worst->whole) : loops;
  const size_t compiled = made.share.statements - std::min(made.share.statements, made.share.interpreted());
  const std::string all = plural(made.share.statements, "statement");
  const std::string text = made.interpreted
                               ? "interpreted, because too few of its " + all + " could be compiled without " + where
                               : "compiled, " + std::to_string(compiled) + " of its " + all + ", not " + where;
  return with_cure(text + ": " + reason_text(worst->reason), worst->reason);
}

}  // namespace

std::string cliff_text(const Walker& walker, const Specialization& made) {
  return made.name + " runs mostly in the interpreter: " + headline(walker, made);
}

namespace {

bool is_of(const Specialization& made, const Signature& function) {
  return made.key.words.size() >= function.words.size() &&
         std::equal(function.words.begin(), function.words.end(), made.key.words.begin());
}

}  // namespace

std::string shortened(const std::string& types) {
  constexpr size_t longest = 160;  // bytes of a line's types; chosen, not measured
  const size_t end = types.size() <= longest ? std::string::npos : types.rfind(", ", longest);
  return end == std::string::npos ? types : types.substr(0, end) + ", …";
}

std::string explain(const Walker& walker, const CodeTable& table, const Value& function, bool has_many,
                    const Detail& detail) {
  Signature wanted;
  wanted.add(function);
  std::map<unsigned, const Specialization*> in_order;
  table.each([&](const Specialization& made) {
    if (is_of(made, wanted)) in_order[made.number] = &made;
  });
  const std::string name = function.function().name() + ": ";
  if (in_order.empty() && has_many) return name + with_cure("interpreted: " + table.many().reason, table.many().reason);
  if (in_order.empty() && table.is_full()) return name + "interpreted: " + table.full().reason;
  if (in_order.empty()) {
    const char* measured = detail.roofline != nullptr ? ", and measures from then on" : "";
    return name + "not compiled yet: the first call compiles it" + measured;
  }
  std::vector<const Specialization*> all;
  for (const auto& [number, made] : in_order) all.push_back(made);
  const auto rank = [](const Specialization& made) {
    return std::pair(interpreted_share(made), !made.reads_interpreted());
  };
  const auto worst =
      std::max_element(all.begin(), all.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  const bool any_better = std::any_of(
      all.begin(), all.end(), [&](const auto* made) { return interpreted_share(*made) < interpreted_share(**worst); });
  std::string text = name;
  const bool any_code =
      std::any_of(all.begin(), all.end(), [](const auto* made) { return !made->reads_interpreted(); });
  if (has_many && any_code) {
    const std::string& reason = table.many().reason;
    text += with_cure("compiled " + plural(all.size(), "time") + ", but interpreted now: " + reason, reason);
  } else {
    text += headline(walker, **worst);
    if (all.size() > 1)
      text += (any_better ? " (the worst of " : " (for ") + plural(all.size(), "combination") + " of types)";
  }
  text += "\n";
  if (detail.roofline != nullptr) text += "  " + detail.roofline->text() + "\n";
  return text + some_of(all, detail.full, "combination",
                        [&](const Specialization* made) { return explain(walker, *made, detail); });
}

void measure(CodeTable& table, const Value& function) {
  Signature wanted;
  wanted.add(function);
  table.each([&](Specialization& made) {
    if (is_of(made, wanted) && !made.interpreted) made.code.measure();
  });
}

std::string unmarked(const Value& function) {
  const Callable& callable = function.function();
  if (callable.entry() != nullptr) return callable.name() + ": a builtin, always native code";
  return callable.name() +
         ": not marked @compile, so it is interpreted; as part of a compiled function, it is compiled";
}

}  // namespace covec::jit
