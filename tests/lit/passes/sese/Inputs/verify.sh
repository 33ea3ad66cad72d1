# sh verify.sh FOLDER...: structures each program in these folders, and proves the structured form.
set -e

find "$@" -name '*.mlir' ! -name never_ends.mlir | while read -r program; do
  tfx-opt "$program" -o /dev/null \
    --pass-pipeline='builtin.module(tfx-deabstract{dynamic=host},func.func(tfx-sese{verify=true}))' ||
    { echo "failed: $program" && exit 1; }
done
