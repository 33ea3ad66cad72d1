//! Tables: matrices of four rows and columns that are made of two vectors, and vectors that are
//! made of a table. Their loops have several dimensions, and several of them are alive at a time.
//! Some tables have an unknown number of rows.

use super::body::Body;
use super::types::Ty;

const TABLE: &str = "tensor<4x4xi32>";

impl Body<'_> {
    /// Computes a vector by way of tables.
    pub(super) fn table(&mut self) {
        let mut table = self.outer();
        for _ in 0..self.random.below(3) {
            table = self.next_table(&table);
        }
        match self.random.below(6) {
            0..2 => {
                let name = *self.random.pick(&["Sum", "Max", "Min", "Prod"]);
                let axis = self.random.below(2);
                let axis = self.integer(axis);
                self.value(
                    Ty::Vector,
                    &format!(
                        "tfx_tensor.op \"{name}\"({table}, {axis}) : ({TABLE}, tensor<i32>) -> tensor<4xi32>"
                    ),
                );
            }
            2 => self.mean(&table),
            3 => self.line_of(&table),
            4 => self.product(&table),
            _ => self.corners(&table),
        }
    }

    /// Combines each element of a vector with each element of another one.
    fn outer(&mut self) -> String {
        let [a, b] = [(); 2].map(|()| self.any(Ty::Vector));
        let [first, second] = [0, 1].map(|axis| self.integer(axis));
        let [column, row] = [(); 2].map(|()| self.fresh());
        self.lines([
            format!(
                "{column} = tfx_tensor.op \"ExpandDims\"({a}, {second}) : (tensor<4xi32>, tensor<i32>) -> tensor<4x1xi32>"
            ),
            format!(
                "{row} = tfx_tensor.op \"ExpandDims\"({b}, {first}) : (tensor<4xi32>, tensor<i32>) -> tensor<1x4xi32>"
            ),
        ]);
        let name = *self.random.pick(&["AddV2", "Sub", "Mul", "Maximum"]);
        self.named(&format!(
            "tfx_tensor.op \"{name}\"({column}, {row}) : (tensor<4x1xi32>, tensor<1x4xi32>) -> {TABLE}"
        ))
    }

    /// Computes a table from another one.
    fn next_table(&mut self, table: &str) -> String {
        match self.random.below(4) {
            0 => {
                let order = self.named("tfx_tensor.const dense<[1, 0]> : tensor<2xi32>");
                self.named(&format!(
                    "tfx_tensor.op \"Transpose\"({table}, {order}) : ({TABLE}, tensor<2xi32>) -> {TABLE}"
                ))
            }
            1 => {
                let other = self.outer();
                let flag = *self.random.pick(&["transpose_a", "transpose_b"]);
                self.named(&format!(
                    "tfx_tensor.op \"MatMul\"({table}, {other}) {{{flag} = true}} : ({TABLE}, {TABLE}) -> {TABLE}"
                ))
            }
            2 => {
                let vector = self.any(Ty::Vector);
                self.named(&format!(
                    "tfx_tensor.op \"Minimum\"({table}, {vector}) : ({TABLE}, tensor<4xi32>) -> {TABLE}"
                ))
            }
            _ => {
                let other = self.outer();
                let sum = self.named(&format!(
                    "tfx_tensor.op \"AddV2\"({table}, {other}) : ({TABLE}, {TABLE}) -> {TABLE}"
                ));
                self.named(&format!(
                    "tfx_tensor.op \"BitwiseXor\"({sum}, {table}) : ({TABLE}, {TABLE}) -> {TABLE}"
                ))
            }
        }
    }

    /// Computes floats from the last bits of the numbers of a table, of which floats represent sums
    /// of products.
    fn small_floats(&mut self, table: &str, of: &str) -> String {
        let low = self.integer(15);
        let small = self.named(&format!(
            "tfx_tensor.op \"BitwiseAnd\"({table}, {low}) : (tensor<{of}xi32>, tensor<i32>) -> tensor<{of}xi32>"
        ));
        self.named(&format!(
            "tfx_tensor.op \"Cast\"({small}) : (tensor<{of}xi32>) -> tensor<{of}xf32>"
        ))
    }

    /// Multiplies two tables, one of which is transposed, and adds its rows or columns.
    fn product(&mut self, table: &str) {
        let other = self.outer();
        let [a, b] = [table, &other].map(|table| self.small_floats(table, "4x4"));
        let is_first = self.random.chance(50);
        let axis = usize::from(is_first);
        let (wide, flag) = match is_first {
            true => ("tensor<4x8xf32>", "transpose_a"),
            false => ("tensor<8x4xf32>", "transpose_b"),
        };
        let joined = self.integer(axis);
        let x = self.named(&format!(
            "tfx_tensor.op \"ConcatV2\"({a}, {b}, {joined}) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>) -> {wide}"
        ));
        let p = self.named(&format!(
            "tfx_tensor.op \"MatMul\"({x}, {x}) {{{flag} = true}} : ({wide}, {wide}) -> tensor<8x8xf32>"
        ));
        let axis = self.random.below(2);
        let axis = self.integer(axis);
        let sums = self.named(&format!(
            "tfx_tensor.op \"Sum\"({p}, {axis}) : (tensor<8x8xf32>, tensor<i32>) -> tensor<8xf32>"
        ));
        let from = self.random.below(5);
        let begin = self.named(&format!("tfx_tensor.const dense<{from}> : tensor<1xi32>"));
        let size = self.named("tfx_tensor.const dense<4> : tensor<1xi32>");
        self.value(
            Ty::Floats,
            &format!(
                "tfx_tensor.op \"Slice\"({sums}, {begin}, {size}) : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>"
            ),
        );
    }

    /// Computes a vector by way of a table with as many rows as a row has elements.
    pub(super) fn rows(&mut self) {
        let (row, vector) = (self.any(Ty::Row), self.any(Ty::Vector));
        let table = self.outer();
        let [first, second] = [0, 1].map(|axis| self.integer(axis));
        let column = self.named(&format!(
            "tfx_tensor.op \"ExpandDims\"({row}, {second}) : (tensor<?xi32>, tensor<i32>) -> tensor<?x1xi32>"
        ));
        let rows = self.named(&format!(
            "tfx_tensor.op \"AddV2\"({column}, {vector}) : (tensor<?x1xi32>, tensor<4xi32>) -> tensor<?x4xi32>"
        ));
        let x = self.small_floats(&rows, "?x4");
        let w = self.small_floats(&table, "4x4");
        let p = self.named(&format!(
            "tfx_tensor.op \"MatMul\"({x}, {w}) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>"
        ));
        match self.random.below(3) {
            0 => {
                let d = self.named(&format!(
                    "tfx_tensor.op \"Sub\"({p}, {x}) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>"
                ));
                self.value(
                    Ty::Floats,
                    &format!(
                        "tfx_tensor.op \"Sum\"({d}, {first}) : (tensor<?x4xf32>, tensor<i32>) -> tensor<4xf32>"
                    ),
                );
            }
            1 => {
                let q = self.named(&format!(
                    "tfx_tensor.op \"MatMul\"({x}, {p}) {{transpose_a = true}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>"
                ));
                self.value(
                    Ty::Floats,
                    &format!(
                        "tfx_tensor.op \"Max\"({q}, {second}) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>"
                    ),
                );
            }
            _ => {
                let largest = self.named(&format!(
                    "tfx_tensor.op \"Max\"({p}, {second}) : (tensor<?x4xf32>, tensor<i32>) -> tensor<?xf32>"
                ));
                self.value(
                    Ty::Row,
                    &format!(
                        "tfx_tensor.op \"Cast\"({largest}) : (tensor<?xf32>) -> tensor<?xi32>"
                    ),
                );
            }
        }
    }

    /// Computes the means of small numbers.
    fn mean(&mut self, table: &str) {
        let axis = self.random.below(2);
        let axis = self.integer(axis);
        let floats = self.small_floats(table, "4x4");
        self.value(
            Ty::Floats,
            &format!(
                "tfx_tensor.op \"Mean\"({floats}, {axis}) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>"
            ),
        );
    }

    /// Takes a row or a column.
    fn line_of(&mut self, table: &str) {
        let number = self.random.below(4);
        let (begin, size, part) = match self.random.chance(50) {
            true => (format!("[{number}, 0]"), "[1, 4]", "tensor<1x4xi32>"),
            false => (format!("[0, {number}]"), "[4, 1]", "tensor<4x1xi32>"),
        };
        let begin = self.named(&format!("tfx_tensor.const dense<{begin}> : tensor<2xi32>"));
        let size = self.named(&format!("tfx_tensor.const dense<{size}> : tensor<2xi32>"));
        let shape = self.named("tfx_tensor.const dense<4> : tensor<1xi32>");
        let line = self.named(&format!(
            "tfx_tensor.op \"Slice\"({table}, {begin}, {size}) : ({TABLE}, tensor<2xi32>, tensor<2xi32>) -> {part}"
        ));
        self.value(
            Ty::Vector,
            &format!(
                "tfx_tensor.op \"Reshape\"({line}, {shape}) : ({part}, tensor<1xi32>) -> tensor<4xi32>"
            ),
        );
    }

    /// Joins two columns of two rows.
    fn corners(&mut self, table: &str) {
        let size = self.named("tfx_tensor.const dense<[2, 1]> : tensor<2xi32>");
        let axis = self.integer(1);
        let corners = [(); 2].map(|()| {
            let begin = format!("[{}, {}]", self.random.below(3), self.random.below(4));
            let begin = self.named(&format!("tfx_tensor.const dense<{begin}> : tensor<2xi32>"));
            self.named(&format!(
                "tfx_tensor.op \"Slice\"({table}, {begin}, {size}) : ({TABLE}, tensor<2xi32>, tensor<2xi32>) -> tensor<2x1xi32>"
            ))
        });
        let matrix = Ty::Matrix.text();
        self.value(
            Ty::Matrix,
            &format!(
                "tfx_tensor.op \"ConcatV2\"({}, {axis}) : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<i32>) -> {matrix}",
                corners.join(", ")
            ),
        );
    }

    pub(super) fn integer(&mut self, number: usize) -> String {
        self.named(&format!("tfx_tensor.const dense<{number}> : tensor<i32>"))
    }

    /// Writes an operation with one result that statements do not use.
    pub(super) fn named(&mut self, operation: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {operation}"));
        name
    }
}
