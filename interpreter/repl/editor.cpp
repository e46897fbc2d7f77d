// The terminal's own signal for Ctrl-C is off while a line is edited: the key is bound to a function that cancels the
// line, so no signal ever interrupts libedit in the middle.
#include "interpreter/repl/editor.hpp"

#include <histedit.h>

#include <algorithm>
#include <clocale>
#include <cstdio>

namespace covec {

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string history_path;
  std::string prompt;
  Completer completer;
  bool cancelled = false;

  static Impl& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<Impl*>(data);
  }
  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }
  static unsigned char cancel(EditLine* editor, int) {
    of(editor).cancelled = true;
    std::fputs("^C\n", stdout);
    return CC_NEWLINE;
  }
  static unsigned char complete(EditLine* editor, int);
  static void list(const std::vector<std::string>& candidates);
  void set_up();
};

namespace {

std::string common_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    size_t length = 0;
    while (length < prefix.size() && length < word.size() && prefix[length] == word[length]) ++length;
    prefix.resize(length);
  }
  return prefix;
}

constexpr int history_length = 10000;

}  // namespace

unsigned char LineEditor::Impl::complete(EditLine* editor, int) {
  const LineInfo* info = el_line(editor);
  const std::string_view line(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
  if (line.find_first_not_of(" \t") == std::string_view::npos) {  // a tab that indents
    return el_insertstr(editor, "    ") == 0 ? CC_REFRESH : CC_ERROR;
  }
  const Completion completion = of(editor).completer(line);
  if (completion.candidates.empty()) return CC_REFRESH_BEEP;
  const std::string typed(line.substr(completion.from));
  const std::string prefix = common_prefix(completion.candidates);
  if (prefix.size() > typed.size())
    return el_insertstr(editor, prefix.c_str() + typed.size()) == 0 ? CC_REFRESH : CC_ERROR;
  if (completion.candidates.size() == 1) return CC_REFRESH;
  list(completion.candidates);
  return CC_REDISPLAY;
}

void LineEditor::Impl::list(const std::vector<std::string>& candidates) {
  size_t widest = 0;
  for (const std::string& word : candidates) widest = std::max(widest, word.size());
  const size_t columns = std::max<size_t>(1, 78 / (widest + 2));
  std::fputc('\n', stdout);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool last = i + 1 == candidates.size() || (i + 1) % columns == 0;
    std::printf("%-*s%s", static_cast<int>(widest + 2), candidates[i].c_str(), last ? "\n" : "");
  }
  std::fflush(stdout);
}

void LineEditor::Impl::set_up() {
  el_set(editor, EL_CLIENTDATA, this);
  el_set(editor, EL_PROMPT, &show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_SIGNAL, 0);
  el_set(editor, EL_HIST, ::history, history);
  el_set(editor, EL_ADDFN, "covec-complete", "complete a name", &complete);
  el_set(editor, EL_ADDFN, "covec-cancel", "give this line up", &cancel);
  el_set(editor, EL_BIND, "^I", "covec-complete", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(editor, EL_SETTY, "-d", "-isig", nullptr);
  el_set(editor, EL_BIND, "^C", "covec-cancel", nullptr);
  HistEvent event;
  ::history(history, &event, H_SETSIZE, history_length);
  ::history(history, &event, H_SETUNIQUE, 1);
  if (!history_path.empty()) ::history(history, &event, H_LOAD, history_path.c_str());
}

LineEditor::LineEditor(std::string history_path, Completer completer) : impl_(std::make_unique<Impl>()) {
  std::setlocale(LC_CTYPE, "");  // what is typed may be any script; numbers are not touched
  impl_->history_path = std::move(history_path);
  impl_->completer = std::move(completer);
  impl_->history = history_init();
  impl_->editor = el_init("covec", stdin, stdout, stderr);
  impl_->set_up();
}

LineEditor::~LineEditor() {
  history_end(impl_->history);
  el_end(impl_->editor);
}

LineEditor::Outcome LineEditor::read(const std::string& prompt, std::string& line) {
  impl_->prompt = prompt;
  impl_->cancelled = false;
  int length = 0;
  const char* text = el_gets(impl_->editor, &length);
  if (impl_->cancelled) return Outcome::cancelled;
  if (text == nullptr || length <= 0) return Outcome::end;
  line.assign(text, static_cast<size_t>(length));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Outcome::line;
}

void LineEditor::remember(const std::string& entry) {
  HistEvent event;
  ::history(impl_->history, &event, H_ENTER, entry.c_str());
  if (!impl_->history_path.empty()) ::history(impl_->history, &event, H_SAVE, impl_->history_path.c_str());
}

}  // namespace covec
