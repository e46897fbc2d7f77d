// A text that is open in the editor, and what is known of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/resolve/name_index.hpp"
#include "frontend/source/diagnostic.hpp"
#include "interpreter/lsp/overlay_gate.hpp"
#include "interpreter/lsp/positions.hpp"

namespace covec::lsp {

struct Analysis {
  uint32_t file = 0;  // its text among the session's sources; 0: there is none yet
  std::vector<Diagnostic> problems;
  NameIndex names;
  OverlayGate::Seen seen;  // the modules it depends on
};

struct Document {
  std::string uri;
  std::string path;   // of its file, canonical; "": it has none
  std::string shown;  // the same as the client has it
  std::string text;
  Json version;
  uint64_t changed = 0;     // by the server's count of changes
  bool is_checked = false;  // the analysis is of this text
  bool is_told = false;     // and the client has the problems
  Json told;                // what it was told last
  Analysis analysis;
};

}  // namespace covec::lsp
