import unittest

import swift_text


class SplitTests(unittest.TestCase):
    def code(self, text):
        code, comments = swift_text.split(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(len(comments), len(text))
        self.assertEqual(code.count("\n"), text.count("\n"))
        return code

    def hidden(self, text):
        self.assertNotIn("word", self.code(text), text)

    def kept(self, text):
        self.assertIn("word", self.code(text), text)

    def test_comments_are_hidden(self):
        self.hidden("let a = 1 // word")
        self.hidden("/* word\n /* nested */ word */ let a = 1")
        self.hidden("/// word")
        self.kept("/* /* */ */ word")
        self.kept("// \nword")

    def test_strings_are_hidden(self):
        self.hidden('let a = "word"')
        self.hidden('let a = "\\"word"')
        self.hidden('let a = """\n  word "word" \\""" word\n  """')
        self.hidden('let a = #"a "word" \\("#')
        self.hidden('let a = ##"""\n "# word """# word\n"""##')
        self.hidden('let a = #"""#; let b = "word"')

    def test_code_after_a_literal_is_kept(self):
        self.kept('let a = ""; word')
        self.kept('let a = "a\\\\"; word')
        self.kept('let a = #"\\"#; word')
        self.kept('let a = """\n // \n """; word')
        self.kept('let a = "//"; word')
        self.kept('let a = "/*"; word')
        self.kept('let broken = "no end\nword')

    def test_code_in_an_interpolation_is_kept(self):
        self.kept('let a = "x \\(word) y"')
        self.kept('let a = #"x \\#(word) y"#')
        self.kept('let a = "\\(f("(", (1, 2), word))"')
        self.hidden('let a = "\\(f(")")) word"')
        self.hidden('let a = #"\\(word)"#')

    def test_regular_expressions_are_hidden_and_divisions_are_not(self):
        self.hidden("let a = /word+/")
        self.hidden("let a = #/ a\\/word /#")
        self.hidden("f(/\"word\"/)")
        self.kept("let a = b / word / c")
        self.kept("let a = (b)/word/c")
        self.kept("let a = f(/\"/); word")

    def test_comments_are_a_view_of_their_own(self):
        _, comments = swift_text.split('let a = "no" // yes\n/* yes */ no')
        self.assertEqual(comments.split(), ["//", "yes", "/*", "yes", "*/"])


if __name__ == "__main__":
    unittest.main()
