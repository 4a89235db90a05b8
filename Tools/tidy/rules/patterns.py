"""Banned words, each with its replacement; shared by the groups that only search for words."""

import re
from dataclasses import dataclass

from swift_text import matching_bracket
from tree import Finding


@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern
    what: str
    instead: str

    def offsets(self, code):
        return (match.start() for match in self.pattern.finditer(code))


@dataclass(frozen=True)
class CallWithout(Ban):
    """A call is banned only when its arguments leave out a label."""

    label: str

    def offsets(self, code):
        for match in self.pattern.finditer(code):
            opening = match.end() - 1
            closing = matching_bracket(code, opening)
            if self.label not in code[opening : closing if closing is not None else len(code)]:
                yield match.start()


def ban(pattern, what, instead):
    return Ban(re.compile(pattern, re.MULTILINE), what, instead)


def call_without(pattern, label, what, instead):
    return CallWithout(re.compile(pattern), what, instead, label)


def findings(rule, source, bans):
    for each in bans:
        for offset in each.offsets(source.code):
            yield Finding(source.path, source.line_at(offset), rule, f"{each.what}: {each.instead}")
