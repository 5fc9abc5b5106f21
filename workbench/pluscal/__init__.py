"""PlusCal, both syntaxes, to TLA+: the text that pcal writes, to the blank.

``tokens.py`` reads an algorithm's words, ``parser.py`` makes the parts of ``algorithm.py`` of them. Expressions stay
words (``expressions.py``). ``macros.py`` writes macros out, ``labels.py`` adds labels and cuts bodies into steps there,
``names.py`` tells names apart that clash, ``steps.py`` flattens nested steps and writes calls, and ``translator.py``
writes the text, in pcal's ``layout.py``. ``checksum.py`` has pcal's checksums, ``comparison.py`` tells whether a
translation is stale, and ``module.py`` is the door: it finds the algorithm in a module and puts its translation there.
"""
