#!/usr/bin/env bash
# Installs packages, and says what takes long; all that pip says is shown only if it fails: pip.sh PYTHON ARGUMENT ...
set -euo pipefail

readonly python=$1
shift
readonly large=10 # megabytes

log=$(mktemp)
trap 'rm -f "$log"' EXIT

tell() {
    local line rest commas
    while IFS= read -r line; do
        echo "$line" >>"$log"
        if [[ $line =~ Downloading\ ([^ ]+)\ \(([0-9]+)(\.[0-9]+)?\ MB\) ]]; then
            if ((BASH_REMATCH[2] >= large)); then echo "  downloading ${BASH_REMATCH[1]##*/}, ${BASH_REMATCH[2]} MB"; fi
        elif [[ $line == "Building wheels for collected packages: "* ]]; then
            echo "  building ${line#*: }"
        elif [[ $line == "Installing collected packages: "* ]]; then
            rest=${line#*: }
            commas=${rest//[^,]/}
            echo "  installing $((${#commas} + 1)) packages"
        fi
    done
}

if ! "$python" -m pip install --disable-pip-version-check --progress-bar off "$@" 2>&1 | tell; then
    cat "$log" >&2
    exit 1
fi
