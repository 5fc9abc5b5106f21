"""The modules that come with TLC, and the community's: texts, and operators as Python functions over values.

``standard.py`` maps the name of a module to its operators in Python, by name. The community's modules are their
authors' texts, from tlaplus/CommunityModules a8068a4 (MIT), in the folder ``texts``; ``community.py`` overrides some of
their operators. Each other file is a module of TLA+.
"""
