# The program under test and what all scripts here share; to be sourced with the program as the first argument.
rubato=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect CODE ARGUMENTS…: runs rubato, keeps its stdout and stderr, checks the exit code.
expect() {
  local code=$1 got=0
  shift
  "$rubato" "$@" >"$work/out" 2>"$work/err" || got=$?
  ((got == code)) || { cat "$work/out" "$work/err"; fail "rubato $*: exit $got, expected $code"; }
}
# says WORDS…: stderr holds each of them.
says() { for words in "$@"; do grep -qF -- "$words" "$work/err" || { cat "$work/err"; fail "not said: $words"; }; done; }
# prints WORDS…: stdout holds each of them.
prints() { for words in "$@"; do grep -qF -- "$words" "$work/out" || { cat "$work/out"; fail "not printed: $words"; }; done; }
# refuses WORDS… : ARGUMENTS…: exit 2, nothing on stdout, a message that holds the words.
refuses() {
  local words=()
  while [[ $1 != : ]]; do words+=("$1"); shift; done
  shift
  expect 2 "$@"
  [[ ! -s $work/out ]] || fail "rubato $*: a refusal belongs to stderr"
  says "${words[@]}"
}
# file TEXT: a run file with this text.
file() { printf '%b' "$1" >"$work/run.toml"; echo "$work/run.toml"; }
# run_cases [CASE …]: the functions test_CASE of the script; without CASE: all.
run_cases() {
  local cases=("$@") case
  ((${#cases[@]})) || mapfile -t cases < <(sed -n 's/^test_\([a-z0-9_]*\)().*/\1/p' "$0")
  for case in "${cases[@]}"; do
    rm -rf "$work" && mkdir "$work"  # what one case leaves behind is not for the next
    "test_$case"
    echo "passed: $case"
  done
}
