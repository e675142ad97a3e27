# Sourced by the other scripts: finds Python, makes .venv and installs tgrag into it, once for each lock.

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

find_python() {
    local name
    for name in "${PYTHON:-python3.11}" python3.11 python3.12 python3.13 python3; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            command -v "$name"
            return
        fi
    done
    die "Python 3.11 or newer is needed; install it, or name one: PYTHON=/path/to/python3.11 $0"
}

# install EXTRAS: "" or "[dev]"
install() {
    local python stamp wanted constraints=constraints.txt
    stamp=".venv/installed$1"
    [[ "$1" != *vllm* ]] || constraints=constraints-vllm.txt
    if [[ ! -x .venv/bin/python ]]; then
        python="$(find_python)"
        say "making .venv with $("$python" --version)"
        "$python" -c 'import ensurepip, venv' 2>/dev/null ||
            die "$python has no venv module; on Debian and Ubuntu: apt install python3-venv"
        "$python" -m venv .venv
    fi
    wanted="$(cat pyproject.toml "$constraints" | cksum)"
    if ! grep -qsxF "$wanted" "$stamp" ".venv/installed[dev]"; then
        say "installing tgrag$1 and what it needs, at the pinned versions (1-3 minutes the first time)"
        .venv/bin/python -m pip install --disable-pip-version-check -c "$constraints" -e ".$1" 2>.venv/pip.log |
            awk '/^Collecting/ { printf "."; fflush() } /^Installing coll/ { print "\n    unpacking"; fflush() }' ||
            { cat .venv/pip.log >&2; die "pip could not install; see above"; }
        echo "$wanted" >"$stamp"
    else
        say "found .venv with everything installed: re-used"
    fi
}
