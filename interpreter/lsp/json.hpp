// JSON as the language server reads and writes it.
#pragma once

#include <nlohmann/json.hpp>

namespace covec::lsp {

using Json = nlohmann::json;

}  // namespace covec::lsp
