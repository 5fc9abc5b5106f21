"""Audits of real tables: read their files, and judge them by the models' properties.

>>> from workbench.tables import audit
>>> audit("/no/such/table")
Traceback (most recent call last):
    ...
workbench.kernel.errors.InputError: there is no folder '/no/such/table'
"""

from workbench.tables.audit import audit
from workbench.tables.findings import Audit, Finding
from workbench.tables.story import story

__all__ = ["Audit", "Finding", "audit", "story"]
