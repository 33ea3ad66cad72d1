//! Tensors whose size is known only at run time, and which may be empty; strings.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    /// Creates a row of at most three numbers: 0, 1, 2.
    pub(super) fn row(&mut self) -> String {
        let number = self.any(Ty::I32);
        let three = self.value(Ty::I32, "arith.constant 3 : i32");
        let low = self.value(Ty::I32, &format!("arith.andi {number}, {three} : i32"));
        let end = self.tensor_of(&low);
        let [start, step] = [0, 1].map(|it| {
            self.value(
                Ty::Number,
                &format!("tfx_tensor.const dense<{it}> : tensor<i32>"),
            )
        });
        self.op(
            "Range",
            &[
                (&start, Ty::Number),
                (&end, Ty::Number),
                (&step, Ty::Number),
            ],
            Ty::Row,
        )
    }

    /// Computes a row from another one or from a vector, or a number from a row.
    pub(super) fn unknown(&mut self) {
        match self.random.below(8) {
            0 => {
                self.row();
            }
            1 => self.slice(),
            2 => {
                let (row, by) = (self.any(Ty::Row), self.any(Ty::Number));
                let name = *self.random.pick(&["AddV2", "Mul", "Maximum", "BitwiseXor"]);
                self.op(name, &[(&row, Ty::Row), (&by, Ty::Number)], Ty::Row);
            }
            3 => {
                let row = self.any(Ty::Row);
                let name = *self.random.pick(&["Sum", "Prod", "Max", "Min"]);
                self.reduced(name, &row, Ty::Row);
            }
            4..6 => self.rows(),
            6 => {
                let row = self.any(Ty::Row);
                let size = self.value(Ty::Number, &format!(
                    "tfx_tensor.op \"Size\"({row}) {{out_type = i32}} : (tensor<?xi32>) -> tensor<i32>"
                ));
                self.scalar_of(&size, Ty::I32);
            }
            _ => {
                let row = self.any(Ty::Row);
                self.show("r", &row, Ty::Row);
            }
        }
    }

    /// Takes a variable number of elements of a vector, from one of the first two on.
    fn slice(&mut self) {
        let (vector, number) = (self.any(Ty::Vector), self.any(Ty::I32));
        let three = self.value(Ty::I32, "arith.constant 3 : i32");
        let low = self.value(Ty::I32, &format!("arith.andi {number}, {three} : i32"));
        let count = self.tensor_of(&low);
        let [shape, begin, size] = [(); 3].map(|()| self.fresh());
        let from = self.random.below(2);
        self.lines([
            format!("{shape} = tfx_tensor.const dense<1> : tensor<1xi32>"),
            format!("{begin} = tfx_tensor.const dense<{from}> : tensor<1xi32>"),
            format!(
                "{size} = tfx_tensor.op \"Reshape\"({count}, {shape}) : (tensor<i32>, tensor<1xi32>) -> tensor<1xi32>"
            ),
        ]);
        self.value(Ty::Row, &format!(
            "tfx_tensor.op \"Slice\"({vector}, {begin}, {size}) : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>"
        ));
    }

    /// Creates a string constant.
    pub(super) fn string(&mut self) -> String {
        const STRINGS: [&str; 5] = ["", "a", "two words", "{}", "\\C3\\A4"];
        let string = *self.random.pick(&STRINGS);
        self.value(Ty::Text, &format!("tfx_host.string \"{string}\""))
    }

    /// Chooses between strings, or prints one.
    pub(super) fn text(&mut self) {
        let (a, of) = (self.any(Ty::Text), Ty::Text.text());
        if self.random.chance(50) {
            let (condition, b) = (self.any(Ty::I1), self.any(Ty::Text));
            self.value(
                Ty::Text,
                &format!("arith.select {condition}, {a}, {b} : {of}"),
            );
            return;
        }
        let ty = *self.random.pick(&[Ty::I32, Ty::Vector, Ty::F32]);
        let value = self.any(ty);
        self.line(&format!(
            "tfx_host.print \"x {{}} {{}}\"({a}, {value}) : {of}, {ty}"
        ));
    }
}
