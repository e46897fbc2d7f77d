// The life of the server and what it answers whom. One thread reads messages (inbox.hpp); this one answers them in
// their order, and looks for problems of changed texts when nothing waits, so that what has changed again meanwhile
// costs nothing. Start reading at Server::run.
#pragma once

#include <memory>

#include "interpreter/lsp/connection.hpp"
#include "interpreter/lsp/inbox.hpp"
#include "interpreter/lsp/workspace.hpp"

namespace covec::lsp {

class Server {
 public:
  Server(const SessionOptions& options, Connection& connection, Inbox& inbox)
      : options_(options), connection_(connection), inbox_(inbox) {}

  int run();  // gives the exit status

 private:
  void handle(const Received& received);
  void handle_request(const Json& message, bool cancelled);
  void handle_notification(const std::string& method, const Json& params);
  Json answer(const std::string& method, const Json& params);
  Json initialize(const Json& params);
  void tell_problems(Document& document);
  void reply(const Json& id, Json result);
  void fail(const Json& id, int code, const std::string& why);
  void send(Json message);

  const SessionOptions& options_;
  Connection& connection_;
  Inbox& inbox_;
  std::unique_ptr<Workspace> workspace_;  // from `initialize` on
  bool is_shut_down_ = false, has_exited_ = false, is_heard_ = true;
};

}  // namespace covec::lsp
