#include "interpreter/lsp/workspace.hpp"

#include "frontend/resolve/analyse.hpp"
#include "interpreter/lsp/program_texts.hpp"
#include "interpreter/lsp/uri.hpp"
#include "interpreter/session/module_loader.hpp"
#include "interpreter/session/stack.hpp"
#include "interpreter/session/text_file.hpp"

namespace covec::lsp {

namespace {

SessionOptions with_gate(const SessionOptions& options, std::shared_ptr<OverlayGate> gate) {
  SessionOptions own = options;
  own.gate = std::move(gate);
  return own;
}

}  // namespace

Workspace::Workspace(const SessionOptions& options, std::shared_ptr<OverlayGate> gate, ClientAbilities client,
                     std::vector<std::string> folders)
    : gate_(gate),
      session_(with_gate(options, gate)),
      checker_(session_),
      client_(client),
      folders_(std::move(folders)) {}

// --- texts that are open ---

void Workspace::open(const std::string& uri, std::string text, const Json& version) {
  Document& document = documents_[uri];
  document.uri = uri;
  document.shown = path_of(uri);
  document.path = document.shown.empty() ? "" : canonical_path(document.shown);
  set_text(document, std::move(text), version);
}

void Workspace::set_text(Document& document, std::string text, const Json& version) {
  document.text = std::move(text);
  document.version = version;
  document.changed = ++changes_;
  document.is_checked = document.is_told = false;
  if (!document.path.empty()) gate_->open(document.path, document.text);
}

void Workspace::change(const std::string& uri, const Json& edits, const Json& version) {
  Document* document = find(uri);
  if (document == nullptr) return;
  std::string text = document->text;
  for (const Json& edit : edits) {
    std::string written = edit.at("text").get<std::string>();
    if (!edit.contains("range")) {
      text = std::move(written);
      continue;
    }
    const Positions places(text, client_.encoding);
    const size_t begin = places.offset(edit.at("range").at("start"));
    const size_t end = std::max<size_t>(places.offset(edit.at("range").at("end")), begin);
    text.replace(begin, end - begin, written);
  }
  set_text(*document, std::move(text), version);
}

void Workspace::close(const std::string& uri) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  gate_->close(found->second.path);
  session_.sources().remove(found->second.analysis.file);
  documents_.erase(found);
}

Document* Workspace::find(const std::string& uri) {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

Document* Workspace::next_untold() {
  Document* next = nullptr;
  for (auto& [uri, document] : documents_) {
    const bool is_new = document.is_told && gate_->is_as(document.analysis.seen);
    if (!is_new && (next == nullptr || next->changed < document.changed)) next = &document;
  }
  return next;
}

// --- what they mean ---

const Analysis& Workspace::analysis_of(Document& document) {
  Analysis& known = document.analysis;
  if (document.is_checked && gate_->is_as(known.seen)) return known;
  session_.sources().remove(known.file);
  known = {};
  known.file = session_.sources().add(document.path.empty() ? document.uri : document.path, document.text);
  gate_->forget_seen();
  known.problems = checker_.check(known.file, document.path, &known.names);
  known.seen = gate_->seen();
  document.is_checked = true;
  document.is_told = false;
  return known;
}

const ReadText* Workspace::module(const IndexedImport& import, const std::string& from) {
  core::Import node({});
  node.path = import.path;
  node.is_path = import.is_path;
  try {
    const ModuleSource source = session_.modules().find(node, from);
    return &read(source, session_.modules().text_of(source, {}));
  } catch (const CovecError&) {
    return nullptr;
  }
}

const ReadText* Workspace::text_of_file(const std::string& path) {
  const std::string key = canonical_path(path);
  if (const std::string* open = gate_->find(key)) return &read({key, key, {}}, *open);
  TextFile file = read_text_file(key);
  return file.problem != nullptr ? nullptr : &read({key, key, {}}, std::move(file.text));
}

const ReadText& Workspace::read(const ModuleSource& source, std::string text) {
  SourceMap& sources = session_.sources();
  ReadText& known = read_[source.key];
  if (known.file != 0 && sources.file(known.file).text() == text) return known;
  sources.remove(known.file);
  known.key = source.key;
  known.uri = source.file.empty() ? "" : uri_of(source.key);
  known.file = sources.add(source.key, std::move(text));
  known.names = index_of(sources, known.file, session_.builtins(), stack_left());
  return known;
}

const std::string& Workspace::page(const std::string& builtin) {
  const auto [known, is_new] = pages_.try_emplace(builtin);
  if (!is_new) return known->second;
  if (manual_ == nullptr) manual_ = std::make_unique<Manual>(SessionOptions{});
  known->second = manual_->page(builtin).value_or("");
  return known->second;
}

std::vector<const ReadText*> Workspace::all_texts(const Document& current) {
  std::set<std::string> paths = programs_in(folders_);
  if (!current.path.empty() && !paths.contains(current.path)) paths.merge(programs_in({directory_of(current.path)}));
  for (const auto& [uri, document] : documents_) {
    if (!document.path.empty()) paths.insert(document.path);
  }
  std::vector<const ReadText*> texts;
  for (const std::string& path : paths) {
    if (const ReadText* text = text_of_file(path)) texts.push_back(text);
  }
  return texts;
}

std::string Workspace::uri_of_text(const ReadText& text) const {
  for (const auto& [uri, document] : documents_) {
    if (document.path == text.key) return uri;
  }
  if (!text.uri.empty()) return text.uri;
  const std::string path = copy_of_module(text.key, session_.sources().file(text.file).text());
  return path.empty() ? "" : uri_of(path);
}

std::vector<std::string> Workspace::module_names(const std::string& path) {
  return session_.modules().sibling_names(path);
}

}  // namespace covec::lsp
