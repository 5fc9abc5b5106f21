"""Audits of real tables: read their files, and judge them by the models' properties.

>>> from workbench.audits import audit
>>> audit("/no/such/table")
Traceback (most recent call last):
    ...
workbench.kernel.meaning.errors.InputError: there is no folder '/no/such/table'
"""

from workbench.audits.audit import audit
from workbench.audits.findings import Audit, Finding
from workbench.audits.story import story

__all__ = ["Audit", "Finding", "audit", "story"]
