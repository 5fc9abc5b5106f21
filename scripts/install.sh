#!/usr/bin/env bash
# Installs the workbench, with what its tests need, into .venv: install.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1

fail() {
    echo "$1" >&2
    exit 1
}

is_new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
found=$("$python" -c 'import platform; print(platform.python_version())' 2>/dev/null) ||
    fail "PYTHON=$python cannot be run; name a Python of version 3.11 or newer: make PYTHON=/path/to/python3.11"
"$python" -c "$is_new_enough" ||
    fail "$python is Python $found; 3.11 or newer is needed: make PYTHON=/path/to/python3.11"

# A virtual environment that was left half made, or whose Python has gone, is made anew.
if ! .venv/bin/python -c "$is_new_enough" 2>/dev/null || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    PYTHON=$python scripts/need.sh venv
    echo "Making .venv, a virtual environment with Python $found: nothing else on this machine changes"
    "$python" -m venv --clear .venv
fi

echo "Installing Python packages into .venv, for checks, notebooks, Spark and the tests: a minute or two, the first time"
scripts/pip.sh .venv/bin/python --editable '.[dev]'
