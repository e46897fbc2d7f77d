#include "interpreter/lsp/lsp.hpp"

#include <signal.h>
#include <unistd.h>

#include <thread>

#include "interpreter/lsp/server.hpp"

namespace covec {

namespace {

using lsp::Json;

struct Channel {
  explicit Channel(int output) : connection(STDIN_FILENO, output) {}
  lsp::Connection connection;
  lsp::Inbox inbox;
};

// A message that cancels another overtakes it.
void read_messages(Channel& channel) {
  while (const std::optional<std::string> text = channel.connection.read()) {
    lsp::Received received{Json::parse(*text, nullptr, false)};
    received.readable = !received.message.is_discarded();
    const bool is_object = received.message.is_object();
    const std::string method = is_object && received.message["method"].is_string() ? received.message["method"] : "";
    const Json params = is_object ? received.message.value("params", Json()) : Json();
    if (method == "$/cancelRequest" && params.is_object()) channel.inbox.cancel(params.value("id", Json()));
    channel.inbox.put(std::move(received));
    if (method == "exit") break;
  }
  channel.inbox.close();
}

// What is printed by mistake must not come among the messages.
int take_standard_output() {
  const int output = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

}  // namespace

// The thread that reads may wait for ever; it is left alone at the end, with what it uses.
int serve_editor(const SessionOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  const auto channel = std::make_shared<Channel>(take_standard_output());
  std::thread([channel] { read_messages(*channel); }).detach();
  return lsp::Server(options, channel->connection, channel->inbox).run();
}

}  // namespace covec
