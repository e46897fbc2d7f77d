#include "tests/parts/case_file.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace covec::test {

namespace {

bool is_comment(const std::string& line) { return line == "#" || line.starts_with("# "); }

class Reader {
 public:
  Reader(const std::string& path, bool open) : open_(open), in_(path) { file_.path = path; }

  CaseFile read() {
    if (!in_) fail("cannot be read");
    for (std::string text; std::getline(in_, text);) {
      ++number_;
      line(text);
    }
    end_case();
    if (file_.cases.empty()) fail("no case");
    return std::move(file_);
  }

 private:
  enum class In : uint8_t { head, input, outcome };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(file_.path + ":" + std::to_string(number_) + ": " + what);
  }

  void line(const std::string& text) {
    if (text.starts_with("#---")) return begin_case(text);
    if (text.starts_with("#run:")) return say_run(text);
    if (text.starts_with("#=>")) return begin_outcome(text);
    if (text.starts_with("#") && !is_comment(text)) fail("no such line: " + text);
    switch (in_part_) {
      case In::head:
        file_.head += text + "\n";
        if (!text.empty() && !is_comment(text)) file_.prelude += text + "\n";
        return;
      case In::input: file_.cases.back().text += text + "\n"; return;
      case In::outcome: file_.cases.back().outcome += text + "\n"; return;
    }
  }

  void say_run(const std::string& text) {
    if (in_part_ != In::head) fail("#run: belongs into the head");
    if (!file_.run.empty()) fail("a second #run:");
    const size_t first = text.find_first_not_of(' ', 5);
    if (first == std::string::npos) fail("#run: says nothing");
    file_.run = text.substr(first);
    file_.head += text + "\n";
  }

  void begin_case(const std::string& text) {
    end_case();
    if (file_.run.empty()) fail("no #run: line in the head");
    if (text.size() < 6 || text[4] != ' ') fail("a case needs a name");
    const std::string name = text.substr(5);
    if (!names_.insert(name).second) fail("a second case of this name: " + name);
    file_.cases.push_back({name, number_, {}, {}});
    in_part_ = In::input;
  }

  void begin_outcome(const std::string& text) {
    if (in_part_ != In::input) fail("#=> without an input");
    if (text != "#=>") fail("#=> stands on a line of its own");
    in_part_ = In::outcome;
  }

  void end_case() {
    if (file_.cases.empty()) return;
    Case& last = file_.cases.back();
    last.text = without_blank_end(last.text);
    last.outcome = without_blank_end(last.outcome);
    if (last.input().empty()) fail("the case before has no input: " + last.name);
    if (in_part_ == In::input && !open_) fail("the case before has no #=>: " + last.name);
    if (last.outcome.empty() && !open_) fail("the case before has no outcome: " + last.name);
  }

  const bool open_;
  std::ifstream in_;
  CaseFile file_;
  size_t number_ = 0;
  In in_part_ = In::head;
  std::set<std::string> names_;
};

}  // namespace

std::string without_blank_end(std::string text) {
  const size_t last = text.find_last_not_of(" \n");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::string Case::input() const {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (!is_comment(line)) out += line + "\n";
  }
  return without_blank_end(out);
}

CaseFile read_cases(const std::string& path, bool open) { return Reader(path, open).read(); }

void write_cases(const CaseFile& file) {
  std::ofstream out(file.path);
  out << file.head;
  for (const Case& each : file.cases) {
    out << (&each == &file.cases.front() ? "" : "\n") << "#--- " << each.name << "\n"
        << each.text << "\n#=>\n"
        << each.outcome << "\n";
  }
}

}  // namespace covec::test
