#include "interpreter/lsp/server.hpp"

#include <map>

#include "interpreter/lsp/features.hpp"
#include "interpreter/lsp/navigation.hpp"
#include "interpreter/lsp/uri.hpp"

namespace covec::lsp {

namespace {

// Codes of errors: of JSON-RPC, and of the protocol.
constexpr int parse_error = -32700, invalid_request = -32600, method_not_found = -32601, invalid_params = -32602,
              internal_error = -32603, not_initialized = -32002, request_failed = -32803, request_cancelled = -32800;

using Feature = Json (*)(Workspace&, const Json& params);

const std::map<std::string_view, Feature>& features() {
  static const std::map<std::string_view, Feature> all = {
      {"textDocument/documentSymbol", document_symbols},
      {"textDocument/hover", hover},
      {"textDocument/completion", complete},
      {"textDocument/signatureHelp", help_with_signature},
      {"textDocument/definition", define},
      {"textDocument/references", references},
      {"textDocument/documentHighlight", highlights},
      {"textDocument/prepareRename", prepare_rename},
      {"textDocument/rename", rename},
      {"textDocument/formatting", format},
      {"textDocument/codeAction", quick_fixes},
      {"workspace/symbol", workspace_symbols},
  };
  return all;
}

// The folders that are open in the client; older clients know only one.
std::vector<std::string> folders_of(const Json& params) {
  std::vector<std::string> folders;
  const auto add = [&](const Json& uri) {
    const std::string path = uri.is_string() ? path_of(uri.get<std::string>()) : "";
    if (!path.empty()) folders.push_back(canonical_path(path));
  };
  const Json several = params.value("workspaceFolders", Json());
  if (several.is_array()) {
    for (const Json& each : several) add(each.at("uri"));
  } else {
    add(params.value("rootUri", Json()));
  }
  return folders;
}

ClientAbilities abilities_of(const Json& params) {
  using At = Json::json_pointer;
  const Json encodings = params.value(At("/capabilities/general/positionEncodings"), Json::array());
  const bool knows_utf8 = std::find(encodings.begin(), encodings.end(), "utf-8") != encodings.end();
  return {knows_utf8 ? Encoding::utf8 : Encoding::utf16,
          params.value(At("/capabilities/workspace/workspaceEdit/documentChanges"), false)};
}

}  // namespace

int Server::run() {
  // How often changes of files are looked for.
  constexpr std::chrono::milliseconds patience{1000}, none{0};
  while (!has_exited_ && is_heard_ && !inbox_.is_closed()) {
    Document* untold = workspace_ == nullptr ? nullptr : workspace_->next_untold();
    if (const std::optional<Received> received = inbox_.take(untold == nullptr ? patience : none)) {
      handle(*received);
    } else if (untold != nullptr) {
      tell_problems(*untold);
    }
  }
  return is_shut_down_ ? 0 : 1;
}

void Server::tell_problems(Document& document) {
  Json problems = problems_of(*workspace_, document);
  document.is_told = true;
  if (problems == document.told) return;  // a module has changed, and nothing came of it
  document.told = problems;
  send({{"method", "textDocument/publishDiagnostics"}, {"params", std::move(problems)}});
}

// --- messages ---

void Server::send(Json message) {
  message["jsonrpc"] = "2.0";
  is_heard_ = connection_.write(message) && is_heard_;
}

void Server::reply(const Json& id, Json result) { send({{"id", id}, {"result", std::move(result)}}); }

void Server::fail(const Json& id, int code, const std::string& why) {
  send({{"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void Server::handle(const Received& received) {
  const Json& message = received.message;
  if (!received.readable) return fail(nullptr, parse_error, "this is no JSON");
  const bool is_message = message.is_object() && (!message.contains("method") || message["method"].is_string());
  if (!is_message) return fail(nullptr, invalid_request, "this is no message");
  if (!message.contains("method")) return;  // an answer, and nothing was asked
  if (message.contains("id")) return handle_request(message, received.cancelled);
  try {
    handle_notification(message["method"], message.value("params", Json::object()));
  } catch (const Json::exception&) {
    // A notification has no answer.
  }
}

void Server::handle_request(const Json& message, bool cancelled) {
  const Json& id = message["id"];
  if (!id.is_string() && !id.is_number_integer())
    return fail(nullptr, invalid_request, "the id is no string or integer");
  if (cancelled) return fail(id, request_cancelled, "cancelled");
  const std::string method = message["method"];
  if (is_shut_down_) return fail(id, invalid_request, "the server is shut down");
  if (workspace_ == nullptr && method != "initialize") return fail(id, not_initialized, "`initialize` comes first");
  const bool is_known = method == "initialize" || method == "shutdown" || features().contains(method);
  if (!is_known) return fail(id, method_not_found, "there is no method " + method);
  try {
    reply(id, answer(method, message.value("params", Json::object())));
  } catch (const Json::exception& error) {
    fail(id, invalid_params, error.what());
  } catch (const Refusal& refusal) {
    fail(id, request_failed, refusal.why);
  } catch (const CovecError& error) {
    fail(id, internal_error, error.diagnostics.front().message);
  } catch (const std::exception& error) {
    fail(id, internal_error, error.what());
  }
}

Json Server::answer(const std::string& method, const Json& params) {
  if (method == "initialize") return initialize(params);
  if (method == "shutdown") {
    is_shut_down_ = true;
    return nullptr;
  }
  return features().at(method)(*workspace_, params);
}

void Server::handle_notification(const std::string& method, const Json& params) {
  if (method == "exit") has_exited_ = true;
  if (workspace_ == nullptr || is_shut_down_ || !method.starts_with("textDocument/")) return;
  const Json& document = params.at("textDocument");
  const std::string uri = document.at("uri");
  if (method == "textDocument/didOpen") workspace_->open(uri, document.at("text"), document.value("version", Json()));
  if (method == "textDocument/didChange")
    workspace_->change(uri, params.at("contentChanges"), document.value("version", Json()));
  if (method == "textDocument/didClose") {
    workspace_->close(uri);
    send({{"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  }
}

Json Server::initialize(const Json& params) {
  const ClientAbilities client = abilities_of(params);
  workspace_ = std::make_unique<Workspace>(options_, std::make_shared<OverlayGate>(), client, folders_of(params));
  constexpr int incremental = 2;
  const Json capabilities{
      {"positionEncoding", client.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", incremental}}},
      {"documentSymbolProvider", true},
      {"hoverProvider", true},
      {"completionProvider", {{"triggerCharacters", {".", "\"", "/"}}}},
      {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentFormattingProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"workspaceSymbolProvider", true},
  };
  return {{"capabilities", capabilities}, {"serverInfo", {{"name", "covec"}, {"version", COVEC_VERSION}}}};
}

}  // namespace covec::lsp
