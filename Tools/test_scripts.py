"""The scripts behind `make test` must themselves be able to fail: tests with a stand-in for swift."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
PASSED = "✔ Test run with 2 tests in 1 suite passed after 0.1 seconds."


class ScriptTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tools-")
        self.addCleanup(self.folder.cleanup)

    def swift(self, script):
        path = pathlib.Path(self.folder.name) / "swift"
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def run_tool(self, name, *arguments, **environment):
        usual = {key: value for key, value in os.environ.items() 
                 if key not in ("BUILD", "BUILD_FLAGS", "CAUSEWAY_BIN", "CI", "RELEASE_FLAGS", "SWIFT", "TEST_BUNDLE",
                                "TEST_SECONDS", "TEST_SILENCE_SECONDS")}
        return subprocess.run([str(TOOLS / name), *arguments], env={**usual, **environment}, text=True,
                              capture_output=True, check=False)

    def run_tests(self, script, *arguments, **environment):
        """Runs the stand-in once; without arguments the run is not split by targets."""
        arguments = arguments or ("--filter", "All")
        return self.run_tool("run-tests", *arguments, SWIFT=self.swift(script), **environment)

    def test_each_target_runs_by_itself_and_one_that_fails_stops_no_other(self):
        manifest = '{"targets": [%s]}' % ", ".join(
            '{"name": "%s", "type": "%s"}' % pair
            for pair in (("One", "regular"), ("ATests", "test"), ("BTests", "test"), ("CTests", "test")))
        script = (f"case \"$*\" in package*) echo '{manifest}';; *BTests*) echo broken; exit 7;; "
                  f"*) echo '{PASSED}';; esac\n")
        done = self.run_tests(script, "--skip-build")
        self.assertEqual(done.returncode, 7)
        lines = [line for line in done.stdout.splitlines() if "Tests: " in line]
        self.assertEqual(lines[0], "ATests: " + PASSED)
        self.assertTrue(lines[1].startswith("BTests: broken"))
        self.assertEqual(lines[2], "CTests: " + PASSED)

    def test_what_computes_and_what_waits_are_all_targets_together(self):
        targets = ("CausewayOutboxTests", "CausewayHubTests", "CausewayNewTests")
        manifest = '{"targets": [%s]}' % ", ".join('{"name": "%s", "type": "test"}' % name for name in targets)
        script = f"case \"$*\" in package*) echo '{manifest}';; *) echo '{PASSED}';; esac\n"
        lanes = {lane: [line.split(":")[0] for line in self.run_tests(script, *lane, "--skip-build").stdout.splitlines()
                        if "Tests: " in line]
                 for lane in ((), ("--computing",), ("--waiting",))}
        self.assertEqual(lanes[()], list(targets))
        self.assertEqual(lanes["--computing",], ["CausewayOutboxTests"])
        self.assertEqual(lanes["--waiting",], ["CausewayHubTests", "CausewayNewTests"])

    def test_a_check_prints_what_each_step_took_and_fails_with_any_of_them(self):
        """Without a filter it runs everything; here every tool but itself is a stand-in."""
        folder = pathlib.Path(self.folder.name)
        tools = folder / "Tools"
        for group in ("tidy", "mutants"):
            (tools / group).mkdir(parents=True)
        shutil.copy(TOOLS / "check", tools / "check")
        for name in ("lint", "quietly", "build", "tidy/tidy", "run-tests", "test-browser", "test-contract",
                     "test-socket", "test-uploads", "test-websocket", "test-proxy", "hostile-clients",
                     "mutants/mutants"):
            (tools / name).write_text(
                f'#!/bin/sh\necho "{name} $*"\n[ "$BROKEN" != "{name}" ] || exit 1\n', encoding="utf-8")
            (tools / name).chmod(0o755)

        def check(*arguments, broken=""):
            return subprocess.run([str(tools / "check"), *arguments], env={**os.environ, "BROKEN": broken}, text=True,
                                  capture_output=True, check=False)

        done = check()
        self.assertEqual(done.returncode, 0, done.stdout)
        for step in ("lint", "tidy", "tests of the tools", "build", "tests with sockets and processes",
                     "tests in a browser", "hostile clients", "tests that only compute", "requests from the contract",
                     "an independent client of the socket", "an independent client of uploads",
                     "the Autobahn test suite", "a sample of the mutants", "a proxy between client and hub"):
            self.assertRegex(done.stdout, rf"(?m)^==> {step} \(\d+ s, \d+ s of a processor\)$")
        for broken in ("lint", "quietly"):
            self.assertEqual(check(broken=broken).returncode, 1)
        for broken in ("test-browser", "hostile-clients", "run-tests", "test-contract", "test-socket",
                       "test-uploads", "test-websocket", "test-proxy", "mutants/mutants"):
            done = check(broken=broken)
            self.assertEqual(done.returncode, 1, broken)
            # A failed step does not stop the others.
            self.assertIn("test-browser", done.stdout)
            self.assertIn("hostile-clients check", done.stdout)
            # Its name and its reasons come last.
            self.assertRegex(done.stdout, rf"(?s)==> all of it: [^\n]*\n==> failed: [^\n]*\n    {broken}")
        (tools / "run-tests").write_text(
            "#!/bin/sh\necho 'test: started and did not end: a()'\nexit 124\n", encoding="utf-8")
        self.assertRegex(check().stdout, r"(?s)==> failed: [^\n]*\n    test: started and did not end: a\(\)\n")
        self.assertEqual(check("Outbox").returncode, 124)
        self.assertNotIn("test-browser", check("Outbox").stdout)

    def test_a_passing_run_shows_the_closing_line_alone(self):
        done = self.run_tests(f"echo noise\necho '{PASSED}'\n", CI="1")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, PASSED))

    def test_built_tests_are_started_without_swift(self):
        bundle = pathlib.Path(self.folder.name) / "bundle"
        bundle.write_text(f"#!/bin/sh\necho \"$*\" >&2\necho '{PASSED}'\n", encoding="utf-8")
        bundle.chmod(0o755)
        done = self.run_tests("exit 1\n", TEST_BUNDLE=str(bundle))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, PASSED))
        bundle.write_text("#!/bin/sh\necho \"$*\"\nexit 9\n", encoding="utf-8")
        done = self.run_tests("true\n", TEST_BUNDLE=str(bundle))
        self.assertEqual(done.returncode, 9)
        self.assertIn("--filter All --testing-library swift-testing", done.stdout)

    def test_a_failing_run_shows_everything_and_keeps_the_code(self):
        done = self.run_tests("echo noise\necho '◇ Test a() started.'\necho '◇ Test b() started.'\n"
                              "echo '✘ Test b() failed after 1 seconds'\n"
                              "echo '◇ Test c(of:) started.'\n"
                              "echo '✔ Test c(of:) with 2 test cases passed after 1 seconds.'\nexit 7\n")
        self.assertEqual(done.returncode, 7)
        self.assertIn("noise", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^test: started and did not end: a\(\)$")
        self.assertNotIn("did not end: c(of:)", done.stdout)

    def test_a_skipped_test_fails_only_where_ci_is_set(self):
        script = f"echo '➜ Test a() skipped: \"why\"'\necho '{PASSED}'\n"
        self.assertEqual(self.run_tests(script).returncode, 0)
        self.assertEqual(self.run_tests(script, CI="true").returncode, 3)
        self.assertEqual(self.run_tests(script, CI="true", LC_ALL="C").returncode, 3)

    def test_a_name_with_the_word_skipped_is_no_skipped_test(self):
        name = "a message that is skipped"
        script = (f"echo '◇ Test {name} started.'\n"
                  f"echo '◇ Test case passing 1 argument name → {name} to a(_:) started.'\n"
                  f"echo '✔ Test {name} passed after 1 seconds.'\necho '{PASSED}'\n")
        self.assertEqual(self.run_tests(script, CI="true").returncode, 0)

    def test_a_run_without_tests_fails(self):
        self.assertEqual(self.run_tests("echo '✔ Test run with 0 tests passed'\n").returncode, 4)
        self.assertEqual(self.run_tests("true\n").returncode, 4)

    def test_a_run_that_hangs_is_ended_with_all_it_started(self):
        alive = pathlib.Path(self.folder.name) / "pid"
        done = self.run_tests(f"sleep 300 & echo $! >'{alive}'\nwait\necho last words\n", TEST_SECONDS="5")
        self.assertEqual(done.returncode, 124)
        self.assertIn("longer than 5 s", done.stdout)
        self.assertIn("last words", done.stdout)
        self.assertTrue(self.ends(int(alive.read_text(encoding="utf-8"))))

    def test_a_run_that_ignores_the_signal_is_killed(self):
        done = self.run_tests("trap '' TERM\nwhile :; do sleep 1; done\n", TEST_SECONDS="1")
        self.assertEqual(done.returncode, 124)
        self.assertIn("longer than 1 s", done.stdout)

    def test_a_run_that_is_silent_is_ended_and_its_test_is_named(self):
        """The others of its targets still run."""
        manifest = '{"targets": [{"name": "ATests", "type": "test"}, {"name": "BTests", "type": "test"}]}'
        script = (f"case \"$*\" in package*) echo '{manifest}';; "
                  f"*ATests*) echo '◇ Test waits() started.'; exec sleep 300;; *) echo '{PASSED}';; esac\n")
        done = self.run_tests(script, "--skip-build", TEST_SILENCE_SECONDS="2")
        self.assertEqual(done.returncode, 124)
        self.assertRegex(done.stdout, r"(?m)^test: the run printed nothing for 2 s and was ended$")
        self.assertRegex(done.stdout, r"(?m)^test: started and did not end: waits\(\)$")
        self.assertIn("BTests: " + PASSED, done.stdout)

    def ends(self, pid):
        """Returns whether a process ends; a zombie has ended as well."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
            if state.stdout.strip()[:1] in ("", "Z"):
                return True
            time.sleep(0.05)
        return False

    def test_quietly_is_quiet_only_on_success(self):
        self.assertEqual(self.run_tool("quietly", "sh", "-c", "echo a").stdout, "")
        done = self.run_tool("quietly", "sh", "-c", "echo a; echo b >&2; exit 5")
        self.assertEqual((done.returncode, done.stdout), (5, "a\nb\n"))

    def test_released_programs_are_built_with_one_set_of_flags(self):
        calls = pathlib.Path(self.folder.name) / "calls"
        swift = self.swift(f'echo "$*" >>"{calls}"\n'
                           'case "$*" in *--show-bin-path*) echo /the/folder ;; *) echo noise ;; esac\n')
        done = self.run_tool("build-release", "one", "two", SWIFT=swift, RELEASE_FLAGS="--own",
                             BUILD_FLAGS="-Xswiftc -g")
        self.assertEqual((done.returncode, done.stdout), (0, "/the/folder\n"))
        flags = "build -c release --scratch-path .build-release --own -Xswiftc -g"
        self.assertEqual(calls.read_text(encoding="utf-8").splitlines(), [
            f"{flags} --product one", f"{flags} --product two", f"{flags} --show-bin-path"])
        calls.unlink()
        self.run_tool("build-release", SWIFT=swift)
        self.assertEqual("--static-swift-stdlib" in calls.read_text(encoding="utf-8"), sys.platform == "linux")

    def test_a_release_build_that_fails_names_no_folder(self):
        done = self.run_tool("build-release", "one", SWIFT=self.swift("echo broken\nexit 3\n"))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((done.stdout, done.stderr), ("", "broken\n"))

    def test_the_programs_of_a_test_are_released_ones_unless_others_are_named(self):
        swift = self.swift('echo "$*"\n')
        found = self.run_tool("program-folder", "one", SWIFT=swift)
        self.assertRegex(found.stdout, "^build -c release .* --show-bin-path\n$")
        found = self.run_tool("program-folder", "one", SWIFT=swift, BUILD="debug")
        self.assertNotIn("-c release", found.stdout)
        self.assertIn("--show-bin-path", found.stdout)
        found = self.run_tool("program-folder", "one", SWIFT=swift, CAUSEWAY_BIN="/the/folder")
        self.assertEqual(found.stdout, "/the/folder\n")
        found = self.run_tool("program-folder", "one", SWIFT=swift, BUILD="both")
        self.assertEqual((found.returncode, found.stdout), (2, ""))
        self.assertIn("unknown build both", found.stderr)

    def test_setup_says_what_is_wrong_with_swift(self):
        for script, words in (
            ("echo 'Swift version 6.1.3 (release)'\n", "6.1.3 is too old"),
            ("echo 'Apple Swift version 5.10'\n", "5.10 is too old"),
            ("echo 'no libncurses' >&2; exit 127\n", "no libncurses"),
        ):
            done = self.run_tool("setup", "--check", SWIFT=self.swift(script))
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
        done = self.run_tool("setup", "--check", SWIFT="/nowhere/swift")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no Swift", done.stderr)

    def path_without(self, *names):
        """Returns a PATH with every program of the system except these, and with nginx, which few systems have."""
        folder = pathlib.Path(self.folder.name) / "bin"
        folder.mkdir()
        for place in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
            for program in pathlib.Path(place).iterdir():
                if program.name not in names and not (folder / program.name).exists():
                    (folder / program.name).symlink_to(program)
        if not (folder / "nginx").exists():
            (folder / "nginx").symlink_to("/bin/true")
        return folder

    def test_setup_for_running_needs_no_browser(self):
        path = self.path_without("chromium", "chromium-browser", "google-chrome", "shellcheck")
        known = {"SWIFT": self.swift("echo 'Swift version 6.3 (x)'\n"), "PATH": str(path)}
        done = self.run_tool("setup", "--check", **known)
        self.assertEqual((done.returncode, done.stderr), (0, "setup: nothing is missing for building and running\n"))
        done = self.run_tool("setup", "--check", "--tests", **known)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Install by hand what is missing: Chromium\n", done.stderr)

    def test_setup_says_what_it_will_install_before_it_does(self):
        path = self.path_without("chromium", "chromium-browser", "google-chrome", "shellcheck", "apt-get", "sudo", "id")
        asked = pathlib.Path(self.folder.name) / "asked"
        for name in ("apt-get", "sudo"):
            (path / name).write_text(f"#!/bin/sh\necho \"$@\" >>'{asked}'\necho 'what apt-get said'\nexit 1\n")
            (path / name).chmod(0o755)
        known = {"SWIFT": self.swift("echo 'Swift version 6.3 (x)'\n"), "PATH": str(path)}
        done = self.run_tool("setup", "--tests", **known)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.splitlines()
        self.assertEqual(
            lines[0],
            "setup: for building, running and testing, this will be installed by apt-get: chromium shellcheck ")
        done = self.run_tool("setup", **known)
        self.assertEqual((done.returncode, done.stderr), (0, "setup: nothing is missing for building and running\n"))

    def test_soaking_shows_each_run_and_ends_with_those_that_are_red(self):
        make = pathlib.Path(self.folder.name) / "make"
        count = pathlib.Path(self.folder.name) / "count"
        make.write_text(f"#!/bin/sh\necho x >>'{count}'\necho noise\n"
                        f"[ \"$(wc -l <'{count}')\" -ne 2 ] || exit 7\n", encoding="utf-8")
        make.chmod(0o755)
        done = self.run_tool("soak-tests", "3", MAKE=str(make))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"run 1 of 3: green, 0 min \d+ s\nnoise\nrun 2 of 3: RED .*ended with 7.*\n"
                                      r"run 3 of 3: green, .*\n2 of 3 runs were green, with 1 busy")
        self.assertEqual(self.run_tool("soak-tests", "1", MAKE=str(make)).returncode, 0)

    def test_setup_takes_a_newer_swift(self):
        for version in ("6.2", "6.3.1", "6.10", "7.0-dev"):
            done = self.run_tool("setup", "--check", SWIFT=self.swift(f"echo 'Swift version {version} (x)'\n"))
            self.assertNotIn("too old", done.stderr)
            self.assertNotIn("does not name a version", done.stderr)


if __name__ == "__main__":
    unittest.main()
