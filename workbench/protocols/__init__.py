"""The protocols, a folder each: models, pictures, stories, audits.

A folder's ``PROTOCOL`` says what there is. Nothing imports a folder by name but :mod:`workbench.registry`.
"""

from workbench.kernel.meaning.errors import AUTHORED

AUTHORED.append(__name__)
