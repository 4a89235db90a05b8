"""Every rule, by group. A new file of rules is imported and listed here."""

from . import banned, dead, documentation, layering, limits, names, purity, settings, vocabulary, words

ALL = [
    *layering.RULES,
    *purity.RULES,
    *banned.RULES,
    *limits.RULES,
    *names.RULES,
    *dead.RULES,
    *vocabulary.RULES,
    *documentation.RULES,
    *words.RULES,
    *settings.RULES,
]


def matching(wanted):
    if not wanted:
        return ALL
    return [rule for rule in ALL if any(word in rule.name or word in rule.group for word in wanted)]
