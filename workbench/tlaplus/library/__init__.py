"""The modules that come with TLC, and the community's: texts, and operators as Python functions over values.

In comes the name of a module; out go its operators that are Python, by name (``standard.py``). The community's modules
are their authors' texts, from tlaplus/CommunityModules a8068a4 (MIT), in the folder ``texts``; ``community.py``
overrides single operators. All else here is a module of TLA+ each.
"""
