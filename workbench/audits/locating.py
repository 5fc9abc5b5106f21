"""Ask a pyiceberg catalog where a table's metadata file is, without letting pyiceberg read it.

Most catalogs read the metadata file when they load a table, so a damaged file would hide its own location. Here
pyiceberg uses `Locating` as its `FileIO` (``py-io-impl``): asked to open a file, it raises `Located` instead.
"""

from collections.abc import Mapping

#: The first parts of the properties that are settings of a file system.
_OF_STORAGE = ("s3", "gcs", "adls", "hdfs", "client")


class Located(Exception):
    """The location of the metadata file that a catalog was about to read, and the properties for reading it."""

    def __init__(self, location: str, properties: Mapping[str, str]) -> None:
        super().__init__(location)
        self.location, self.properties = location, properties


class Locating:
    """A `FileIO` that reads nothing."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self.properties = properties

    def new_input(self, location: str) -> None:
        raise Located(location, self.properties)


#: The name under which pyiceberg imports it.
LOCATING = f"{__name__}.{Locating.__name__}"


def of_storage(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings of the file system among a catalog's properties, which have its own credentials, too."""
    return {key: value for key, value in properties.items() if key.partition(".")[0] in _OF_STORAGE}
