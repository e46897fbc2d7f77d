"""covec.profile(): functions that were defined before, forms of the result, errors."""
import json
import pathlib
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import covec

PROGRAM = """fn one(n) {
    s = 0.0
    for i in range(n) { s += 1.0 }
    return s
}
fn seven(n) {
    s = 0.0
    for i in range(7 * n) { s += 1.0 }
    return s
}"""


def shares(profile):
    """The innermost lines with their shares."""
    read = json.loads(profile.speedscope)
    frames, [run] = read["shared"]["frames"], read["profiles"]
    found = {}
    for stack, weight in zip(run["samples"], run["weights"]):
        frame = frames[stack[-1]]
        key = frame.get("file"), frame.get("line")
        found[key] = found.get(key, 0) + weight / sum(run["weights"])
    return found


class Profiles(unittest.TestCase):
    def setUp(self):
        self.session = covec.Session()
        self.addCleanup(self.session.close)

    def test_functions_that_were_there_before(self):
        covec.run(PROGRAM, "both.covec")
        one, seven = covec.get("one"), covec.get("seven")
        with covec.profile(name="both") as profile:
            for _ in range(20):
                one(100_000)
                seven(100_000)
        told = shares(profile)
        self.assertLess(told["both.covec", 3], told["both.covec", 8], told)
        self.assertGreater(told["both.covec", 3] + told["both.covec", 8], 0.8, told)
        self.assertRegex(str(profile), r"profile: .*\n[\s\S]* both\.covec:8  for i in range\(7 \* n\) \{ s \+= 1\.0 \}\n[\s\S]* seven  both\.covec\n")
        self.assertEqual(repr(profile), str(profile))
        svg = xml.etree.ElementTree.fromstring(profile.svg)
        self.assertTrue(svg.find("{http://www.w3.org/2000/svg}text").text.startswith("both, "))
        self.assertEqual(profile._repr_svg_(), profile.svg)
        self.assertEqual(one(5), 5.0)
        with profile:  # once more
            seven(50_000)
        self.assertNotIn(("both.covec", 3), shares(profile))

    def test_lines_of_what_was_compiled_before(self):
        covec.run("""@compile
fn f(n, s) {
    for i in range(n) {
        a = cos(cos(s))
        s = cos(cos(cos(cos(cos(cos(cos(cos(cos(cos(a))))))))))
    }
    return s
}
f(10, 0.5)""", "loop.covec")
        f = covec.get("f")
        with covec.profile() as profile:
            f(2_000_000, 0.5)
        told = shares(profile)
        self.assertLess(told["loop.covec", 4], told["loop.covec", 5], told)
        self.assertGreater(told["loop.covec", 4] + told["loop.covec", 5], 0.8, told)
        self.assertRegex(str(profile), r" lines\n +\d\d\.\d % +\d\d\.\d %  loop\.covec:5  s = cos\(")

    def test_files(self):
        with covec.profile(self.session) as profile:
            self.session.run("s = 0.0\nfor i in range(50_000) { s += i }")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            profile.save(path / "a.svg")
            profile.save(str(path / "a.json"))
            self.assertEqual((path / "a.svg").read_text(encoding="utf-8"), profile.svg)
            self.assertEqual((path / "a.json").read_text(encoding="utf-8"), profile.speedscope)
            with self.assertRaisesRegex(ValueError, "ends in .svg or .json, not '.*a.png'"):
                profile.save(path / "a.png")

    def test_errors(self):
        profile = covec.profile(self.session)
        self.assertEqual((repr(profile), profile._repr_svg_()), ("covec.Profile()", None))
        with self.assertRaisesRegex(ValueError, "has not ended"):
            str(profile)
        with profile:
            with self.assertRaisesRegex(covec.Error, "a profile is being taken already"):
                covec.profile(self.session).__enter__()
            with self.assertRaises(covec.Error):  # it is the program's, and the profile goes on
                self.session.run("error(1)")
        self.assertIn("profile: ", str(profile))
        with self.assertRaisesRegex(covec.Error, "no profile is being taken"):
            profile.__exit__()
        self.session.close()
        with self.assertRaisesRegex(covec.Error, "closed"):
            profile.__enter__()

    def test_threads(self):
        profile = covec.profile(self.session)
        profile.__enter__()
        told = []

        def end():
            try:
                profile.__exit__()
            except covec.Error as error:
                told.append(error.message)
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        self.assertEqual(told, ["a profile ends on the thread that has begun it"])
        profile.__exit__()

    def test_other_threads_are_left_out(self):
        """The session may run on another thread meanwhile: only this thread's runs are sampled."""
        self.session.run(PROGRAM, "both.covec")
        one, seven = self.session["one"], self.session["seven"]
        with covec.profile(self.session) as profile:
            thread = threading.Thread(target=lambda: [one(n) for n in range(0, 200_000, 1_000)])
            thread.start()
            while thread.is_alive():
                thread.join(0.01)
            seven(50_000)
        self.assertEqual({line for _, line in shares(profile)} - {8}, set(), shares(profile))

    def test_what_python_does_meanwhile(self):
        """A timer's signals disturb neither Python nor sleeping threads."""
        import time
        with covec.profile(self.session) as profile:
            before = time.monotonic()
            time.sleep(0.05)
            self.assertGreaterEqual(time.monotonic() - before, 0.05)
            self.session.run("s = 0.0\nfor i in range(100_000) { s += i }")
        self.assertEqual(set(shares(profile)) - {("host", 2), ("host", 1)}, set())


if __name__ == "__main__":
    unittest.main()
