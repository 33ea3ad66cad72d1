func.func @f(%n: i32) {
  tfx_host.print "{}"(%n) : i32
  return
}
func.func @g() {
  return
}
