//! The programs that `tfx-bench native` measures. `peers.py` has the counterpart of each one.

/// A program with tensors of `f32` as inputs.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// The sizes of each input.
    pub(super) inputs: &'static [&'static [usize]],
    /// The next argument, which is a list of row numbers, of a case that has one.
    pub(super) rows: Option<RowNumbers>,
    /// The last argument, which is the number of iterations, of a case that has one.
    pub(super) steps: Option<i32>,
    /// The target: at most this multiple of JAX's time.
    pub(super) target: f64,
    /// The type of the result, and the body of the function, whose inputs are `%x0`, `%x1`, ...
    result: &'static str,
    body: fn() -> String,
}

/// Numbers of rows of the first input.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowNumbers {
    pub(super) count: usize,
    /// The number of rows.
    pub(super) below: usize,
}

impl Case {
    /// Returns the program.
    pub(super) fn text(&self) -> String {
        let inputs = self.inputs.iter().enumerate().map(|(number, sizes)| {
            let sizes: String = sizes.iter().map(|size| format!("{size}x")).collect();
            format!("%x{number}: tensor<{sizes}f32>")
        });
        let rows = self
            .rows
            .map(|it| format!("%rows: tensor<{}xi32>", it.count));
        let steps = self.steps.map(|_| "%steps: i32".to_owned());
        let parameters: Vec<_> = inputs.chain(rows).chain(steps).collect();
        format!(
            "func.func @main({}) -> {} {{\n{}}}\n",
            parameters.join(", "),
            self.result,
            (self.body)()
        )
    }
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "regression",
        inputs: &[&[4, 2], &[4, 1], &[2, 1]],
        rows: None,
        steps: Some(1_000_000),
        target: 0.7,
        result: "tensor<2x1xf32>",
        body: regression,
    },
    Case {
        name: "network",
        inputs: &[&[1437, 64], &[1437, 10], &[64, 32], &[32], &[32, 10], &[10]],
        rows: None,
        steps: Some(100),
        target: 0.5,
        result: "tensor<64x32xf32>",
        body: network,
    },
    Case {
        name: "elementwise",
        inputs: &[&[1_000_000], &[1_000_000]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<1000000xf32>",
        body: elementwise,
    },
    Case {
        name: "softmax",
        inputs: &[&[1024, 1024]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<1024x1024xf32>",
        body: softmax,
    },
    Case {
        name: "layer-norm",
        inputs: &[&[1024, 768], &[768], &[768]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<1024x768xf32>",
        body: layer_norm,
    },
    Case {
        name: "matmul-64",
        inputs: &[&[64, 64], &[64, 64]],
        rows: None,
        steps: Some(100),
        target: 1.1,
        result: "tensor<64x64xf32>",
        body: || product_in_loop(64),
    },
    Case {
        name: "matmul-256",
        inputs: &[&[256, 256], &[256, 256]],
        rows: None,
        steps: None,
        target: 1.1,
        result: "tensor<256x256xf32>",
        body: || product([256, 256, 256]),
    },
    Case {
        name: "matmul-1024",
        inputs: &[&[1024, 1024], &[1024, 1024]],
        rows: None,
        steps: None,
        target: 1.1,
        result: "tensor<1024x1024xf32>",
        body: || product([1024, 1024, 1024]),
    },
    Case {
        name: "matmul-thin",
        inputs: &[&[1437, 64], &[64, 32]],
        rows: None,
        steps: None,
        target: 1.1,
        result: "tensor<1437x32xf32>",
        body: || product([1437, 64, 32]),
    },
    Case {
        name: "gradient-1024",
        inputs: &[&[1024, 1024], &[1024, 1024]],
        rows: None,
        steps: None,
        target: 1.1,
        result: "tensor<1024x1024xf32>",
        body: gradient,
    },
    Case {
        name: "dense-1024",
        inputs: &[&[1024, 1024], &[1024, 1024], &[1024]],
        rows: None,
        steps: None,
        target: 1.1,
        result: "tensor<1024x1024xf32>",
        body: dense,
    },
    Case {
        name: "convolution",
        inputs: &[&[32, 28, 28, 16], &[3, 3, 16, 32]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<32x28x28x32xf32>",
        body: convolution,
    },
    Case {
        name: "gather",
        inputs: &[&[50_000, 64]],
        rows: Some(RowNumbers {
            count: 4096,
            below: 50_000,
        }),
        steps: None,
        target: 0.7,
        result: "tensor<4096x64xf32>",
        body: gather,
    },
    Case {
        name: "scatter",
        inputs: &[&[50_000, 64], &[4096, 64]],
        rows: Some(RowNumbers {
            count: 4096,
            below: 50_000,
        }),
        steps: Some(100),
        target: 0.7,
        result: "tensor<50000x64xf32>",
        body: scatter,
    },
    Case {
        name: "sums-along-rows",
        inputs: &[&[1024, 1024]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<1024x1024xf32>",
        body: || cumulative_sums(1),
    },
    Case {
        name: "sums-along-columns",
        inputs: &[&[1024, 1024]],
        rows: None,
        steps: None,
        target: 0.7,
        result: "tensor<1024x1024xf32>",
        body: || cumulative_sums(0),
    },
];

/// An operation on tensors.
fn op(result: &str, name: &str, operands: &str, types: &str, to: &str) -> String {
    format!("  %{result} = tfx_tensor.op \"{name}\"({operands}) : ({types}) -> {to}\n")
}

/// Least squares with two weights.
fn regression() -> String {
    let (inputs, column, weights) = ("tensor<4x2xf32>", "tensor<4x1xf32>", "tensor<2x1xf32>");
    let mut body = String::new();
    body += &op(
        "p",
        "MatMul",
        "%x0, %w",
        &format!("{inputs}, {weights}"),
        column,
    );
    body += &op(
        "e",
        "Sub",
        "%p, %x1",
        &format!("{column}, {column}"),
        column,
    );
    body += &format!(
        "  %d = tfx_tensor.op \"MatMul\"(%x0, %e) {{transpose_a = true}} : ({inputs}, {column}) -> {weights}\n"
    );
    body += &op(
        "s",
        "Mul",
        "%d, %rate",
        &format!("{weights}, tensor<f32>"),
        weights,
    );
    body += &op(
        "n",
        "Sub",
        "%w, %s",
        &format!("{weights}, {weights}"),
        weights,
    );
    loop_of("%x2", weights, 0.01, &body)
}

/// Builds a loop that replaces `%w` by `%n`, with a constant `%rate`.
fn loop_of(start: &str, ty: &str, rate: f32, body: &str) -> String {
    format!(
        "  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rate = tfx_tensor.const dense<{rate:?}> : tensor<f32>
  %end = scf.for %i = %zero to %steps step %one iter_args(%w = {start}) -> ({ty}) : i32 {{
{body}    scf.yield %n : {ty}
  }}
  return %end : {ty}
"
    )
}

/// A network of two layers, trained by gradient descent on all rows.
fn network() -> String {
    let mut body = String::new();
    let ty = |sizes: &str| format!("tensor<{sizes}xf32>");
    let (x, y, h) = (ty("1437x64"), ty("1437x10"), ty("1437x32"));
    let (w1, b1, w2, b2) = (ty("64x32"), ty("32"), ty("32x10"), ty("10"));
    let state = format!("{w1}, {b1}, {w2}, {b2}");
    let pair = |a: &str, b: &str| format!("{a}, {b}");
    let product = |result: &str, operands: &str, flag: &str, types: &str, to: &str| {
        format!("  %{result} = tfx_tensor.op \"MatMul\"({operands}) {flag} : ({types}) -> {to}\n")
    };
    body += &product("p1", "%x0, %w1", "", &pair(&x, &w1), &h);
    body += &op("s1", "BiasAdd", "%p1, %b1", &pair(&h, &b1), &h);
    body += &op("h", "Tanh", "%s1", &h, &h);
    body += &product("p2", "%h, %w2", "", &pair(&h, &w2), &y);
    body += &op("z", "BiasAdd", "%p2, %b2", &pair(&y, &b2), &y);
    body += &format!(
        "  %loss, %g = tfx_tensor.op \"SoftmaxCrossEntropyWithLogits\"(%z, %labels) : ({y}, {y}) -> (tensor<1437xf32>, {y})\n"
    );
    body += &op("dz", "Mul", "%g, %mean", &pair(&y, "tensor<f32>"), &y);
    body += &op("d2", "BiasAddGrad", "%dz", &y, &b2);
    body += &product("dw2", "%h, %dz", "{transpose_a = true}", &pair(&h, &y), &w2);
    body += &product("dh", "%dz, %w2", "{transpose_b = true}", &pair(&y, &w2), &h);
    body += &op("ds", "TanhGrad", "%h, %dh", &pair(&h, &h), &h);
    body += &op("d1", "BiasAddGrad", "%ds", &h, &b1);
    body += &product(
        "dw1",
        "%x0, %ds",
        "{transpose_a = true}",
        &pair(&x, &h),
        &w1,
    );
    for (new, old, slope, ty) in [
        ("n1", "w1", "dw1", &w1),
        ("n2", "b1", "d1", &b1),
        ("n3", "w2", "dw2", &w2),
        ("n4", "b2", "d2", &b2),
    ] {
        body += &op(
            &format!("{new}.s"),
            "Mul",
            &format!("%{slope}, %rate"),
            &pair(ty, "tensor<f32>"),
            ty,
        );
        body += &op(new, "Sub", &format!("%{old}, %{new}.s"), &pair(ty, ty), ty);
    }
    format!(
        "  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rate = tfx_tensor.const dense<0.5> : tensor<f32>
  %mean = tfx_tensor.const dense<{:?}> : tensor<f32>
  %labels = tfx_tensor.op \"Softmax\"(%x1) : ({y}) -> {y}
  %end:4 = scf.for %i = %zero to %steps step %one iter_args(%w1 = %x2, %b1 = %x3, %w2 = %x4, %b2 = %x5) -> ({state}) : i32 {{
{body}    scf.yield %n1, %n2, %n3, %n4 : {state}
  }}
  return %end#0 : {w1}
",
        1.0 / 1437.0
    )
}

/// Ten operations on each element.
fn elementwise() -> String {
    let ty = "tensor<1000000xf32>";
    let pair = format!("{ty}, {ty}");
    let mut body = String::new();
    body += &op("a", "AddV2", "%x0, %x1", &pair, ty);
    body += &op("b", "Mul", "%a, %x0", &pair, ty);
    body += &op("c", "Tanh", "%b", ty, ty);
    body += &op("d", "Sub", "%c, %x1", &pair, ty);
    body += &op("e", "Square", "%d", ty, ty);
    body += &op("f", "Exp", "%c", ty, ty);
    body += &op("g", "Maximum", "%e, %x0", &pair, ty);
    body += &op("h", "Mul", "%f, %g", &pair, ty);
    body += &op("i", "Sigmoid", "%h", ty, ty);
    body += &op("j", "AddV2", "%i, %a", &pair, ty);
    body + &format!("  return %j : {ty}\n")
}

fn softmax() -> String {
    let ty = "tensor<1024x1024xf32>";
    op("y", "Softmax", "%x0", ty, ty) + &format!("  return %y : {ty}\n")
}

/// Rows with a mean of 0 and a variance of 1, scaled and shifted.
fn layer_norm() -> String {
    let (ty, column, row) = (
        "tensor<1024x768xf32>",
        "tensor<1024x1xf32>",
        "tensor<768xf32>",
    );
    let mut body = "  %axis = tfx_tensor.const dense<1> : tensor<i32>\n  \
                    %least = tfx_tensor.const dense<1.0e-5> : tensor<f32>\n"
        .to_owned();
    let mean = |result: &str, of: &str| {
        format!(
            "  %{result} = tfx_tensor.op \"Mean\"({of}, %axis) {{keep_dims = true}} : ({ty}, tensor<i32>) -> {column}\n"
        )
    };
    body += &mean("m", "%x0");
    body += &op("d", "Sub", "%x0, %m", &format!("{ty}, {column}"), ty);
    body += &op("s", "Square", "%d", ty, ty);
    body += &mean("v", "%s");
    body += &op(
        "u",
        "AddV2",
        "%v, %least",
        &format!("{column}, tensor<f32>"),
        column,
    );
    body += &op("r", "Rsqrt", "%u", column, column);
    body += &op("n", "Mul", "%d, %r", &format!("{ty}, {column}"), ty);
    body += &op("g", "Mul", "%n, %x1", &format!("{ty}, {row}"), ty);
    body += &op("y", "AddV2", "%g, %x2", &format!("{ty}, {row}"), ty);
    body + &format!("  return %y : {ty}\n")
}

fn product([m, k, n]: [usize; 3]) -> String {
    let (a, b, c) = (
        format!("tensor<{m}x{k}xf32>"),
        format!("tensor<{k}x{n}xf32>"),
        format!("tensor<{m}x{n}xf32>"),
    );
    op("y", "MatMul", "%x0, %x1", &format!("{a}, {b}"), &c) + &format!("  return %y : {c}\n")
}

/// A product with the first operand transposed, as in the gradient of weights.
fn gradient() -> String {
    let ty = "tensor<1024x1024xf32>";
    format!(
        "  %y = tfx_tensor.op \"MatMul\"(%x0, %x1) {{transpose_a = true}} : ({ty}, {ty}) -> {ty}
  return %y : {ty}
"
    )
}

/// A layer of a network: a product, a bias and an activation.
fn dense() -> String {
    let (ty, row) = ("tensor<1024x1024xf32>", "tensor<1024xf32>");
    let mut body = op("p", "MatMul", "%x0, %x1", &format!("{ty}, {ty}"), ty);
    body += &op("s", "BiasAdd", "%p, %x2", &format!("{ty}, {row}"), ty);
    body += &op("y", "Relu", "%s", ty, ty);
    body + &format!("  return %y : {ty}\n")
}

fn convolution() -> String {
    let [images, filter, result] = [
        "tensor<32x28x28x16xf32>",
        "tensor<3x3x16x32xf32>",
        "tensor<32x28x28x32xf32>",
    ];
    format!(
        "  %y = tfx_tensor.op \"Conv2D\"(%x0, %x1) {{strides = [1, 1, 1, 1], padding = \"SAME\"}} : ({images}, {filter}) -> {result}
  return %y : {result}
"
    )
}

/// Reads rows of a table.
fn gather() -> String {
    let (table, result) = ("tensor<50000x64xf32>", "tensor<4096x64xf32>");
    let types = format!("{table}, tensor<4096xi32>, tensor<i32>");
    let mut body = "  %axis = tfx_tensor.const dense<0> : tensor<i32>\n".to_owned();
    body += &op("y", "GatherV2", "%x0, %rows, %axis", &types, result);
    body + &format!("  return %y : {result}\n")
}

/// Adds to rows of a table, in each step to the same ones.
fn scatter() -> String {
    let (table, rows) = ("tensor<50000x64xf32>", "tensor<4096x64xf32>");
    let types = format!("{table}, tensor<4096x1xi32>, {rows}");
    let body = op("n", "TensorScatterAdd", "%w, %column, %x1", &types, table);
    format!(
        "  %sizes = tfx_tensor.const dense<[4096, 1]> : tensor<2xi32>
  %column = tfx_tensor.op \"Reshape\"(%rows, %sizes) : (tensor<4096xi32>, tensor<2xi32>) -> tensor<4096x1xi32>
{}",
        loop_of("%x0", table, 0.5, &body)
    )
}

/// Adds to each element those before it along a dimension.
fn cumulative_sums(axis: usize) -> String {
    let ty = "tensor<1024x1024xf32>";
    let mut body = format!("  %axis = tfx_tensor.const dense<{axis}> : tensor<i32>\n");
    body += &op(
        "y",
        "Cumsum",
        "%x0, %axis",
        &format!("{ty}, tensor<i32>"),
        ty,
    );
    body + &format!("  return %y : {ty}\n")
}

/// A chain of small products, which one call of a peer runs, too.
fn product_in_loop(size: usize) -> String {
    let ty = format!("tensor<{size}x{size}xf32>");
    let mut body = op("p", "MatMul", "%w, %x1", &format!("{ty}, {ty}"), &ty);
    body += &op("n", "Mul", "%p, %rate", &format!("{ty}, tensor<f32>"), &ty);
    loop_of("%x0", &ty, 0.5, &body)
}
