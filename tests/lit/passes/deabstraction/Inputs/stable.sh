# sh stable.sh FOLDER FILE...: deabstracts each program three times with several threads and three
# times with one thread, and deabstracts the result again.
#
# All seven texts must be the same, and so must the diagnostics, except those of the last run, which
# does not report again what has been removed. Operations that the host runs by themselves are
# marked by then, so the last run needs no option for them.
set -e
folder=$1
shift
for file in "$@"; do
  name=$folder/$(basename "$file" .mlir)
  tfx-opt "$file" --tfx-deabstract=dynamic=host -o "$name.first" 2>"$name.first.diagnostics" || { cat "$name.first.diagnostics"; exit 1; }
  for threads in "" "" --mlir-disable-threading --mlir-disable-threading --mlir-disable-threading; do
    tfx-opt "$file" --tfx-deabstract=dynamic=host $threads -o "$name.again" 2>"$name.again.diagnostics"
    cmp "$name.first" "$name.again"
    cmp "$name.first.diagnostics" "$name.again.diagnostics"
  done
  tfx-opt "$name.first" --tfx-deabstract -o "$name.twice" 2>"$name.twice.diagnostics" || { cat "$name.twice.diagnostics"; exit 1; }
  cmp "$name.first" "$name.twice" || { diff "$name.first" "$name.twice"; exit 1; }
done
