# sh fails.sh COMMAND...: holds a command to what every error of tfx promises.
#
# It ends by itself, with exit code 1, and says one error, in which nothing of the machinery shows. What it says goes to standard
# output, for FileCheck; what it prints before it fails comes first.

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
