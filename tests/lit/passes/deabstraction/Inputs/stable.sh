# sh stable.sh FOLDER FILE...: deabstracts each program three times with many threads and three times with one, and what came out once more.
#
# All seven texts must be the same. What is said on the way is, too, but for the last one: what was removed is not named again.
# Operations that the host runs by themselves are marked by then, so that the last run needs no option for them.
set -e
folder=$1
shift
for file in "$@"; do
  name=$folder/$(basename "$file" .mlir)
  tfx-opt "$file" --tfx-deabstract=dynamic=host -o "$name.first" 2>"$name.first.said" || { cat "$name.first.said"; exit 1; }
  for threads in "" "" --mlir-disable-threading --mlir-disable-threading --mlir-disable-threading; do
    tfx-opt "$file" --tfx-deabstract=dynamic=host $threads -o "$name.again" 2>"$name.again.said"
    cmp "$name.first" "$name.again"
    cmp "$name.first.said" "$name.again.said"
  done
  tfx-opt "$name.first" --tfx-deabstract -o "$name.twice" 2>"$name.twice.said" || { cat "$name.twice.said"; exit 1; }
  cmp "$name.first" "$name.twice" || { diff "$name.first" "$name.twice"; exit 1; }
done
