"""Paimon as the published text has it: one constant switches on four simplifications that are not Paimon's.

AllSnapshotsCommitted is the text's own property. ``specs/paimon/README.md`` tells what comes of each.
"""

from workbench.language import *
from workbench.protocols.paimon import rows as table
from workbench.protocols.paimon.model import Paimon
from workbench.protocols.paimon.rows import UPDATE


class PaimonPublished(Paimon):
    """Paimon's primary-key table with compaction and deletion vectors, and the published text's simplifications."""

    name = "paimon_published"

    AsPublished = Constant(False, bool, "the published text's simplifications, where Paimon does something else")

    def keeps_delete(self, above):
        """A compaction drops every delete."""
        return not self.AsPublished and super().keeps_delete(above)

    def outdated(self, kinds):
        """Only updates mark older rows; a delete marks nothing."""
        outdated = super().outdated(kinds)
        return {key for key in outdated if kinds[key] == UPDATE} if self.AsPublished else outdated

    def new_vectors(self, s, vectors, sources, above, kinds):
        """Vectors of the replaced files stay."""
        if not self.AsPublished:
            return super().new_vectors(s, vectors, sources, above, kinds)
        keys = self.outdated(kinds)
        return table.mark(s, vectors, above, keys) if keys else None

    def read(self, s, key, version):
        """As if there were no deletion vectors."""
        return table.read(s, key, version, self.bucket_of[key], use_vectors=not self.AsPublished)

    def holder(self, op):
        """The lock is the instance's."""
        return self.instance_of[op] if self.AsPublished else super().holder(op)

    @action(Paimon.operation, when="USE_LOCK")
    def prepare_commit(self, s, op):
        """Take the lock; as published also a second time, and to keep it where the prepared version exists."""
        if not self.AsPublished:
            super().prepare_commit(s, op)
            return
        require(s.lock in (None, self.holder(op)), f"{s.lock} holds the lock")
        s.lock = self.holder(op)
        if s.prepared[op] <= s.latest:
            self.prepare_again(s, op)

    @liveness(by_default=lambda model: model.AsPublished and model.ONE_WRITER_PER_BUCKET)
    def AllSnapshotsCommitted(self):
        """The published property: in the end there are MAX_WRITE_OPS snapshots, and one for each compaction.

        It takes for granted that writes reach MAX_WRITE_OPS, which the bounds per key and per writer can prevent. Where
        several instances serve a bucket, the text lets it hold. AllOperationsCommitted needs neither.
        """
        return eventually_always(
            lambda s: not self.ONE_WRITER_PER_BUCKET or s.latest == self.MAX_WRITE_OPS + s.compactions
        )
