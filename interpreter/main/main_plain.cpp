// temporary
#include <cstdio>
#include <cstring>
#include <iostream>
#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
int main(int argc, char** argv) {
  return covec::run_on_big_stack([&] {
    covec::Session session({.keep_globals_on_error = false});
    try {
      if (argc > 2 && !std::strcmp(argv[1], "-e")) {
        auto v = session.run_text("-e", argv[2]);
        if (v && !v->is_none()) std::cout << session.text_of(*v) << "\n";
      } else if (argc > 1) session.run_file(argv[1]);
    } catch (const covec::CovecError& e) { fflush(stdout); std::cerr << session.render(e); return 1; }
    return 0;
  });
}
