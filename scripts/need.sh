#!/usr/bin/env bash
# Makes sure that what is no Python package is there: need.sh java|dot|browser|driver|postgresql|venv ...
# What is missing is installed with apt-get if that asks for no password; if not, one line says what to install.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly oldest_java=17
readonly python=${PYTHON:-python3}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

java_command() {
    if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME/bin/java"; else echo java; fi
}

java_version() { # the major version, 0 if there is no Java
    local found
    found=$("$(java_command)" -version 2>&1 | sed -n 's/.* version "\([0-9][0-9]*\).*/\1/p' | head -n 1) || true
    echo "${found:-0}"
}

has() {
    case $1 in
        java) [ "$(java_version)" -ge "$oldest_java" ] ;;
        dot) command -v dot ;;
        browser) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
        driver) .venv/bin/python -m playwright --version ;; # a Node.js of its own, which wants a library of the system
        postgresql) command -v initdb || ls /usr/lib/postgresql/*/bin/initdb ;; # Debian's is not on the PATH
        venv) "$python" -c 'import ensurepip' ;;
    esac >/dev/null 2>&1
}

# Debian's and Ubuntu's packages for a program; the first one that can be installed is taken.
packages() {
    case $1 in
        java) echo openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless ;;
        dot) echo graphviz ;;
        browser) echo chromium chromium-browser ;;
        driver) echo libatomic1 ;;
        postgresql) echo postgresql ;;
        venv) "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2], "python3-venv")' ;;
    esac
}

describe() {
    case $1 in
        java) echo "Java $oldest_java or newer (for Spark)" ;;
        dot) echo "Graphviz's dot (for drawing graphs)" ;;
        browser) echo "Chromium (for the browser tests)" ;;
        driver) echo "what the driver of the browser tests needs (.venv/bin/python -m playwright --version)" ;;
        postgresql) echo "PostgreSQL's server programs (for the tests of real logs)" ;;
        venv) echo "Python's ensurepip (for making .venv)" ;;
    esac
}

apt_get() {
    if [ "$(id -u)" -eq 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
    fi >>"$log" 2>&1 </dev/null
}

can_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

updated=no
install() {
    local package
    can_install || return 1
    : >"$log"
    echo "Installing $(describe "$1")"
    if [ "$updated" = no ]; then
        apt_get update || true # lists that are a little old do, too
        updated=yes
    fi
    for package in $(packages "$1"); do
        if apt_get install --yes --no-install-recommends "$package" && has "$1"; then
            return 0
        fi
    done
    tail -n 5 "$log" >&2
    return 1
}

status=0
for program in "$@"; do
    [ -n "$(packages "$program")" ] || { echo "need.sh knows no '$program'" >&2; exit 2; }
    if has "$program"; then
        continue
    elif [ "$program" = java ] && [ -n "${JAVA_HOME:-}" ]; then
        echo "JAVA_HOME=$JAVA_HOME is not $(describe java): set it to one, or unset it" >&2
        status=1
    elif ! install "$program"; then
        echo "$(describe "$program") is missing: install one of these packages: $(packages "$program")" >&2
        status=1
    fi
done
exit "$status"
