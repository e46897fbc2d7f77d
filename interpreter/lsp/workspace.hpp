// All that the server knows: the texts that are open, what was found in them, and the modules that they import. Nothing
// of a program runs. Start reading at analysis_of.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "interpreter/assist/manual.hpp"
#include "interpreter/lsp/document.hpp"
#include "interpreter/session/check.hpp"
#include "interpreter/session/modules.hpp"
#include "interpreter/session/session.hpp"

namespace covec::lsp {

// A text that was read for what it names: a module, or another file of the workspace.
struct ReadText {
  std::string uri;    // "" of a module that comes with Covec
  std::string key;    // as ModuleSource has it
  uint32_t file = 0;  // its text among the session's sources
  NameIndex names;
};

// What the editor can do.
struct ClientAbilities {
  Encoding encoding = Encoding::utf16;
  bool versioned_edits = false;  // it takes edits that say which version of a text they are for
};

class Workspace {
 public:
  // `folders`: where programs are looked for that are not open.
  Workspace(const SessionOptions& options, std::shared_ptr<OverlayGate> gate, ClientAbilities client,
            std::vector<std::string> folders);

  // --- texts that are open ---

  void open(const std::string& uri, std::string text, const Json& version);
  // Edits in order, as the protocol has them.
  void change(const std::string& uri, const Json& edits, const Json& version);
  void close(const std::string& uri);
  Document* find(const std::string& uri);
  // One whose problems the client does not have, the last that was changed; nullptr: there is none.
  Document* next_untold();
  bool has_open() const { return !documents_.empty(); }

  // --- what they mean ---

  // Of the text and the modules as they are now.
  const Analysis& analysis_of(Document& document);
  Positions positions(const Document& document) const { return {document.text, client_.encoding}; }
  Positions positions(uint32_t file) const { return {session_.sources().file(file).text(), client_.encoding}; }
  // The module that is imported by a text with that path; nullptr: there is none.
  const ReadText* module(const IndexedImport& import, const std::string& from);
  // A file by its path, as it is in the editor or on disk; nullptr: it cannot be read.
  const ReadText* text_of_file(const std::string& path);
  // Programs of the workspace's folders, and of the folder of a text outside of them.
  std::vector<const ReadText*> all_texts(const Document& current = {});
  // Of a module that comes with Covec it is that of a copy on disk, for reading; "": it cannot be written.
  std::string uri_of_text(const ReadText& text) const;
  std::vector<std::string> module_names(const std::string& path);  // what `import` finds by name

  const ClientAbilities& client() const { return client_; }
  const std::vector<std::string>& folders() const { return folders_; }
  const std::string& page(const std::string& builtin);  // of the manual; "": there is no such builtin

  Session& session() { return session_; }
  std::string_view text(uint32_t file) const { return session_.sources().file(file).text(); }

 private:
  const ReadText& read(const ModuleSource& source, std::string text);
  void set_text(Document& document, std::string text, const Json& version);

  std::shared_ptr<OverlayGate> gate_;
  Session session_;
  Checker checker_;
  ClientAbilities client_;
  std::vector<std::string> folders_;
  uint64_t changes_ = 0;
  std::map<std::string, Document> documents_;  // by URI
  std::map<std::string, ReadText> read_;       // by key
  std::unique_ptr<Manual> manual_;             // made when it is asked for
  std::map<std::string, std::string> pages_;   // by builtin
};

}  // namespace covec::lsp
