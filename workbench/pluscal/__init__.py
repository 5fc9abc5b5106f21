"""Translates PlusCal, in both syntaxes, to TLA+: exactly the text that pcal writes, down to the spaces.

``tokens.py`` splits an algorithm into words, and ``parser.py`` turns them into the parts that ``algorithm.py`` defines.
Expressions stay words (``expressions.py``). ``macros.py`` expands macros, ``labels.py`` adds labels and splits bodies
into steps, ``names.py`` renames what would clash, ``steps.py`` flattens nested steps and compiles calls, and
``translator.py`` writes the text in pcal's layout (``layout.py``). ``checksum.py`` computes pcal's checksums, and
``comparison.py`` finds stale translations. Start at ``module.py``: it finds the algorithm in a module and puts the
translation there.
"""
