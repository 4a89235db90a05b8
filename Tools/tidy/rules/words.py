"""Words that belong to one machine and not to the project."""

import re

from tree import Finding, Rule

_HOME = re.compile(r"(?<![\w.~$}%/*-])/(?:work|root|home/\w+|Users/\w+)/[\w.]")
_BUILT = re.compile(r"(?:^|/)(?:Package\.resolved|\.build[^/]*/|\.swiftpm/|__pycache__/|\.DS_Store)")


def home_paths(tree):
    for path in tree.paths:
        for number, text in enumerate(tree.text(path).splitlines(), 1):
            match = _HOME.search(text)
            if match:
                yield Finding(path, number, "home-path",
                              f"{match.group()[:-1]} is a place on one machine; start from the repository, from ~ "
                              "or from a setting")


def tracked_build_files(tree):
    for path in tree.tracked or ():
        if _BUILT.search(path):
            yield Finding(path, 1, "tracked-build",
                          "it is written by the build; take it out of git (git rm --cached) and ignore it")


RULES = [
    Rule("home-path", "words", "no path of one machine", home_paths),
    Rule("tracked-build", "words", "nothing the build writes is in git", tracked_build_files),
]
