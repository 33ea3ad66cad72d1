# sh fails.sh COMMAND...: checks the properties that every error of tfx has.
#
# The command terminates with exit code 1 and reports one error, which does not show internals.
# Its diagnostics are printed to standard output for FileCheck, after its output.

# Seconds; far more than any of these commands takes.
LIMIT=120

said=$(mktemp)
trap 'rm -f "$said"' EXIT
timeout "$LIMIT" "$@" 2>"$said"
code=$?
cat "$said"
if [ "$code" != 1 ]; then
  echo "fails.sh: exit code $code instead of 1"
  exit 1
fi
errors=$(grep -c '^\([^ ]*: \|.*:[0-9]*:[0-9]*: \)\{0,1\}error: ' "$said")
if [ "$errors" != 1 ]; then
  echo "fails.sh: $errors errors instead of 1"
  exit 1
fi
if grep -n 'error: error:\|internal error\|panicked\|Stack dump\|os error\|/\.tmp[A-Za-z0-9]\|:0:0:' "$said"; then
  echo "fails.sh: the message shows machinery"
  exit 1
fi
