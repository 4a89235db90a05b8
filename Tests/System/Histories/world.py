"""A hub, two daemons behind unreliable links, and what happens to them, as real processes in a folder of their own."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time

from recorder import History, Person, Unreachable, Witness
from unreliable_link import UnreliableLink

SECONDS_MAX = 120
CHANNELS = ["general", "second"]
PEOPLE = ["ann", "bob"]


def until(what, holds):
    """Waits until `holds` returns a true value, and returns it."""
    end = time.monotonic() + SECONDS_MAX
    while not (found := holds()):
        if time.monotonic() > end:
            raise AssertionError(f"it took more than {SECONDS_MAX} s until {what}")
        time.sleep(0.02)
    return found


class Template:
    """A hub with its accounts and channels, copied for each history."""

    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cw-"))
        self.run("init", "--account", PEOPLE[0], "--channel", CHANNELS[0])
        for account in [*PEOPLE[1:], "eve"]:
            self.run("account", "add", account)
        for channel in CHANNELS[1:]:
            self.run("channel", "add", channel, "--owner", PEOPLE[0])
        for channel in CHANNELS:
            for account in [*PEOPLE, "eve"]:
                self.run("channel", "member", "add", channel, account)

    def run(self, *arguments):
        subprocess.run([self.programs / "causeway-hub", *arguments, "--data", self.folder / "hub"], check=True,
                       env=environment(self.programs, self.folder), capture_output=True)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def environment(programs, folder, **more):
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "SWIFT_BACKTRACE": "enable=no", **more}


class World:
    """All that runs in one history; everything follows from its seed but the speed of the machine."""

    def __init__(self, template, seed):
        self.programs, self.random = template.programs, random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cw-"))
        shutil.copytree(template.folder / "hub", self.folder / "hub")
        self.history = History()
        self.processes = {}
        self.hub_port = None
        self.backups = []
        # What ended a person's actions before their time.
        self.troubles = []
        self.links = {name: UnreliableLink(seed + number) for number, name in enumerate(PEOPLE)}
        storages = [self.random.choice(["sqlite", "file"]) for _ in PEOPLE]
        self.environments = {name: environment(
            self.programs, self.folder, CAUSEWAY_STORE=str(self.folder / name), CAUSEWAY_STORAGE=storage,
            CAUSEWAY_SOCKET=str(self.folder / f"{name}.s"), CAUSEWAY_RESTART="resume", CAUSEWAY_SETTLING_TIME="0s",
            CAUSEWAY_RETRY_INTERVAL="1s") for name, storage in zip(PEOPLE, storages)}
        self.people = {name: Person(name, self.folder / f"{name}.s", CHANNELS, self.history,
                                    random.Random(seed * 7 + number)) for number, name in enumerate(PEOPLE)}
        self.witness = Witness((self.folder / "hub" / "tokens" / "eve.token").read_text().strip(), CHANNELS,
                               self.history)

    # MARK: Processes

    def start(self, name, arguments, ready, variables):
        log = self.folder / f"{name}.log"
        with open(log, "wb") as output:
            process = subprocess.Popen(arguments, env=variables, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT)
        self.processes[name] = process

        def found():
            if process.poll() is not None:
                raise AssertionError(f"{name} ended: {log.read_text()}")
            return re.search(ready, log.read_text())
        return until(f"{name} is ready", found)

    def start_hub(self):
        found = self.start("hub", [self.programs / "causeway-hub", "serve", "--data", self.folder / "hub", "--plain",
                                   "--listen", "127.0.0.1:0"], r"address=http://127\.0\.0\.1:(\d+)",
                           environment(self.programs, self.folder))
        self.hub_port = int(found[1])
        self.witness.port = self.hub_port
        for link in self.links.values():
            link.hub_port = self.hub_port

    def start_daemon(self, name):
        self.start(name, [self.programs / "causewayd"], "ready", self.environments[name])

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def run(self, *arguments, variables=None):
        done = subprocess.run([self.programs / arguments[0], *map(str, arguments[1:])], capture_output=True, text=True,
                              env=variables or environment(self.programs, self.folder), timeout=SECONDS_MAX,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.returncode} {done.stderr}")

    # MARK: A history

    def live(self, seconds):
        """Lets people act while things happen to the programs, and then waits until nothing is pending."""
        self.start_hub()
        for name in PEOPLE:
            self.start_daemon(name)
            self.run("causeway", "login", f"http://127.0.0.1:{self.links[name].port}", "--token-file",
                     self.folder / "hub" / "tokens" / f"{name}.token", variables=self.environments[name])
        following = threading.Thread(target=self.witness.follow, args=(lambda: time.sleep(0.05),), daemon=True)
        following.start()
        until("the witness follows", lambda: self.witness.cursor)
        over = threading.Event()
        acting = [threading.Thread(target=self.act, args=(person, over), daemon=True)
                  for person in self.people.values()]
        for thread in acting:
            thread.start()
        self.strike(seconds)
        over.set()
        for thread in acting:
            thread.join()
        if self.troubles:
            raise AssertionError(self.troubles[0])
        self.settle()
        self.witness.is_ending = True
        until("the witness has read the log", self.witness.has_all.is_set)
        following.join()
        self.witness.record_end()
        for person in self.people.values():
            until(f"{person.name} shows the channels", lambda person=person: self.shows(person))

    @staticmethod
    def shows(person):
        with contextlib.suppress(Unreachable):
            person.record_view()
            return True
        return False

    def act(self, person, over):
        try:
            while not over.is_set():
                person.act()
                time.sleep(person.random.random() * 0.05)
        except Exception as error:  # raised by the thread that waits for this one
            self.troubles.append(f"{person.name}: {type(error).__name__}: {error}")

    def settle(self):
        """Ends all trouble, and waits until each client has delivered what it has."""
        for link in self.links.values():
            link.loss = 0
        quiet = 0

        def is_quiet():
            nonlocal quiet
            try:
                quiet = quiet + 1 if not sum(person.pending() for person in self.people.values()) else 0
            except Unreachable:
                quiet = 0
            return quiet >= 3
        until("everything is delivered", is_quiet)

    # MARK: Trouble

    def strike(self, seconds):
        """Does something to the programs again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.random.random() * 0.4)
            what = self.random.choices(
                ["daemon", "hub", "loss", "calm", "cut", "backup", "restore"], [4, 3, 4, 3, 4, 2, 2])[0]
            if what == "restore" and not self.backups:
                what = "backup"
            self.history.add("fault", what=what)
            getattr(self, "strike_" + what)()

    def strike_daemon(self):
        name = self.random.choice(PEOPLE)
        self.kill(name)
        time.sleep(self.random.random() * 0.1)
        self.start_daemon(name)

    def strike_hub(self):
        self.kill("hub")
        time.sleep(self.random.random() * 0.3)
        self.start_hub()

    def strike_loss(self):
        self.links[self.random.choice(PEOPLE)].loss = self.random.choice([0.02, 0.1, 0.3])

    def strike_calm(self):
        for link in self.links.values():
            link.loss = 0

    def strike_cut(self):
        self.links[self.random.choice(PEOPLE)].cut_all()

    def strike_backup(self):
        folder = self.folder / f"backup-{len(self.backups)}"
        self.run("causeway-hub", "backup", folder, "--data", self.folder / "hub")
        self.backups.append(folder)

    def strike_restore(self):
        self.kill("hub")
        self.run("causeway-hub", "restore", self.random.choice(self.backups), "--data", self.folder / "hub")
        self.start_hub()

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        for link in self.links.values():
            link.close()
        if "KEEP" in os.environ:
            print(f"kept {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
