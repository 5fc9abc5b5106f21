#!/usr/bin/env bash
# Installs real writers of tables, Hudi's reader, and an S3 server, into .writers: writers.sh PYTHON
# They have an environment of their own, since pypaimon needs an older pyarrow than the workbench.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1

if ! .writers/bin/python -m pip --version >/dev/null 2>&1; then
    PYTHON=$python scripts/need.sh venv
    "$python" -m venv --clear .writers
fi

echo "Installing the writers of the tests' tables into .writers; the first time this takes a minute"
scripts/pip.sh .writers/bin/python \
    'pypaimon==2.1.0' 'pyiceberg[sql-sqlite]==0.12.0' 'hudi==0.5.0' 'deltalake==1.6.6' 'moto==5.2.5' flask flask-cors
