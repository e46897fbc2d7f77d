// A C++ host: a session with its own output, a model fitted on the host's data, errors as values.
// Build it against an installed Covec:  c++ -std=c++20 main.cpp $(pkg-config --cflags --libs covec)
#include <covec/covec.hpp>

#include <iostream>
#include <vector>

namespace host = covec::host;

int main() {
  std::string printed;
  host::Session session({.output = [&](covec_stream, std::string_view text) { printed += text; }});

  const std::vector<double> x{0, 1, 2, 3}, y{1, 3, 5, 7};
  auto xs = session.lend<double>(x, {4});
  auto ys = session.lend<double>(y, {4});
  session.set("x", *xs).value();
  session.set("y", *ys).value();
  auto fitted = session.run(R"(
fn loss(p) = mean((p.w * x + p.b - y)^2)
p = {w: 0.0, b: 0.0}
for step in range(400) {
    g = grad(loss)(p)
    p = tree_map((v, d) -> v - 0.1 * d, p, g)
}
print(f"w {p.w:.3f} b {p.b:.3f}")
p.w
)");
  if (!fitted) {
    std::cerr << fitted.error().text;
    return 1;
  }
  std::cout << printed;
  const covec_view view = *session.look(*fitted);
  std::cout << "slope " << std::fixed << *static_cast<const double*>(view.data) << '\n';

  auto wrong = session.run("undefined_name + 1");
  std::cout << "error: " << wrong.error().message << '\n';
  return wrong ? 1 : 0;
}
