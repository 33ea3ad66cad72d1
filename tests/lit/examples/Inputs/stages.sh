# sh stages.sh FILE NAME: compiles a program to every stage, each time from the source.
#
# tfx-opt reads the output of a stage once more, and prints it to NAME.STAGE.mlir. The diagnostics
# of tfx-extract are written to NAME.said.
set -e

stage() {
  tfx-opt "$1" "$3" -o "$2.raw" 2>"$2.said" || { cat "$2.said"; exit 1; }
  tfx-opt "$2.raw" -o "$2"
  rm "$2.raw"
}

stage "$1" "$2.deabstract.mlir" --tfx-deabstract
stage "$1" "$2.sese.mlir" '--pass-pipeline=builtin.module(tfx-deabstract,func.func(tfx-sese{verify=true}))'
stage "$1" "$2.extract.mlir" --tfx-extract
stage "$1" "$2.graph.mlir" --tfx-compile-graph
stage "$1" "$2.compile.mlir" --tfx-compile
mv "$2.extract.mlir.said" "$2.said"
