func.func @f(%x: vector<4xf32>) -> vector<4xf32> {
  %y = arith.addf %x, %x : vector<4xf32>
  return %y : vector<4xf32>
}
