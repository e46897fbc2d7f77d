// A folder that is exchanged for a link, again and again, while a gate opens what is in it: nothing outside is ever
// read or written, neither by the kernel's own check nor where that is missing.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "stdlib/gate/limited.hpp"
#include "stdlib/value/error.hpp"

namespace covec {
namespace {

namespace fs = std::filesystem;

class Race : public testing::TestWithParam<bool> {
 protected:
  Race() {
    char name[] = "/tmp/covec-race-XXXXXX";
    home = mkdtemp(name);
    for (const char* folder : {"in/a", "outside"}) fs::create_directories(home / folder);
    std::ofstream(home / "in" / "a" / "text") << "inside";
    std::ofstream(home / "outside" / "text") << "secret";
    fs::create_directory_symlink("../outside", home / "in" / "b");
  }
  ~Race() override { fs::remove_all(home); }

  // `look` is called while "in/a" is exchanged 100,000 times for a link that leads out.
  template <class Look>
  void while_exchanging(Look&& look) {
    constexpr int exchanges = 100'000;
    std::atomic<bool> done = false;
    const std::string a = (home / "in" / "a").string(), b = (home / "in" / "b").string();
    std::thread exchanger([&] {
      for (int i = 0; i < exchanges; ++i) {
        if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) break;
      }
      done = true;
    });
    while (!done) look();
    exchanger.join();
  }

  fs::path home;
};

TEST_P(Race, ReadsNothingOutside) {
  ops::Permissions given;
  given.read = {(home / "in").string()};
  ops::LimitedGate gate(given, GetParam());
  const std::string path = (home / "in" / "a" / "text").string();
  int inside = 0, refused = 0, outside = 0;
  while_exchanging([&] {
    try {
      const gate::Descriptor file = gate.open_to_read(path);
      char text[16] = {};
      if (!file.is_open() || read(file.number(), text, sizeof text) < 0)
        ++refused;
      else
        ++(std::string(text) == "inside" ? inside : outside);
    } catch (const OpError&) {
      ++refused;
    }
  });
  EXPECT_EQ(outside, 0);
  EXPECT_GT(inside, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(Race, WritesNothingOutside) {
  ops::Permissions given;
  given.write = {(home / "in").string()};
  ops::LimitedGate gate(given, GetParam());
  const std::string path = (home / "in" / "a" / "made").string();
  int made = 0, refused = 0;
  while_exchanging([&] {
    try {
      const ops::Gate::WriteTarget place = gate.write_target(path);
      if (place.folder.is_open() && place.folder.create("part").is_open() && place.folder.rename("part", place.name))
        ++made;
      else
        ++refused;
    } catch (const OpError&) {
      ++refused;
    }
  });
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(home / "outside"), fs::directory_iterator()), 1);
}

INSTANTIATE_TEST_SUITE_P(Gate, Race, testing::Bool());

}  // namespace
}  // namespace covec
