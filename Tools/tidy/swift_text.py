"""Separates code from comments and literals in Swift text.

The rules search for words, and a word in a comment or in a string is not a use of it. `split` returns two
views of the same text, of the same length and with the same line breaks, so that an offset is the same
position in all three:

    code        comments and the contents of string and regular expression literals replaced by spaces.
                Interpolated expressions are kept: they are code.
    comments    everything but the comments replaced by spaces
"""

import re

_NOT_NEWLINE = re.compile(r"[^\n]")
_OPENING = r'//[^\n]*|/\*|#*"""|#*"|#+/|/'
_OUTSIDE = re.compile(_OPENING)
_INSIDE_INTERPOLATION = re.compile(_OPENING + r"|[()]")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_BARE_REGEX = re.compile(r"(?:\\.|[^\\/\n])+/")
_BEFORE_BARE_REGEX = set("=([,{:;!&|?\n")


def blank(text):
    return _NOT_NEWLINE.sub(" ", text)


def split(text):
    scanner = _Scanner(text)
    scanner.scan(0, nested=False)
    return "".join(scanner.code), "".join(scanner.comments)


class _Scanner:
    def __init__(self, text):
        self.text = text
        self.code = []
        self.comments = []

    def keep(self, start, end):
        piece = self.text[start:end]
        self.code.append(piece)
        self.comments.append(blank(piece))

    def hide(self, start, end):
        spaces = blank(self.text[start:end])
        self.code.append(spaces)
        self.comments.append(spaces)

    def comment(self, start, end):
        piece = self.text[start:end]
        self.code.append(blank(piece))
        self.comments.append(piece)

    def scan(self, position, nested):
        """Scans code until the end, or, when nested, past the bracket that ends the interpolation."""
        depth = 0
        pattern = _INSIDE_INTERPOLATION if nested else _OUTSIDE
        while True:
            match = pattern.search(self.text, position)
            if match is None:
                self.keep(position, len(self.text))
                return len(self.text)
            self.keep(position, match.start())
            start, token = match.start(), match.group()
            if token in "()":
                self.keep(start, match.end())
                position = match.end()
                depth += 1 if token == "(" else -1
                if depth < 0:
                    return position
            elif token.startswith("//"):
                self.comment(start, match.end())
                position = match.end()
            elif token == "/*":
                position = self.block_comment(start)
            elif token.endswith('"'):
                position = self.string(start, token)
            elif token == "/":
                position = self.slash(start)
            else:
                position = self.extended_regex(start, token)

    def block_comment(self, start):
        depth, position = 1, start + 2
        while depth:
            match = _COMMENT_EDGE.search(self.text, position)
            if match is None:
                position = len(self.text)
                break
            depth += 1 if match.group() == "/*" else -1
            position = match.end()
        self.comment(start, position)
        return position

    def string(self, start, token):
        hashes = len(token) - len(token.lstrip("#"))
        opening = start + len(token)
        many_lines = token.endswith('"""') and self.text[opening : self.text.find("\n", opening)].strip() == ""
        if token.endswith('"""') and not many_lines:
            opening = start + hashes + 1
        quotes, pound = ('"""' if many_lines else '"'), "#" * hashes
        edge = re.compile(
            rf"(?P<interpolation>\\{pound}\()|(?P<escape>\\{pound}.)|(?P<close>{quotes}{pound})"
            + ("" if many_lines else r"|(?P<cut>\n)"),
            re.DOTALL,
        )
        self.keep(start, opening)
        position = opening
        while True:
            match = edge.search(self.text, position)
            if match is None:
                self.hide(position, len(self.text))
                return len(self.text)
            self.hide(position, match.start())
            if match.lastgroup == "interpolation":
                # Its bracket is kept, so that brackets stay paired.
                self.hide(match.start(), match.end() - 1)
                self.keep(match.end() - 1, match.end())
                position = self.scan(match.end(), nested=True)
            elif match.lastgroup == "escape":
                self.hide(match.start(), match.end())
                position = match.end()
            else:
                self.keep(match.start(), match.end())
                return match.end()

    def slash(self, start):
        before = start - 1
        while before >= 0 and self.text[before] in " \t":
            before -= 1
        starts_operand = before < 0 or self.text[before] in _BEFORE_BARE_REGEX
        after = self.text[start + 1 : start + 2]
        if starts_operand and after and not after.isspace():
            match = _BARE_REGEX.match(self.text, start + 1)
            if match is not None:
                self.keep(start, start + 1)
                self.hide(start + 1, match.end() - 1)
                self.keep(match.end() - 1, match.end())
                return match.end()
        self.keep(start, start + 1)
        return start + 1

    def extended_regex(self, start, token):
        close = self.text.find("/" + token[:-1], start + len(token))
        end = len(self.text) if close < 0 else close + len(token)
        self.keep(start, start + len(token))
        self.hide(start + len(token), end)
        return end


_BRACKET = re.compile(r"[(){}\[\]]")


def matching_bracket(code, opening):
    """Returns the offset of the bracket that closes the one at `opening`; None when the text ends before it."""
    depth = 0
    for match in _BRACKET.finditer(code, opening):
        depth += 1 if match.group() in "([{" else -1
        if depth == 0:
            return match.start()
    return None
