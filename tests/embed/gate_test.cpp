// Programs that are not trusted: each way out of a session is shut by default, and open where the options say so.
#include <covec/covec.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "program.hpp"

namespace {

namespace fs = std::filesystem;

OpenSession untrusted(const covec_options& options = {}) { return OpenSession(covec_open_untrusted(&options)); }

// What a program's last expression prints as, or its error's message.
std::string told(const OpenSession& session, const std::string& text) {
  covec_value* value = nullptr;
  if (covec_run(session.get(), "script", text.c_str(), &value) != COVEC_OK) return covec_error_message(session.get());
  const std::string shown = value == nullptr ? "" : covec_text(value);
  covec_release(value);
  return shown;
}

// A folder of this test's own, with /in and /out and a secret beside them.
class Gate : public testing::Test {
 protected:
  Gate() {
    char name[] = "/tmp/covec-gate-XXXXXX";
    home = mkdtemp(name);
    fs::create_directories(home / "in" / "deep");
    fs::create_directories(home / "out");
    write(home / "secret.txt", "secret");
    write(home / "in" / "notes.txt", "notes");
    write(home / "in" / "deep" / "more.txt", "more");
    write(home / "in" / "five.covec", "n = 5");
    write(home / "secret.covec", "n = 6");
    in = (home / "in").string(), out = (home / "out").string();
    options.read_folders = read_folders;
    options.write_folders = write_folders;
  }
  ~Gate() override { fs::remove_all(home); }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  std::string path(const std::string& name) const { return "\"" + (home / name).string() + "\""; }
  std::string read(const OpenSession& session, const std::string& name) const {
    return told(session, "read_text(" + path(name) + ")");
  }

  fs::path home;
  std::string in, out;
  const char* read_folders[3] = {};
  const char* write_folders[3] = {};
  covec_options options = {};
};

const std::string outside = ": it is outside the folders that this program may read";

TEST_F(Gate, AllowsNothingByDefault) {
  const OpenSession session = untrusted();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(told(session, "1 + 1"), "2");
  const auto refused = [&](const std::string& text, const std::string& what) {
    EXPECT_EQ(told(session, text), "this program is not permitted to " + what) << text;
  };
  refused("time()", "read the clock");
  refused("timeit(() -> 1)", "read the clock");
  refused("sleep(0.0)", "sleep");
  refused("input()", "ask for input");
  refused("to([1.0], device=\"gpu\")", "use devices");
  refused("devices()", "use devices");
  refused("import five", "import files");
  refused("import " + path("in/five.covec") + " as five", "import files");
  EXPECT_EQ(told(session, "import optim\n3"), "3");  // built in
  EXPECT_EQ(read(session, "in/notes.txt"), "cannot read " + (home / "in/notes.txt").string() + outside);
  EXPECT_EQ(
      told(session, "save(" + path("out/x.npy") + ", [1.0])"),
      "cannot write " + (home / "out/x.npy").string() + ": it is outside the folders that this program may write");
  EXPECT_FALSE(fs::exists(home / "out" / "x.npy"));
}

TEST_F(Gate, TellsNothingOfWhatIsOutside) {
  read_folders[0] = in.c_str();
  const OpenSession session = untrusted(options);
  for (const char* name : {"secret.txt", "no such file", "in/../secret.txt", "in/deep/../../secret.txt", "out", "",
                           "in2", "inn/notes.txt", "no/such/folder/file", "secret.txt/file"}) {
    EXPECT_EQ(read(session, name), "cannot read " + (home / name).string() + outside) << name;
  }
  for (const char* name : {"/etc/passwd", "/etc/no such file", "/proc/self/environ", "/proc/1/root", "/dev/zero", "/",
                           "secret.txt", "no such file", ".", "..", "../..", "/root/.ssh/id_rsa"}) {
    EXPECT_EQ(told(session, "read_text(\"" + std::string(name) + "\")"), "cannot read " + (name + outside)) << name;
  }
  EXPECT_EQ(told(session, "import secret"), told(session, "import nothing").replace(26, 0, ""));
}

TEST_F(Gate, ReadsWhatIsNamed) {
  read_folders[0] = in.c_str();
  const OpenSession session = untrusted(options);
  EXPECT_EQ(read(session, "in/notes.txt"), "notes");
  EXPECT_EQ(read(session, "in/deep/more.txt"), "more");
  EXPECT_EQ(read(session, "in/deep/../notes.txt"), "notes");
  EXPECT_EQ(read(session, "out/../in/./deep//more.txt"), "more");
  EXPECT_EQ(read(session, "in/none"), "cannot read " + (home / "in/none").string() + ": No such file or directory");
  EXPECT_EQ(read(session, "in"), "cannot read " + (home / "in").string() + ": it is a directory");
  EXPECT_NE(told(session, "save(" + path("in/x.npy") + ", [1.0])").find("cannot write"), std::string::npos);
}

TEST_F(Gate, FollowsLinksThatStayInside) {
  fs::create_symlink("notes.txt", home / "in" / "same");
  fs::create_symlink("deep", home / "in" / "folder");
  fs::create_symlink("../secret.txt", home / "in" / "up");
  fs::create_symlink(home / "secret.txt", home / "in" / "absolute");
  fs::create_symlink(home / "in" / "notes.txt", home / "in" / "absolute inside");
  fs::create_symlink("/proc/self/root", home / "in" / "magic");
  fs::create_symlink("../nothing", home / "in" / "nowhere");
  read_folders[0] = in.c_str();
  const OpenSession session = untrusted(options);
  EXPECT_EQ(read(session, "in/same"), "notes");
  EXPECT_EQ(read(session, "in/folder/more.txt"), "more");
  for (const char* name : {"in/up", "in/absolute", "in/absolute inside", "in/magic/etc/passwd", "in/nowhere"})
    EXPECT_EQ(read(session, name), "cannot read " + (home / name).string() + outside) << name;
}

TEST_F(Gate, WritesWhatIsNamed) {
  fs::create_symlink("../secret.txt", home / "out" / "link.npy");
  fs::create_symlink("../in", home / "out" / "folder");
  fs::create_directory(home / "out" / "sub");
  write_folders[0] = out.c_str();
  const OpenSession session = untrusted(options);
  const auto save = [&](const std::string& name) { return told(session, "save(" + path(name) + ", [1.0])"); };
  const auto refused = [&](const std::string& name) {
    return "cannot write " + (home / name).string() + ": it is outside the folders that this program may write";
  };
  EXPECT_EQ(save("out/x.npy"), "none");
  EXPECT_EQ(save("out/sub/x.npy"), "none");
  EXPECT_TRUE(fs::exists(home / "out" / "x.npy") && fs::exists(home / "out" / "sub" / "x.npy"));
  EXPECT_EQ(save("out/none/x.npy"),
            "cannot write " + (home / "out/none/x.npy").string() + ": No such file or directory");
  EXPECT_EQ(save("x.npy"), refused("x.npy"));
  EXPECT_EQ(save("none/x.npy"), refused("none/x.npy"));
  EXPECT_EQ(save("out/../x.npy"), refused("out/../x.npy"));
  EXPECT_EQ(save("out/folder/x.npy"), refused("out/folder/x.npy"));
  EXPECT_EQ(save("out/link.npy"), "none");  // the link is replaced
  EXPECT_FALSE(fs::is_symlink(home / "out" / "link.npy"));
  EXPECT_EQ(fs::file_size(home / "secret.txt"), 6u);
  EXPECT_EQ(read(session, "out/x.npy").substr(0, 11), "cannot read");  // writing is not reading
}

TEST_F(Gate, KeepsToTheFolderThatWasNamed) {
  read_folders[0] = in.c_str();
  const OpenSession session = untrusted(options);
  fs::rename(home / "in", home / "moved");
  fs::create_directory(home / "in");
  write(home / "in" / "notes.txt", "of another folder");
  EXPECT_EQ(read(session, "in/notes.txt"), "notes");
}

TEST_F(Gate, OpensOnlyWithItsFolders) {
  read_folders[0] = in.c_str();
  read_folders[1] = "/no/such/folder";
  errno = 0;
  EXPECT_EQ(untrusted(options), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Gate, PermitsEachUseByItself) {
  const auto with = [&](unsigned permissions) {
    covec_options one = options;
    one.permissions = permissions;
    return untrusted(one);
  };
  EXPECT_EQ(told(with(COVEC_MAY_READ_CLOCK), "time() > 1e9"), "true");
  EXPECT_EQ(told(with(COVEC_MAY_SLEEP), "sleep(0.001)"), "none");
  EXPECT_EQ(told(with(COVEC_MAY_USE_DEVICES), "to([1.0], device=\"no such device\")").find("not permitted"),
            std::string::npos);
  EXPECT_EQ(told(with(~0u & ~COVEC_MAY_SLEEP), "sleep(0.001)"), "this program is not permitted to sleep");
  read_folders[0] = in.c_str();
  EXPECT_EQ(told(with(0), "import " + path("in/five.covec") + " as five\nfive.n"),
            "this program is not permitted to import files");
  EXPECT_EQ(told(with(COVEC_MAY_IMPORT), "import " + path("in/five.covec") + " as five\nfive.n"), "5");
  EXPECT_EQ(told(with(COVEC_MAY_IMPORT), "import " + path("secret.covec") + " as s"),
            "no module `" + (home / "secret.covec").string() + "`");
  EXPECT_EQ(told(with(COVEC_MAY_IMPORT), "import " + path("none.covec") + " as s"),
            "no module `" + (home / "none.covec").string() + "`");
  write_folders[0] = out.c_str();
  const std::string save = "import image\nimage.write(" + path("out/x.png") + ", zeros(2, 2, 3))";
  EXPECT_EQ(told(with(0), save), "image.write: this program is not permitted to load libraries of the system");
  EXPECT_FALSE(fs::exists(home / "out" / "x.png"));
  EXPECT_EQ(told(with(COVEC_MAY_LOAD_LIBRARIES), save), "none");
}

// A trusted session in the same process has loaded what one that is not trusted must not use.
TEST_F(Gate, ChecksWhatIsLoadedAlready) {
  const OpenSession trusted(covec_open(nullptr));
  const std::string save = "import image\nimage.write(" + path("out/x.png") + ", zeros(2, 2, 3))";
  EXPECT_EQ(told(trusted, save), "none");
  write_folders[0] = out.c_str();
  EXPECT_EQ(told(untrusted(options), save),
            "image.write: this program is not permitted to load libraries of the system");
}

int next_line(void* user, const char** line, size_t* bytes) {
  int& left = *static_cast<int*>(user);
  if (left == 0) return 0;
  *line = "a line", *bytes = 6;
  return left--;
}

TEST_F(Gate, AsksTheHostForInput) {
  static int lines = 1;
  options.input = next_line;
  options.user = &lines;
  const OpenSession session = untrusted(options);
  EXPECT_EQ(told(session, "(input(), input())"), "(\"a line\", none)");
  const OpenSession trusted(covec_open(&options));
  lines = 1;
  EXPECT_EQ(told(trusted, "(input(), input())"), "(\"a line\", none)");
}

int module_text(void* user, const char* name, const char** text, size_t* bytes) {
  ++*static_cast<int*>(user);
  const std::string wanted = name;
  if (wanted == "throws") throw std::runtime_error("no memory card");
  static const std::string found = "import optim\nn = 7\nfn half(x) = x / 2", bad = "n = ";
  if (wanted != "seven" && wanted != "lib/seven.covec" && wanted != "bad") return 0;
  const std::string& given = wanted == "bad" ? bad : found;
  *text = given.data(), *bytes = given.size();
  return 1;
}

TEST_F(Gate, AsksTheHostForModules) {
  static int asked = 0;
  options.resolve = module_text;
  options.user = &asked;
  for (const bool is_trusted : {false, true}) {
    const OpenSession session(is_trusted ? covec_open(&options) : covec_open_untrusted(&options));
    EXPECT_EQ(told(session, "import seven\nseven.half(seven.n)"), "3.5");
    EXPECT_EQ(told(session, "import \"lib/seven.covec\" as other\nother.n"), "7");
    asked = 0;
    EXPECT_EQ(told(session, "import seven\nseven.n"), "7");
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(told(session, "import nothing"), "no module `nothing`");
    EXPECT_EQ(told(session, "import " + path("in/five.covec") + " as s"),
              "no module `" + (home / "in/five.covec").string() + "`");
    EXPECT_EQ(told(session, "import throws"), "the host function threw an exception: no memory card");
    told(session, "import bad");
    EXPECT_NE(std::string(covec_error_text(session.get())).find("--> bad:1"), std::string::npos);
  }
}

// The host's own paths are not the program's.
TEST_F(Gate, RunsTheFileThatTheHostNames) {
  const OpenSession session = untrusted(options);
  write(home / "main.covec", "x = 3\nimport five");
  EXPECT_EQ(covec_run_file(session.get(), (home / "main.covec").c_str()), COVEC_ERROR);
  EXPECT_STREQ(covec_error_message(session.get()), "this program is not permitted to import files");
  EXPECT_EQ(told(session, "x"), "3");
}

TEST_F(Gate, IsWideOpenForTheTrusted) {
  const OpenSession session(covec_open(&options));
  EXPECT_EQ(read(session, "secret.txt"), "secret");
  fs::create_symlink("../secret.txt", home / "out" / "link.npy");
  EXPECT_EQ(told(session, "save(" + path("out/link.npy") + ", [1.0])"), "none");
  EXPECT_TRUE(fs::is_symlink(home / "out" / "link.npy"));
  EXPECT_GT(fs::file_size(home / "secret.txt"), 6u);  // a link is followed
  fs::create_directory(home / "out" / "folder.npy");
  for (const char* name : {"out/folder.npy", "out/none/x.npy", "none.npy/x.npy"})
    EXPECT_EQ(told(session, "save(" + path(name) + ", [1.0])").find("cannot write"), 0u) << name;
}

}  // namespace
