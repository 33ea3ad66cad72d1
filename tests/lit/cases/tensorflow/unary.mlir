// Gradients of the operations of one operand.
// TensorFlow, tensorflow/cc/gradients/math_grad_test.cc, CWiseUnaryGradTest. TensorFlow draws
// operands and cotangents from short lists and compares with a closed form; these are four operands
// of such a list, and the cotangents 2, -3, 4 and 1. Elements are f64.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @abs(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Abs"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @neg(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @reciprocal(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Reciprocal"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @square(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @sqrt(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Sqrt"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @rsqrt(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Rsqrt"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @exp(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @expm1(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Expm1"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @log(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Log"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @log1p(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Log1p"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @sinh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Sinh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @cosh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Cosh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @tanh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Tanh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @asinh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Asinh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @acosh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Acosh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @atanh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Atanh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @sigmoid(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Sigmoid"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @sign(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Sign"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @sin(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Sin"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @cos(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Cos"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @asin(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Asin"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @acos(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Acos"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @tan(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Tan"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @atan(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Atan"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func public @main() {
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Abs.
  // CHECK: {{^}}abs: {{\[ *}}-2. {{-?0\.}} 4. -1.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[-1.0, 0.0, 1.0, -2.0]> : tensor<4xf64>
  %y0, %pullback0 = tfx_ad.vjp @abs(%a) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %b = tfx_tensor.const dense<[2.0, -3.0, 4.0, 1.0]> : tensor<4xf64>
  %d1 = tfx_host.apply %pullback0(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "abs: {}"(%d1) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Neg.
  // CHECK-NEXT: {{^}}neg: {{\[ *}}-2. 3. -4. -1.{{ *}}]{{$}}
  %c = tfx_tensor.const dense<[0.0, -1.0, 1.0, -2.0]> : tensor<4xf64>
  %y2, %pullback2 = tfx_ad.vjp @neg(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d3 = tfx_host.apply %pullback2(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "neg: {}"(%d3) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Reciprocal.
  // CHECK-NEXT: {{^}}reciprocal: {{\[ *}}-{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} {{(0\.75|0\.749999999[0-9]*|0\.750000000[0-9]*)}} -{{0\.444444444[0-9]*}} -{{(0\.0?625|0\.0624999999[0-9]*|0\.0625000000[0-9]*)}}{{ *}}]{{$}}
  %d = tfx_tensor.const dense<[-1.0, 2.0, -3.0, 4.0]> : tensor<4xf64>
  %y4, %pullback4 = tfx_ad.vjp @reciprocal(%d) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d5 = tfx_host.apply %pullback4(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "reciprocal: {}"(%d5) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Square.
  // CHECK-NEXT: {{^}}square: {{\[ *}}{{-?0\.}} 6. 8. -4.{{ *}}]{{$}}
  %y6, %pullback6 = tfx_ad.vjp @square(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d7 = tfx_host.apply %pullback6(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "square: {}"(%d7) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sqrt.
  // CHECK-NEXT: {{^}}sqrt: {{\[ *}}{{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}} -{{1\.06066017[0-9]*}} {{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}} {{0\.188982236[0-9]*}}{{ *}}]{{$}}
  %e = tfx_tensor.const dense<[1.0, 2.0, 4.0, 7.0]> : tensor<4xf64>
  %y8, %pullback8 = tfx_ad.vjp @sqrt(%e) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d9 = tfx_host.apply %pullback8(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sqrt: {}"(%d9) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Rsqrt.
  // CHECK-NEXT: {{^}}rsqrt: {{\[ *}}-{{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}} {{0\.530330085[0-9]*}} -{{(0\.25|0\.249999999[0-9]*|0\.250000000[0-9]*)}} -{{0\.0220970869[0-9]*}}{{ *}}]{{$}}
  %f = tfx_tensor.const dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf64>
  %y10, %pullback10 = tfx_ad.vjp @rsqrt(%f) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d11 = tfx_host.apply %pullback10(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "rsqrt: {}"(%d11) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Exp.
  // CHECK-NEXT: {{^}}exp: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{1\.10363832[0-9]*}} {{10\.8731273[0-9]*}} {{0\.135335283[0-9]*}}{{ *}}]{{$}}
  %y12, %pullback12 = tfx_ad.vjp @exp(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d13 = tfx_host.apply %pullback12(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "exp: {}"(%d13) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Expm1.
  // CHECK-NEXT: {{^}}expm1: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{1\.10363832[0-9]*}} {{(4\.00000399[0-9]*|4\.00000400[0-9]*)}} {{20\.0855369[0-9]*}}{{ *}}]{{$}}
  %g = tfx_tensor.const dense<[0.0, -1.0, 1.0e-06, 3.0]> : tensor<4xf64>
  %y14, %pullback14 = tfx_ad.vjp @expm1(%g) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d15 = tfx_host.apply %pullback14(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "expm1: {}"(%d15) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Log.
  // CHECK-NEXT: {{^}}log: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{(1\.5|1\.49999999[0-9]*|1\.50000000[0-9]*)}} {{1\.33333333[0-9]*}} {{(0\.25|0\.249999999[0-9]*|0\.250000000[0-9]*)}}{{ *}}]{{$}}
  %h = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %y16, %pullback16 = tfx_ad.vjp @log(%h) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d17 = tfx_host.apply %pullback16(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "log: {}"(%d17) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Log1p.
  // CHECK-NEXT: {{^}}log1p: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{2\.99999700[0-9]*}} {{1\.33333333[0-9]*}} {{0\.00990099009[0-9]*}}{{ *}}]{{$}}
  %i = tfx_tensor.const dense<[0.0, 1.0e-06, 2.0, 100.0]> : tensor<4xf64>
  %y18, %pullback18 = tfx_ad.vjp @log1p(%i) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d19 = tfx_host.apply %pullback18(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "log1p: {}"(%d19) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sinh.
  // CHECK-NEXT: {{^}}sinh: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{4\.62924190[0-9]*}} {{6\.17232253[0-9]*}} {{3\.76219569[0-9]*}}{{ *}}]{{$}}
  %y20, %pullback20 = tfx_ad.vjp @sinh(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d21 = tfx_host.apply %pullback20(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sinh: {}"(%d21) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Cosh.
  // CHECK-NEXT: {{^}}cosh: {{\[ *}}{{-?0\.}} {{3\.52560358[0-9]*}} {{4\.70080477[0-9]*}} -{{3\.62686040[0-9]*}}{{ *}}]{{$}}
  %y22, %pullback22 = tfx_ad.vjp @cosh(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d23 = tfx_host.apply %pullback22(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "cosh: {}"(%d23) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Tanh.
  // CHECK-NEXT: {{^}}tanh: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{1\.25992302[0-9]*}} {{1\.67989736[0-9]*}} {{0\.0706508248[0-9]*}}{{ *}}]{{$}}
  %y24, %pullback24 = tfx_ad.vjp @tanh(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d25 = tfx_host.apply %pullback24(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "tanh: {}"(%d25) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Asinh.
  // CHECK-NEXT: {{^}}asinh: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{2\.12132034[0-9]*}} {{2\.82842712[0-9]*}} {{0\.447213595[0-9]*}}{{ *}}]{{$}}
  %y26, %pullback26 = tfx_ad.vjp @asinh(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d27 = tfx_host.apply %pullback26(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "asinh: {}"(%d27) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Acosh.
  // CHECK-NEXT: {{^}}acosh: {{\[ *}}{{1\.15470053[0-9]*}} -{{1\.06066017[0-9]*}} {{0\.816496580[0-9]*}} {{0\.144337567[0-9]*}}{{ *}}]{{$}}
  %j = tfx_tensor.const dense<[2.0, 3.0, 5.0, 7.0]> : tensor<4xf64>
  %y28, %pullback28 = tfx_ad.vjp @acosh(%j) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d29 = tfx_host.apply %pullback28(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "acosh: {}"(%d29) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Atanh.
  // CHECK-NEXT: {{^}}atanh: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{(4\.0?|3\.99999999[0-9]*|4\.00000000[0-9]*)}} {{5\.33333333[0-9]*}} {{1\.01010101[0-9]*}}{{ *}}]{{$}}
  %k = tfx_tensor.const dense<[0.0, -0.5, 0.5, 0.1]> : tensor<4xf64>
  %y30, %pullback30 = tfx_ad.vjp @atanh(%k) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d31 = tfx_host.apply %pullback30(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "atanh: {}"(%d31) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sigmoid.
  // CHECK-NEXT: {{^}}sigmoid: {{\[ *}}{{(0\.5|0\.499999999[0-9]*|0\.500000000[0-9]*)}} -{{0\.589835799[0-9]*}} {{0\.786447732[0-9]*}} {{0\.104993585[0-9]*}}{{ *}}]{{$}}
  %y32, %pullback32 = tfx_ad.vjp @sigmoid(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d33 = tfx_host.apply %pullback32(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sigmoid: {}"(%d33) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sign.
  // CHECK-NEXT: {{^}}sign: {{\[ *}}{{-?0\.}} {{-?0\.}} {{-?0\.}} {{-?0\.}}{{ *}}]{{$}}
  %y34, %pullback34 = tfx_ad.vjp @sign(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d35 = tfx_host.apply %pullback34(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sign: {}"(%d35) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sin.
  // CHECK-NEXT: {{^}}sin: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{1\.62090691[0-9]*}} {{2\.16120922[0-9]*}} -{{0\.416146836[0-9]*}}{{ *}}]{{$}}
  %y36, %pullback36 = tfx_ad.vjp @sin(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d37 = tfx_host.apply %pullback36(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sin: {}"(%d37) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Cos.
  // CHECK-NEXT: {{^}}cos: {{\[ *}}{{-?0\.}} -{{2\.52441295[0-9]*}} -{{3\.36588393[0-9]*}} {{0\.909297426[0-9]*}}{{ *}}]{{$}}
  %y38, %pullback38 = tfx_ad.vjp @cos(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d39 = tfx_host.apply %pullback38(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "cos: {}"(%d39) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Asin.
  // CHECK-NEXT: {{^}}asin: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{3\.46410161[0-9]*}} {{4\.61880215[0-9]*}} {{1\.03279555[0-9]*}}{{ *}}]{{$}}
  %l = tfx_tensor.const dense<[0.0, -0.5, 0.5, 0.25]> : tensor<4xf64>
  %y40, %pullback40 = tfx_ad.vjp @asin(%l) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d41 = tfx_host.apply %pullback40(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "asin: {}"(%d41) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Acos.
  // CHECK-NEXT: {{^}}acos: {{\[ *}}-{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} {{3\.46410161[0-9]*}} -{{4\.61880215[0-9]*}} -{{1\.03279555[0-9]*}}{{ *}}]{{$}}
  %y42, %pullback42 = tfx_ad.vjp @acos(%l) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d43 = tfx_host.apply %pullback42(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "acos: {}"(%d43) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Tan.
  // CHECK-NEXT: {{^}}tan: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{10\.2765564[0-9]*}} {{13\.7020752[0-9]*}} {{5\.77439920[0-9]*}}{{ *}}]{{$}}
  %y44, %pullback44 = tfx_ad.vjp @tan(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d45 = tfx_host.apply %pullback44(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "tan: {}"(%d45) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Atan.
  // CHECK-NEXT: {{^}}atan: {{\[ *}}{{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} -{{(1\.5|1\.49999999[0-9]*|1\.50000000[0-9]*)}} {{(2\.0?|1\.99999999[0-9]*|2\.00000000[0-9]*)}} {{(0\.2|0\.199999999[0-9]*|0\.200000000[0-9]*)}}{{ *}}]{{$}}
  %y46, %pullback46 = tfx_ad.vjp @atan(%c) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d47 = tfx_host.apply %pullback46(%b) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "atan: {}"(%d47) : tensor<4xf64>
  // Case: TensorFlow, math_grad_test.cc, CWiseUnaryGradTest, Sqrt, Acosh, Asin at the ends of
  // their domains.
  // CHECK-NEXT: {{^}}sqrt end: {{\[ *}}inf 0. 0.5 0.5{{ *}}]{{$}}
  %m = tfx_tensor.const dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf64>
  %y48, %pullback48 = tfx_ad.vjp @sqrt(%m) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %n = tfx_tensor.const dense<[8.0, 0.0, 1.0, 1.0]> : tensor<4xf64>
  %d49 = tfx_host.apply %pullback48(%n) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "sqrt end: {}"(%d49) : tensor<4xf64>
  // CHECK-NEXT: {{^}}asin end: {{\[ *}}inf 0. 1. 1.{{ *}}]{{$}}
  %o = tfx_tensor.const dense<[1.0, 1.0, 0.0, 0.0]> : tensor<4xf64>
  %y50, %pullback50 = tfx_ad.vjp @asin(%o) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %p = tfx_tensor.const dense<[3.0, 0.0, 1.0, 1.0]> : tensor<4xf64>
  %d51 = tfx_host.apply %pullback50(%p) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "asin end: {}"(%d51) : tensor<4xf64>
  return
}
