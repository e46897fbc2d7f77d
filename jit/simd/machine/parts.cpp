#include "jit/simd/machine/parts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace covec::simd {

using loops::Code;
using loops::Instruction;
using loops::Register;
namespace instruction = loops::instruction;

namespace {

using Sequence = std::vector<Instruction>;

int step_in(const Instruction& i) {
  if (loops::is<instruction::If, instruction::Loop>(i)) return 1;
  return loops::is<instruction::EndIf, instruction::EndLoop>(i) ? -1 : 0;
}

// Calls see(instruction, depth of blocks around it).
template <class See>
void walk(std::span<const Instruction> code, See see) {
  int depth = 0;
  for (const Instruction& i : code) {
    depth += std::min(step_in(i), 0);
    see(i, loops::is<instruction::Else>(i) ? depth - 1 : depth);
    depth += std::max(step_in(i), 0);
  }
}

// Leaves a loop that stands around it.
bool breaks_out(std::span<const Instruction> code) {
  int loops = 0;
  for (const Instruction& i : code) {
    loops += loops::is<instruction::Loop>(i) ? 1 : loops::is<instruction::EndLoop>(i) ? -1 : 0;
    if (loops == 0 && loops::is<instruction::BreakIf, instruction::BreakUnless, instruction::Poll>(i)) return true;
  }
  return false;
}

class Cutting {
 public:
  Cutting(const Code& code, const Lengths& lengths)
      : code_(code),
        lengths_(lengths),
        accesses_(code.registers.size()),
        writes_(code.registers.size()),
        constants_(code.registers.size()) {
    for (const Instruction& i : code.instructions) {
      if (!loops::is<instruction::LookUp>(i)) count(i, 1);
    }
    for (const Instruction& i : code.instructions) {
      const auto* const constant = std::get_if<instruction::Constant>(&i);
      if (constant != nullptr && writes_[constant->to] == 1) constants_[constant->to] = *constant;
    }
  }

  InParts run() {
    InParts made;
    made.code = code_;
    made.code.views.clear();
    Sequence all = shortened(without_views(), 0);
    add_constants(all);
    made.code.instructions = std::move(all);
    for (Part& part : parts_) {
      add_constants(part.code.instructions);
      compact(part);
    }
    made.parts = std::move(parts_);
    made.cells = static_cast<uint32_t>(cells_.size());
    return made;
  }

 private:
  // A part's outputs are written, but may be as they were.
  template <class See>
  void each_access(const Instruction& i, See see) const {  // see(register, whether it is written)
    if (const auto* const call = std::get_if<instruction::CallPart>(&i)) {
      for (const Register r : call->in) see(r, false);
      for (const Register r : call->out) see(r, true);
      return;
    }
    loops::each_read(i, [&](Register r) { see(r, false); });
    if (const Register* const to = loops::written_by(i)) see(*to, true);
  }
  void count(const Instruction& i, int by) {
    each_access(i, [&](Register r, bool written) {
      accesses_[r] += by;
      if (written) writes_[r] += by;
    });
  }

  // --- blocks ---

  // The end of the statement that begins there.
  static size_t end_of(std::span<const Instruction> block, size_t at) {
    int depth = 0;
    do depth += step_in(block[at++]);
    while (depth > 0);
    return at;
  }

  Sequence shortened(std::span<const Instruction> block, unsigned loops) {
    std::vector<Sequence> statements;
    size_t size = 0;
    for (size_t at = 0; at < block.size();) {
      const size_t end = end_of(block, at);
      statements.push_back(statement(block.subspan(at, end - at), loops));
      size += statements.back().size();
      at = end;
    }
    Sequence result;
    if (size <= lengths_.longest) {
      for (Sequence& each : statements) append(result, each);
      return result;
    }
    Sequence group;
    const auto close = [&] {
      if (group.size() * 4 > lengths_.of_a_part)
        result.push_back(part_of(group, loops));
      else
        append(result, group);
      group.clear();
    };
    for (Sequence& each : statements) {
      if (breaks_out(each)) {
        close();
        append(result, each);
        continue;
      }
      append(group, each);
      if (group.size() >= lengths_.of_a_part) close();
    }
    close();
    return result;
  }

  Sequence statement(std::span<const Instruction> whole, unsigned loops) {
    Sequence made(whole.begin(), whole.end());
    if (whole.size() <= lengths_.longest) return made;
    made = {whole.front()};
    const unsigned inside = loops + (loops::is<instruction::Loop>(whole.front()) ? 1 : 0);
    size_t begin = 1, other = whole.size() - 1;
    walk(whole, [&](const Instruction& i, int depth) {
      if (loops::is<instruction::Else>(i) && depth == 0) other = static_cast<size_t>(&i - whole.data());
    });
    Sequence first = shortened(whole.subspan(begin, other - begin), inside);
    append(made, first);
    if (other + 1 < whole.size()) {
      made.push_back(whole[other]);
      Sequence second = shortened(whole.subspan(other + 1, whole.size() - other - 2), inside);
      append(made, second);
    }
    made.push_back(whole.back());
    return made;
  }

  static void append(Sequence& to, Sequence& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  // --- a part ---

  struct Use {
    int accesses = 0, writes = 0;
    bool certain = false;  // written before it is read, whatever way the code goes
  };

  Instruction part_of(Sequence& group, unsigned loops) {
    const uint32_t place = group.front().place;
    std::map<Register, Use> uses;
    walk(group, [&](const Instruction& i, int depth) {
      const bool plain = !loops::is<instruction::CallPart>(i) && depth == 0;
      each_access(i, [&](Register r, bool written) {
        Use& use = uses[r];
        if (use.accesses == 0) use.certain = written && plain;
        ++use.accesses;
        use.writes += written;
      });
    });
    Part part;
    instruction::CallPart call;
    for (const auto& [r, use] : uses) {
      if (constants_[r]) continue;
      const bool shared = use.accesses != accesses_[r] || (loops > 0 && !use.certain);
      if (!shared) continue;
      if (!use.certain) {
        part.in.push_back({r, cell(r)});
        call.in.push_back(r);
      }
      if (use.writes > 0) {
        part.out.push_back({r, cell(r)});
        call.out.push_back(r);
      }
    }
    for (const Instruction& i : group) count(i, -1);
    part.code.name = code_.name;
    part.code.instructions = std::move(group);
    call.part = static_cast<uint32_t>(parts_.size());
    parts_.push_back(std::move(part));
    count(call, 1);
    Instruction made = std::move(call);
    made.place = place;
    return made;
  }

  uint32_t cell(Register r) { return cells_.try_emplace(r, static_cast<uint32_t>(cells_.size())).first->second; }

  // What one part sets in its own place another would not find where it was looked up.
  Sequence without_views() const {
    Sequence all = code_.instructions;
    std::erase_if(all, loops::is<instruction::LookUp>);
    for (Instruction& i : all) {
      if (auto* const read = std::get_if<instruction::Element>(&i)) read->view = loops::no_view;
      if (auto* const set = std::get_if<instruction::SetElement>(&i)) set->view = loops::no_view;
    }
    return all;
  }

  // Registers that hold one number for ever are written where they are used.
  void add_constants(Sequence& code) const {
    std::set<Register> used;
    std::erase_if(code, [&](const Instruction& i) {
      const auto* const constant = std::get_if<instruction::Constant>(&i);
      return constant != nullptr && constants_[constant->to];
    });
    for (const Instruction& i : code) {
      each_access(i, [&](Register r, bool) {
        if (constants_[r]) used.insert(r);
      });
    }
    Sequence first;
    for (const Register r : used) first.emplace_back(*constants_[r]);
    code.insert(code.begin(), first.begin(), first.end());
  }

  // A part has the registers that it uses.
  void compact(Part& part) const {
    std::map<Register, Register> names;
    const auto rename = [&](Register& r) {
      const auto [name, is_new] = names.try_emplace(r, static_cast<Register>(names.size()));
      if (is_new) part.code.registers.push_back(code_.registers[r]);
      r = name->second;
    };
    for (Instruction& i : part.code.instructions) {
      loops::each_read(i, rename);
      if (Register* const to = loops::written_by(i)) rename(*to);
    }
    for (Crossing& crossing : part.in) rename(crossing.number);
    for (Crossing& crossing : part.out) rename(crossing.number);
  }

  const Code& code_;
  const Lengths& lengths_;
  std::vector<int> accesses_, writes_;  // in what is not in a part yet, and of calls of parts
  std::vector<std::optional<instruction::Constant>> constants_;
  std::vector<Part> parts_;
  std::map<Register, uint32_t> cells_;
};

}  // namespace

InParts in_parts(const Code& code, const Lengths& lengths) { return Cutting(code, lengths).run(); }

}  // namespace covec::simd
