"""The hazards of a table's files, in the same words for all formats: lost answers, and clean-up."""

from workbench.language import Constant

LOST_ANSWER = Constant(
    "never",
    ("never", "delete", "retry"),
    "a commit may take effect without its writer learning of it, which then deletes its files or commits again",
)
#: The same for formats that themselves recognise a writer that commits twice.
LOST_ANSWER_DELETES = Constant(
    "never",
    ("never", "delete"),
    "a commit may take effect without its writer learning of it, which then deletes its files",
)
REMEMBER = Constant(
    "none", ("none", "id"), "a commit carries an id: a writer that finds its own neither commits again nor deletes"
)
CLEAN_UP = Constant(
    "never",
    ("never", "old", "any"),
    "files that the table does not need are deleted; any: also those of operations under way",
)
