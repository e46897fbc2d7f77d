// The table of a profile. A line's own time, or memory, is that of its stacks' innermost line, with the operators and
// the compiled code of several lines that it runs; a function's own time is without compiled code, which has rows of
// its own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "interpreter/profile/profile.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::profile {

namespace {

constexpr size_t max_rows = 30;        // of a part
constexpr double least_share = 0.001;  // of a row
constexpr size_t longest_text = 60;    // characters of a line

struct Row {
  std::string name, text;
  uint64_t own = 0, all = 0;  // samples, or bytes that are held at the peak
  Bytes bytes = {};           // of memory: its own
  void add_own(const Profile::Stack& stack) {
    own += stack.count;
    bytes += stack.bytes;
  }
};

std::string function_text(const Entry& entry) {
  return entry.function.empty() ? (entry.file.empty() ? "a function" : "the text of " + entry.file) : entry.function;
}

std::string shortened(const std::string& text) {
  size_t characters = 0, at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && ++characters > longest_text) break;
  }
  return at == text.size() ? text : text.substr(0, at) + "…";
}

class Table {
 public:
  explicit Table(const Profile& profile) : profile_(profile) {}

  std::string text() {
    std::string text = is_memory_ ? memory_head() : head();
    if (profile_.stacks.empty()) return text;
    count();
    return text + rows("lines", lines_) + rows("functions", functions_) + rows("compiled code", codes_);
  }

 private:
  std::string memory_head() const {
    Bytes all;
    for (const Profile::Stack& stack : profile_.stacks) all += stack.bytes;
    std::string text = "memory: " + human_bytes(profile_.peak) +
                       " at the peak\n  statements: " + human_bytes(all.at_peak) + " at the peak, " +
                       human_bytes(all.allocated) + " allocated in " + std::to_string(all.blocks) +
                       (all.blocks == 1 ? " block\n" : " blocks\n");
    if (profile_.lost > 0)
      text += "  " + human_bytes(profile_.lost) + " are lost: the system had no memory to note them\n";
    return text;
  }

  std::string head() const {
    char buffer[100];
    std::snprintf(buffer, sizeof(buffer), "profile: %.2f s, %llu samples\n", profile_.seconds,
                  static_cast<unsigned long long>(profile_.samples));
    std::string text = buffer;
    if (profile_.samples > 0) text += "  " + kinds() + "\n";
    if (profile_.lost > 0) text += "  " + share(profile_.lost) + " are lost: the program was in too many places\n";
    return text;
  }

  // Of each sample that in which it is, innermost; a statement inside compiled code is the interpreter's.
  std::string kinds() const {
    uint64_t code = 0, compiling = 0;
    for (const Profile::Stack& stack : profile_.stacks) {
      const Step::Kind kind = profile_.entries[stack.entries.back()].kind;
      code += kind == Step::Kind::code ? stack.count : 0;
      compiling += kind == Step::Kind::compiling ? stack.count : 0;
    }
    const uint64_t walk = profile_.samples - profile_.lost - code - compiling;
    return share(walk) + " interpreter, " + share(code) + " compiled code, " + share(compiling) + " compiling";
  }

  std::string share(uint64_t count) const {
    char buffer[20];
    std::snprintf(buffer, sizeof(buffer), "%.1f %%",
                  100.0 * static_cast<double>(count) / static_cast<double>(profile_.samples));
    return buffer;
  }

  // A place that is several times on a stack counts once.
  void count() {
    for (const Profile::Stack& stack : profile_.stacks) {
      std::set<std::string> lines, functions, codes;
      std::string line;
      for (const uint32_t number : stack.entries) {
        const Entry& entry = profile_.entries[number];
        if (entry.kind == Step::Kind::call) {
          line = place_of(entry);
          add(lines_, lines, line, entry.text, stack.count);
          add(functions_, functions, function_text(entry), entry.function.empty() ? "" : entry.file, stack.count);
        } else if (entry.kind == Step::Kind::code) {
          add(codes_, codes, label_of(entry), "", stack.count);
          if (entry.lines.size() != 1) continue;
          line = place_of(entry);
          add(lines_, lines, line, entry.text, stack.count);
        }
      }
      const Entry& last = profile_.entries[stack.entries.back()];
      if (!line.empty()) lines_[line].add_own(stack);
      if (last.kind == Step::Kind::call) functions_[function_text(last)].add_own(stack);
      if (last.kind == Step::Kind::code) codes_[label_of(last)].add_own(stack);
    }
  }

  static void add(std::map<std::string, Row>& rows, std::set<std::string>& seen, const std::string& name,
                  const std::string& text, uint64_t count) {
    if (name.empty() || !seen.insert(name).second) return;
    Row& row = rows[name];
    row.name = name;
    row.text = text;
    row.all += count;
  }

  std::string rows(const char* title, const std::map<std::string, Row>& rows) const {
    std::vector<Row> sorted;
    const auto least = least_share * static_cast<double>(is_memory_ ? profile_.peak : profile_.samples);
    for (const auto& [name, row] : rows) {
      if (static_cast<double>(std::max(row.all, row.bytes.allocated)) >= least) sorted.push_back(row);
    }
    if (sorted.empty()) return "";
    std::ranges::stable_sort(sorted, [](const Row& a, const Row& b) {
      return std::tuple(a.own, a.all, a.bytes.allocated) > std::tuple(b.own, b.all, b.bytes.allocated);
    });
    std::string text = (is_memory_ ? "\n  peak: own   peak: all   allocated  blocks  " : "\n     own      all  ") +
                       std::string(title) + "\n";
    for (size_t i = 0; i < std::min(sorted.size(), max_rows); ++i) {
      const Row& row = sorted[i];
      text += numbers(row) + row.name + (row.text.empty() ? "" : "  " + shortened(row.text)) + "\n";
    }
    if (sorted.size() > max_rows)
      text += std::string(numbers({}).size(), ' ') + "and " + std::to_string(sorted.size() - max_rows) + " more\n";
    return text;
  }

  std::string numbers(const Row& row) const {
    char buffer[80];
    if (is_memory_) {
      std::snprintf(buffer, sizeof(buffer), "%11s %11s %11s %7llu  ", human_bytes(row.own).c_str(),
                    human_bytes(row.all).c_str(), human_bytes(row.bytes.allocated).c_str(),
                    static_cast<unsigned long long>(row.bytes.blocks));
    } else {
      std::snprintf(buffer, sizeof(buffer), "%8s %8s  ", share(row.own).c_str(), share(row.all).c_str());
    }
    return buffer;
  }

  const Profile& profile_;
  const bool is_memory_ = profile_.of == Profile::Of::memory;
  std::map<std::string, Row> lines_, functions_, codes_;
};

}  // namespace

std::string table_of(const Profile& profile) { return Table(profile).text(); }

}  // namespace covec::profile
