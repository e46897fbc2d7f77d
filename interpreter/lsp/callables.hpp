// What can be called where a text is written: functions of the text, of modules, and builtins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

struct CallableText {
  std::string signature, doc;
  std::vector<std::string> names;              // of the parameters
  std::vector<std::string> parameters;         // as the signature writes them
  bool after_receiver = false;                 // a method: the value before the dot is the first argument
  std::vector<std::string> option_names = {};  // that **options takes
};

// By a chain of names: "f", "optim.adam", "x.sum".
std::optional<CallableText> callable_of(Workspace& workspace, const Cursor& place, std::string_view chain);

std::string signature_of(const Builtin& builtin);

}  // namespace covec::lsp
