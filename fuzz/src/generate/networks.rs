//! Networks on the rows of tables: layers, reductions and gradients of more rows than native code
//! computes at a time.
//!
//! Problem: native code has special cases for blocks of rows, for the rows and the columns that a
//! tile does not cover, and for unknown sizes. The tensors of other statements are too small for
//! these.
//!
//! ```text
//!   rows = 85, or 42 + (%n & 3)      a table of small numbers
//!     ├─ layer, centred, shifted,    each step adds a table with the same rows
//!     │  softmax, branch, loop ...
//!     └─ gradient, sums of columns   combine all rows ──> tensor<4xf32>, printed
//! ```
//!
//! Method: all elements are whole numbers. A step ends by [`Network::small`], which reduces them to
//! a few bits. So `f32` represents all sums and products, results do not depend on the order of
//! additions, and a wrong row changes the result. Softmax has exact results as well: its operands
//! are so far apart that only the largest elements of a row count.
//!
//! Cost: the size of the text is that of the steps, of which there are at most [`STEPS`]. No step
//! follows when one execution has [`MOST_OPERATIONS`] operations on elements, most of which are
//! additions and multiplications of products.

use std::fmt;

use super::body::Body;
use super::types::Ty;

/// The maximal number of networks in a function: each takes as long as many other statements.
const NETWORKS: usize = 2;
/// The maximal number of steps of a network.
const STEPS: usize = 7;
/// The number of operations from which no step follows.
const MOST_OPERATIONS: usize = 60_000;

/// Numbers of rows: of one product of matrices with one remaining row, of one block and some rows,
/// and of several blocks with one remaining row or some.
const ROWS: [usize; 6] = [43, 43, 64, 85, 86, 127];
/// The least of an unknown number of rows: of a table that is broadcast, and of those above.
const LEAST_ROWS: [usize; 5] = [1, 42, 43, 84, 97];
/// A number of rows that are not computed in blocks.
const FEW_ROWS: usize = 7;
/// The estimate of an unknown size.
const ESTIMATE: usize = 48;
/// The columns of rows of which a block of known size has 42.
const WIDE: usize = 97;
/// Numbers of columns; the last ones are more than those of a tile, with one remaining column.
const COLUMNS: [usize; 6] = [1, 2, 4, 5, 17, 33];
/// The type of a shape, and of a seed.
const PAIR: &str = "tensor<2xi32>";
/// The columns of results.
const RESULTS: Size = Size::Known(4);

/// The percentage of operations at a place of their own.
const PLACED: usize = 6;

/// The number of devices.
const DEVICES: usize = 4;
/// The percentage of loops at a device with an unknown number of iterations.
const DECIDED: usize = 60;
/// The largest number of iterations of these.
const MOST_ITERATIONS: usize = 4;

/// A number of rows or columns.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Known(usize),
    /// The value of a `tensor<i32>`.
    Unknown(String),
}

impl Size {
    fn is_unknown(&self) -> bool {
        matches!(self, Size::Unknown(_))
    }

    fn estimate(&self) -> usize {
        match self {
            Size::Known(size) => *size,
            Size::Unknown(_) => ESTIMATE,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Known(size) => write!(formatter, "{size}"),
            Size::Unknown(_) => formatter.write_str("?"),
        }
    }
}

/// A matrix of floats.
#[derive(Clone, Debug)]
struct Table {
    name: String,
    rows: Size,
    columns: Size,
}

impl Table {
    fn ty(&self) -> String {
        matrix(&self.rows, &self.columns, "f32")
    }

    fn elements(&self) -> usize {
        self.rows.estimate() * self.columns.estimate()
    }
}

fn matrix(rows: &Size, columns: &Size, element: &str) -> String {
    format!("tensor<{rows}x{columns}x{element}>")
}

fn vector(size: &Size, element: &str) -> String {
    format!("tensor<{size}x{element}>")
}

impl Body<'_> {
    /// Writes a network, and prints some of its results.
    pub(super) fn network(&mut self) {
        if self.networks == NETWORKS {
            return self.tensor();
        }
        self.networks += 1;
        let is_wide = self.random.chance(20);
        let rows = match is_wide {
            true => Size::Known(*self.random.pick(&[64, 85])),
            false if self.random.chance(40) => Size::Known(*self.random.pick(&ROWS)),
            false => {
                let least = *self.random.pick(&LEAST_ROWS);
                self.unknown_size(least)
            }
        };
        let mut network = Network {
            tables: Vec::new(),
            operations: 0,
            place: 0,
            is_together: false,
            body: self,
        };
        let columns = match is_wide {
            true => Size::Known(WIDE),
            false => network.columns(),
        };
        let first = network.table(&rows, &columns);
        network.tables.push(first);
        for _ in 0..2 + network.body.random.below(STEPS - 1) {
            if network.operations < MOST_OPERATIONS {
                network.step();
            }
        }
        network.finish();
    }

    /// Computes a size of at least this number.
    fn unknown_size(&mut self, least: usize) -> Size {
        let number = self.any(Ty::Number);
        let mask = *self.random.pick(&[1, 3]);
        let [mask, least] = [mask, least].map(|it| self.integer(it));
        let low = self.of_numbers("BitwiseAnd", [&number, &mask]);
        Size::Unknown(self.of_numbers("AddV2", [&low, &least]))
    }

    fn of_numbers(&mut self, name: &str, [a, b]: [&str; 2]) -> String {
        self.named(&format!(
            "tfx_tensor.op \"{name}\"({a}, {b}) : (tensor<i32>, tensor<i32>) -> tensor<i32>"
        ))
    }
}

/// The network that is being written.
struct Network<'n, 'g> {
    body: &'n mut Body<'g>,
    /// Tables with the same rows.
    tables: Vec<Table>,
    /// An estimate of the operations on elements.
    operations: usize,
    /// The device of the next operations.
    place: usize,
    /// Set if all of them are there.
    is_together: bool,
}

impl Network<'_, '_> {
    /// Writes an operation, some of them at a place of their own.
    fn op(&mut self, name: &str, operands: &[(&str, &str)], result: &str) -> String {
        self.op_with(name, operands, "", result)
    }

    /// The same, with attributes in their brackets.
    fn op_with(
        &mut self,
        name: &str,
        operands: &[(&str, &str)],
        attributes: &str,
        result: &str,
    ) -> String {
        let (here, mut device) = (self.place, self.place);
        if !self.is_together && self.body.random.chance(PLACED) {
            device = self.body.random.below(DEVICES);
        }
        let values = operands.iter();
        let values = values.map(|(value, ty)| self.copied(value, [here, device], ty));
        let values: Vec<String> = values.collect();
        let types: Vec<&str> = operands.iter().map(|(_, ty)| *ty).collect();
        let result_name = self.body.named(&format!(
            "tfx_tensor.op \"{name}\"({}){attributes} : ({}) -> {result}",
            values.join(", "),
            types.join(", ")
        ));
        self.copied(&result_name, [device, here], result)
    }

    /// Copies a tensor from one device to another.
    fn copied(&mut self, value: &str, [from, to]: [usize; 2], ty: &str) -> String {
        match from == to || self.body.mix.devices == super::mix::OFFLOADED {
            true => value.to_owned(),
            false => {
                let [from, to] = [from, to].map(|number| self.device(number));
                self.body.named(&format!(
                    "tfx_comm.copy {value} from <{from}> to <{to}> : {ty}"
                ))
            }
        }
    }

    /// Returns the name of a device.
    fn device(&self, number: usize) -> String {
        match number % 2 {
            1 if self.body.mix.devices > 0 => format!("cuda:{}", number / 2),
            _ => format!("cpu:{number}"),
        }
    }

    fn integer(&mut self, number: usize) -> (String, &'static str) {
        (self.body.integer(number), "tensor<i32>")
    }

    fn float(&mut self, number: i32) -> (String, &'static str) {
        let constant = format!("tfx_tensor.const dense<{number}.0> : tensor<f32>");
        (self.body.named(&constant), "tensor<f32>")
    }

    fn integers(&mut self, list: &[usize]) -> (String, String) {
        let ty = format!("tensor<{}xi32>", list.len());
        let value = self
            .body
            .named(&format!("tfx_tensor.const dense<{list:?}> : {ty}"));
        (value, ty)
    }

    fn size(&mut self, size: &Size) -> String {
        match size {
            Size::Known(size) => self.body.integer(*size),
            Size::Unknown(number) => number.clone(),
        }
    }

    fn columns(&mut self) -> Size {
        match self.body.random.chance(20) {
            true => self.body.unknown_size(1),
            false => Size::Known(*self.body.random.pick(&COLUMNS)),
        }
    }

    /// Writes the numbers up to a size. Native code does not invert permutations, so that they are
    /// arguments of it, of sizes that it does not know.
    fn numbers(&mut self, size: &Size) -> String {
        let (ty, limit) = (vector(size, "i32"), self.size(size));
        let ((zero, _), (one, _)) = (self.integer(0), self.integer(1));
        let number = "tensor<i32>";
        if self.body.random.chance(50) {
            let operands = [(&zero[..], number), (&limit, number), (&one, number)];
            return self.op("Range", &operands, &ty);
        }
        let dims = self.op(
            "ExpandDims",
            &[(&limit, number), (&zero, number)],
            "tensor<1xi32>",
        );
        let ones = self.op("Fill", &[(&dims, "tensor<1xi32>"), (&one, number)], &ty);
        let operands = [(&ones[..], &ty[..]), (&zero, number)];
        let sums = self.op_with("Cumsum", &operands, " {exclusive = true}", &ty);
        self.op("InvertPermutation", &[(&sums, &ty)], &ty)
    }

    /// Writes a table of small numbers, which differ between rows and between columns.
    fn table(&mut self, rows: &Size, columns: &Size) -> Table {
        let (down, right) = (self.numbers(rows), self.numbers(columns));
        let (axis, number) = self.integer(1);
        let column = matrix(rows, &Size::Known(1), "i32");
        let (of_rows, of_columns) = (vector(rows, "i32"), vector(columns, "i32"));
        let down = self.op("ExpandDims", &[(&down, &of_rows), (&axis, number)], &column);
        let factor = *self.body.random.pick(&[1, 3, 5]);
        let (factor, _) = self.integer(factor);
        let down = self.op("Mul", &[(&down, &column), (&factor, number)], &column);
        let integers = matrix(rows, columns, "i32");
        let name = *self.body.random.pick(&["BitwiseXor", "AddV2"]);
        let both = self.op(name, &[(&down, &column), (&right, &of_columns)], &integers);
        let by = self.body.any(Ty::Number);
        let moved = self.op("AddV2", &[(&both, &integers), (&by, number)], &integers);
        self.low_bits(&moved, rows, columns)
    }

    /// Converts the low bits of integers to floats, of which some are negative.
    fn low_bits(&mut self, integers: &str, rows: &Size, columns: &Size) -> Table {
        let (of, floats) = (matrix(rows, columns, "i32"), matrix(rows, columns, "f32"));
        let (mask, number) = self.integer(7);
        let low = self.op("BitwiseAnd", &[(integers, &of), (&mask, number)], &of);
        let cast = self.op("Cast", &[(&low, &of)], &floats);
        let (middle, scalar) = self.float(2);
        let name = self.op("Sub", &[(&cast, &floats), (&middle, scalar)], &floats);
        self.made(name, rows, columns)
    }

    fn made(&mut self, name: String, rows: &Size, columns: &Size) -> Table {
        let table = Table {
            name,
            rows: rows.clone(),
            columns: columns.clone(),
        };
        self.operations += table.elements();
        table
    }

    /// Computes small numbers from a table.
    fn small(&mut self, table: &Table) -> Table {
        let ty = table.ty();
        if self.body.random.chance(40) {
            let ((least, of), (most, _)) = (self.float(-7), self.float(6));
            let name = self.op(
                "ClipByValue",
                &[(&table.name, &ty), (&least, of), (&most, of)],
                &ty,
            );
            return self.made(name, &table.rows, &table.columns);
        }
        let of = matrix(&table.rows, &table.columns, "i32");
        let integers = self.op("Cast", &[(&table.name, &ty)], &of);
        self.low_bits(&integers, &table.rows, &table.columns)
    }

    /// Writes an elementwise operation of two tables, of which the second may be broadcast.
    fn combined(&mut self, a: &Table, b: (&str, &str)) -> Table {
        let name = *self.body.random.pick(&["AddV2", "Sub", "Mul", "Maximum"]);
        let ty = a.ty();
        let both = self.op(name, &[(&a.name, &ty), b], &ty);
        let both = self.made(both, &a.rows, &a.columns);
        self.small(&both)
    }

    fn any(&mut self) -> Table {
        match self.body.random.chance(50) {
            true => self.tables[self.tables.len() - 1].clone(),
            false => self.body.random.pick(&self.tables).clone(),
        }
    }

    /// Writes a product of matrices; a transposed operand has the flag of its name.
    fn product(&mut self, a: &Table, b: &Table, flag: &str) -> Table {
        let (rows, inner, columns) = match flag {
            "transpose_a" => (&a.columns, &a.rows, &b.columns),
            "transpose_b" => (&a.rows, &a.columns, &b.rows),
            _ => (&a.rows, &a.columns, &b.columns),
        };
        let attributes = match flag {
            "" => String::new(),
            _ => format!(" {{{flag} = true}}"),
        };
        let name = self.body.named(&format!(
            "tfx_tensor.op \"MatMul\"({}, {}){attributes} : ({}, {}) -> {}",
            a.name,
            b.name,
            a.ty(),
            b.ty(),
            matrix(rows, columns, "f32")
        ));
        self.operations += rows.estimate() * inner.estimate() * columns.estimate();
        self.made(name, rows, columns)
    }

    /// Reduces the rows (0) or the columns (1) of a table to a vector.
    fn reduced(&mut self, table: &Table, axis: usize) -> (String, String) {
        let name = *self.body.random.pick(&["Sum", "Sum", "Max", "Min"]);
        self.reduced_by(name, table, axis)
    }

    fn reduced_by(&mut self, name: &str, table: &Table, axis: usize) -> (String, String) {
        let left = [&table.columns, &table.rows][axis];
        let ty = vector(left, "f32");
        let (axis, number) = self.integer(axis);
        let operands = [(&table.name[..], &table.ty()[..]), (&axis, number)];
        self.operations += table.elements();
        (self.op(name, &operands, &ty), ty)
    }

    /// Adds a table, which is computed from the others.
    fn step(&mut self) {
        let x = self.any();
        let new = match self.body.random.below(19) {
            0..3 => self.layer(&x),
            3 => self.of_two(&x),
            4 => self.centred(&x),
            5 => self.shifted(&x),
            6 => self.part(&x),
            7 => self.of_rows(&x),
            8 => self.softmax(&x),
            9 => self.of_equal_elements(&x),
            10 => self.branch(&x),
            11 => self.trained(&x),
            12 => self.iterated(&x),
            13 => self.broadcast(&x),
            14..16 => self.stages(&x),
            16 => self.noise(&x),
            17 => self.accumulated(&x),
            _ => self.reduced_equal_elements(&x),
        };
        self.tables.push(new);
    }

    fn layer(&mut self, x: &Table) -> Table {
        let columns = match x.columns == Size::Known(WIDE) {
            true => RESULTS,
            false => self.columns(),
        };
        self.layer_of(x, columns)
    }

    fn layer_of(&mut self, x: &Table, columns: Size) -> Table {
        let product = match self.body.random.chance(30) {
            true => {
                let w = self.table(&columns, &x.columns);
                self.product(x, &w, "transpose_b")
            }
            false => {
                let w = self.table(&x.columns, &columns);
                self.product(x, &w, "")
            }
        };
        let bias = self.numbers(&columns);
        let (of, ty) = (vector(&columns, "i32"), vector(&columns, "f32"));
        let bias = self.op("Cast", &[(&bias, &of)], &ty);
        let name = self.op(
            "BiasAdd",
            &[(&product.name, &product.ty()), (&bias, &ty)],
            &product.ty(),
        );
        let biased = self.made(name, &x.rows, &columns);
        self.small(&biased)
    }

    fn of_two(&mut self, x: &Table) -> Table {
        let other = self.any_like(x);
        self.combined(x, (&other.name, &other.ty()))
    }

    /// Combines each row with a reduction of all rows.
    fn centred(&mut self, x: &Table) -> Table {
        let (name, ty) = self.reduced(x, 0);
        self.combined(x, (&name, &ty))
    }

    /// Combines each row with one of its neighbours.
    fn shifted(&mut self, x: &Table) -> Table {
        let (Size::Known(rows), Size::Known(columns)) = (&x.rows, &x.columns) else {
            return self.centred(x);
        };
        let sides = self
            .body
            .named("tfx_tensor.const dense<[[1, 1], [0, 0]]> : tensor<2x2xi32>");
        let padded = matrix(&Size::Known(rows + 2), &x.columns, "f32");
        let pad = self.op(
            "Pad",
            &[(&x.name, &x.ty()), (&sides, "tensor<2x2xi32>")],
            &padded,
        );
        let one = self.sliced(&pad, &padded, [0, 0], [*rows, *columns]);
        let other = self.sliced(&pad, &padded, [2, 0], [*rows, *columns]);
        self.combined(&one, (&other.name, &other.ty()))
    }

    fn sliced(&mut self, of: &str, ty: &str, begin: [usize; 2], size: [usize; 2]) -> Table {
        let (begin, pair) = self.integers(&begin);
        let (sizes, _) = self.integers(&size);
        let [rows, columns] = size.map(Size::Known);
        let result = matrix(&rows, &columns, "f32");
        let name = self.op(
            "Slice",
            &[(of, ty), (&begin, &pair), (&sizes, &pair)],
            &result,
        );
        self.made(name, &rows, &columns)
    }

    /// Takes some columns of columns of a table that is computed where it is read.
    fn part(&mut self, x: &Table) -> Table {
        let (Size::Known(rows), Size::Known(columns @ 3..)) = (&x.rows, &x.columns) else {
            return self.of_two(x);
        };
        let (turned, by) = (self.body.random.chance(50), self.any());
        let (sums, ty) = self.reduced(&by, 1);
        let (axis, number) = self.integer(1);
        let column = matrix(&x.rows, &Size::Known(1), "f32");
        let sums = self.op("ExpandDims", &[(&sums, &ty), (&axis, number)], &column);
        let sum = self.op("AddV2", &[(&x.name, &x.ty()), (&sums, &column)], &x.ty());
        let mut part = self.sliced(&sum, &x.ty(), [0, 1], [*rows, columns - 1]);
        if turned {
            let (order, pair) = self.integers(&[1, 0]);
            let across = matrix(&part.columns, &part.rows, "f32");
            let name = self.op(
                "Transpose",
                &[(&part.name, &part.ty()), (&order, &pair)],
                &across,
            );
            let rest = self.sliced(&name, &across, [1, 0], [columns - 2, *rows]);
            let back = matrix(&rest.rows, &rest.columns, "f32");
            let name = self.op(
                "Transpose",
                &[(&rest.name, &back), (&order, &pair)],
                &matrix(&rest.columns, &rest.rows, "f32"),
            );
            part = self.made(name, &rest.columns, &rest.rows);
        } else {
            part = self.sliced(&part.name, &part.ty(), [0, 1], [*rows, columns - 2]);
        }
        self.small(&part)
    }

    /// Combines each row with a reduction of it.
    fn of_rows(&mut self, x: &Table) -> Table {
        let (name, ty) = self.reduced(x, 1);
        let (axis, number) = self.integer(1);
        let column = matrix(&x.rows, &Size::Known(1), "f32");
        let name = self.op("ExpandDims", &[(&name, &ty), (&axis, number)], &column);
        self.combined(x, (&name, &column))
    }

    /// Writes a softmax of numbers that are equal or far apart: its results are 0, or 1 divided by
    /// the number of the largest elements.
    fn softmax(&mut self, x: &Table) -> Table {
        let ((far, of), ty) = (self.float(200), x.ty());
        let apart = self.op("Mul", &[(&x.name, &ty), (&far, of)], &ty);
        let parts = self.op("Softmax", &[(&apart, &ty)], &ty);
        let (twelve, _) = self.float(12);
        let scaled = self.op("Mul", &[(&parts, &ty), (&twelve, of)], &ty);
        let whole = self.op("Rint", &[(&scaled, &ty)], &ty);
        self.operations += 4 * x.elements();
        let whole = self.made(whole, &x.rows, &x.columns);
        self.combined(&whole, (&x.name, &ty))
    }

    /// Writes the shape of a table.
    fn dims(&mut self, rows: &Size, columns: &Size) -> String {
        match (rows, columns) {
            (Size::Known(rows), Size::Known(columns)) => self.integers(&[*rows, *columns]).0,
            _ => {
                let sizes = [rows, columns].map(|size| self.size(size));
                self.pair(&sizes)
            }
        }
    }

    /// Packs two numbers.
    fn pair(&mut self, [one, other]: &[String; 2]) -> String {
        let operands = [(&one[..], "tensor<i32>"), (other, "tensor<i32>")];
        self.op("Pack", &operands, PAIR)
    }

    /// Adds to each element those before it, or after it, in its column or row.
    fn accumulated(&mut self, x: &Table) -> Table {
        let axis = self.body.random.below(2);
        let (axis, number) = self.integer(axis);
        let attributes = *self.body.random.pick(&[
            "",
            " {exclusive = true}",
            " {reverse = true}",
            " {exclusive = true, reverse = true}",
        ]);
        let operands = [(&x.name[..], &x.ty()[..]), (&axis, number)];
        let name = self.op_with("Cumsum", &operands, attributes, &x.ty());
        self.operations += x.elements();
        let sums = self.made(name, &x.rows, &x.columns);
        self.small(&sums)
    }

    /// Combines a table with whole random numbers below 8.
    fn noise(&mut self, x: &Table) -> Table {
        let dims = self.dims(&x.rows, &x.columns);
        let seed = [self.body.any(Ty::Number), self.body.any(Ty::Number)];
        let seed = self.pair(&seed);
        let ty = x.ty();
        let name = "StatelessRandomUniform";
        let numbers = self.op(name, &[(&dims, PAIR), (&seed, PAIR)], &ty);
        let (eight, scalar) = self.float(8);
        let scaled = self.op("Mul", &[(&numbers, &ty), (&eight, scalar)], &ty);
        let whole = self.op("Floor", &[(&scaled, &ty)], &ty);
        self.combined(x, (&whole, &ty))
    }

    /// Returns a table of equal elements, which is rarely in memory.
    fn equal_elements(&mut self, rows: &Size, columns: &Size) -> Table {
        let dims = self.dims(rows, columns);
        let (number, mask) = (self.body.any(Ty::Number), self.body.integer(3));
        let low = self.body.of_numbers("BitwiseAnd", [&number, &mask]);
        let float = self.op("Cast", &[(&low, "tensor<i32>")], "tensor<f32>");
        let ty = matrix(rows, columns, "f32");
        let name = self.op("Fill", &[(&dims, PAIR), (&float, "tensor<f32>")], &ty);
        self.made(name, rows, columns)
    }

    fn of_equal_elements(&mut self, x: &Table) -> Table {
        let other = self.equal_elements(&x.rows, &x.columns);
        self.combined(x, (&other.name, &other.ty()))
    }

    /// Combines a table with the sum or the mean of equal elements, of which there is one in each
    /// row, so that the mean is exact.
    fn reduced_equal_elements(&mut self, x: &Table) -> Table {
        let rows = match self.body.random.chance(50) {
            true => x.rows.clone(),
            // These are not computed together with the rows of the network.
            false => Size::Known(FEW_ROWS),
        };
        let column = self.equal_elements(&rows, &Size::Known(1));
        let name = *self.body.random.pick(&["Sum", "Mean"]);
        let (name, ty) = self.reduced_by(name, &column, 0);
        self.combined(x, (&name, &ty))
    }

    /// Writes a branch whose arms multiply by the same equal elements.
    fn branch(&mut self, x: &Table) -> Table {
        let w = self.equal_elements(&x.columns, &RESULTS);
        let truth = self.body.any(Ty::Truth);
        let condition = self.body.scalar_of(&truth, Ty::I1);
        let visible = self.body.values.len();
        let (result, ty) = (self.body.fresh(), matrix(&x.rows, &RESULTS, "f32"));
        self.body
            .line(&format!("{result} = scf.if {condition} -> {ty} {{"));
        let other = self.any();
        for (arm, end) in [(x, "} else {"), (&other, "}")] {
            let product = match arm.columns == x.columns {
                true => self.product(arm, &w, ""),
                false => self.product(x, &w, ""),
            };
            let arm = self.small(&product);
            self.body.line(&format!("scf.yield {} : {ty}", arm.name));
            self.body.line(end);
        }
        self.body.values.truncate(visible);
        self.made(result, &x.rows, &RESULTS)
    }

    /// Writes a loop that changes a table, and returns its last value. Values from before the loop
    /// are needed in each iteration.
    fn repeated(
        &mut self,
        start: &Table,
        inside: impl FnOnce(&mut Self, &Table) -> Table,
    ) -> Table {
        let iterations = 2 + self.body.random.below(2);
        let bounds = [0, iterations, 1].map(|bound| {
            let constant = format!("arith.constant {bound} : index");
            self.body.named(&constant)
        });
        let [result, index, carried] = [(); 3].map(|()| self.body.fresh());
        let ty = start.ty();
        self.body.line(&format!(
            "{result} = scf.for {index} = {} to {} step {} iter_args({carried} = {}) -> {ty} {{",
            bounds[0], bounds[1], bounds[2], start.name
        ));
        let (visible, before) = (self.body.values.len(), self.operations);
        let carried = self.made(carried, &start.rows, &start.columns);
        let next = inside(self, &carried);
        self.body.line(&format!("scf.yield {} : {ty}", next.name));
        self.body.line("}");
        self.body.values.truncate(visible);
        self.operations += (iterations - 1) * (self.operations - before);
        self.made(result, &start.rows, &start.columns)
    }

    /// Writes a loop of an unknown number of iterations that changes a table, and returns its last
    /// value. It ends at a number, or when the sum of the table is large.
    fn decided(&mut self, start: &Table, inside: impl FnOnce(&mut Self, &Table) -> Table) -> Table {
        let constant = |this: &mut Self, number: usize| {
            let constant = format!("arith.constant {number} : i32");
            this.body.named(&constant)
        };
        let [zero, one, three, most] = [0, 1, 3, MOST_ITERATIONS].map(|it| constant(self, it));
        let number = self.body.any(Ty::I32);
        let bound = self.body.fresh();
        let line = format!("{bound} = arith.andi {number}, {three} : i32");
        self.body.line(&line);
        let is_counted = self.body.random.chance(50);
        let axes = self
            .body
            .named("tfx_tensor.const dense<[0, 1]> : tensor<2xi32>");
        let limits = [1, 20, 60, 200];
        let limit = *self.body.random.pick(&limits);
        let (limit, _) = self.float(limit);
        let [result, index, tested, go] = [(); 4].map(|()| self.body.fresh());
        let ty = start.ty();
        self.body.line(&format!(
            "{result}:2 = scf.while ({index} = {zero}, {tested} = {}) : (i32, {ty}) -> (i32, {ty}) {{",
            start.name
        ));
        let (visible, before) = (self.body.values.len(), self.operations);
        if is_counted {
            let line = format!("{go} = arith.cmpi slt, {index}, {bound} : i32");
            self.body.line(&line);
        } else {
            let [sum, less, small, few] = [(); 4].map(|()| self.body.fresh());
            for line in [
                format!(
                    "{sum} = tfx_tensor.op \"Sum\"({tested}, {axes}) : ({ty}, tensor<2xi32>) -> tensor<f32>"
                ),
                format!(
                    "{less} = tfx_tensor.op \"Less\"({sum}, {limit}) : (tensor<f32>, tensor<f32>) -> tensor<i1>"
                ),
                format!("{small} = tfx_tensor.to_scalar {less} : tensor<i1> -> i1"),
                format!("{few} = arith.cmpi slt, {index}, {most} : i32"),
                format!("{go} = arith.andi {small}, {few} : i1"),
            ] {
                self.body.line(&line);
            }
            self.operations += start.elements();
        }
        self.body.line(&format!(
            "scf.condition({go}) {index}, {tested} : i32, {ty}"
        ));
        self.body.line("} do {");
        let [count, carried, next_count] = [(); 3].map(|()| self.body.fresh());
        self.body
            .line(&format!("^bb0({count}: i32, {carried}: {ty}):"));
        let carried = self.made(carried, &start.rows, &start.columns);
        let next = inside(self, &carried);
        let line = format!("{next_count} = arith.addi {count}, {one} : i32");
        self.body.line(&line);
        let line = format!("scf.yield {next_count}, {} : i32, {ty}", next.name);
        self.body.line(&line);
        self.body.line("}");
        self.body.values.truncate(visible);
        self.operations += (MOST_ITERATIONS - 1) * (self.operations - before);
        self.made(format!("{result}#1"), &start.rows, &start.columns)
    }

    /// Writes a loop whose iterations add a gradient to a weight.
    fn trained(&mut self, x: &Table) -> Table {
        let w = self.table(&x.columns, &RESULTS);
        let w = self.repeated(&w, |this, w| {
            let y = this.product(x, w, "");
            let mut y = this.small(&y);
            if this.body.random.chance(50) {
                y = this.centred(&y);
            }
            let gradient = this.product(x, &y, "transpose_a");
            this.combined(w, (&gradient.name, &gradient.ty()))
        });
        let y = self.product(x, &w, "");
        self.small(&y)
    }

    /// Writes a loop whose iterations go through stages on several devices and back, and change a
    /// table on the first device and one on the last.
    fn stages(&mut self, x: &Table) -> Table {
        if x.rows.is_unknown() || x.columns.is_unknown() {
            return self.layer(x);
        }
        let last = 1 + self.body.random.below(3);
        let iterations = 1 + self.body.random.below(5);
        let first = self.table(&x.rows, &x.columns);
        let weights: Vec<Table> = (0..=last).map(|_| self.any_like(x)).collect();
        let bounds = [0, iterations, 1].map(|bound| {
            let constant = format!("arith.constant {bound} : i32");
            self.body.named(&constant)
        });
        let [result, index] = [(); 2].map(|()| self.body.fresh());
        let carried = [(); 2].map(|()| self.body.fresh());
        let ty = x.ty();
        self.body.line(&format!(
            "{result}:2 = scf.for {index} = {} to {} step {} iter_args({} = {}, {} = {}) -> ({ty}, {ty}) : i32 {{",
            bounds[0], bounds[1], bounds[2], carried[0], x.name, carried[1], first.name
        ));
        let (visible, before) = (self.body.values.len(), self.operations);
        let number = self
            .body
            .named(&format!("tfx_tensor.from_scalar {index} : i32"));
        let number = self.op("Cast", &[(&number, "tensor<i32>")], "tensor<f32>");
        let batch = self.op("AddV2", &[(&x.name, &ty), (&number, "tensor<f32>")], &ty);
        let batch = self.made(batch, &x.rows, &x.columns);
        let start = self.small(&batch);
        let mut y = start.clone();
        for (stage, weight) in weights.iter().enumerate().skip(1) {
            y = self.at(stage, &y);
            y = self.combined(&y, (&weight.name, &ty));
        }
        if self.body.random.chance(50) {
            let skip = self.copied(&start.name, [0, last], &ty);
            y = self.combined(&y, (&skip, &ty));
        }
        let [at_first, at_last] = carried.map(|name| self.made(name, &x.rows, &x.columns));
        let at_last = self.combined(&at_last, (&y.name, &ty));
        for stage in (0..last).rev() {
            y = self.at(stage, &y);
            y = self.combined(&y, (&weights[stage].name, &ty));
        }
        let at_first = self.combined(&at_first, (&y.name, &ty));
        self.body.line(&format!(
            "scf.yield {}, {} : {ty}, {ty}",
            at_first.name, at_last.name
        ));
        self.body.line("}");
        self.body.values.truncate(visible);
        self.operations += (iterations - 1) * (self.operations - before);
        let [one, two] = [0, 1].map(|number| format!("{result}#{number}"));
        let one = self.made(one, &x.rows, &x.columns);
        self.combined(&one, (&two, &ty))
    }

    /// Copies a table to the device of the next operations.
    fn at(&mut self, device: usize, table: &Table) -> Table {
        let name = self.copied(&table.name, [self.place, device], &table.ty());
        self.place = device;
        self.made(name, &table.rows, &table.columns)
    }

    /// Returns a table with the same rows and columns.
    fn any_like(&mut self, x: &Table) -> Table {
        let like = |table: &&Table| table.columns == x.columns;
        let others: Vec<_> = self.tables.iter().filter(like).cloned().collect();
        self.body.random.pick(&others).clone()
    }

    /// Writes a loop whose iterations first combine a table with another one, and then compute
    /// other tables, which must not take its memory.
    fn iterated(&mut self, x: &Table) -> Table {
        let w = self.table(&x.columns, &RESULTS);
        let has_known_sizes = !x.rows.is_unknown() && !x.columns.is_unknown();
        if self.body.mix.devices == 0 || !has_known_sizes || self.is_together {
            return self.iterated_here(x, &w);
        }
        // The whole loop is at one device, and is a loop of its schedule there.
        let (here, device) = (self.place, self.body.random.below(DEVICES));
        let [x, w] = [x, &w].map(|table| {
            self.place = here;
            self.at(device, table)
        });
        self.is_together = true;
        let y = self.iterated_here(&x, &w);
        self.is_together = false;
        self.at(here, &y)
    }

    fn iterated_here(&mut self, x: &Table, w: &Table) -> Table {
        let start = self.product(x, w, "");
        let start = self.small(&start);
        let inside = |this: &mut Self, carried: &Table| {
            let product = this.product(x, w, "");
            let mut next = this.combined(carried, (&product.name, &product.ty()));
            for _ in 0..1 + this.body.random.below(3) {
                next = match this.body.random.below(3) {
                    0 => this.centred(&next),
                    // The others use numbers, which may be at another place.
                    _ if this.is_together => this.small(&next),
                    1 => this.of_rows(&next),
                    _ => this.layer_of(&next, RESULTS),
                };
            }
            next
        };
        match self.is_together && self.body.random.chance(DECIDED) {
            true => self.decided(&start, inside),
            false => self.repeated(&start, inside),
        }
    }

    /// Combines a table with another one, which has as many rows or one.
    fn broadcast(&mut self, x: &Table) -> Table {
        let Size::Unknown(rows) = &x.rows else {
            return self.of_rows(x);
        };
        let (truth, one) = (self.body.any(Ty::Truth), self.body.integer(1));
        let number = "tensor<i32>";
        let operands = [(&truth[..], "tensor<i1>"), (&one, number), (rows, number)];
        let rows = Size::Unknown(self.op("SelectV2", &operands, number));
        if self.body.random.chance(50) {
            // The number of rows that are stated is also that of the additions.
            let other = self.equal_elements(&rows, &x.columns);
            let both = self.combined(x, (&other.name, &other.ty()));
            let (sums, ty) = self.reduced_by("Sum", &other, 0);
            return self.combined(&both, (&sums, &ty));
        }
        let other = self.table(&rows, &x.columns);
        match self.body.random.chance(50) {
            true => self.combined(x, (&other.name, &other.ty())),
            false => {
                let ty = x.ty();
                let name = self.op("Sub", &[(&other.name, &other.ty()), (&x.name, &ty)], &ty);
                let both = self.made(name, &x.rows, &x.columns);
                self.small(&both)
            }
        }
    }

    /// Writes reductions of some tables, and prints them. A print ends a part that is compiled.
    fn finish(&mut self) {
        let mut results = Vec::new();
        for _ in 0..1 + self.body.random.below(3) {
            let x = self.any();
            let of = match self.body.random.below(3) {
                0 => {
                    let y = self.any();
                    let gradient = self.product(&x, &y, "transpose_a");
                    self.small(&gradient)
                }
                1 => {
                    let (name, ty) = self.reduced(&x, 0);
                    self.combined(&x, (&name, &ty))
                }
                _ => x,
            };
            let w = self.table(&of.columns, &RESULTS);
            let product = self.product(&of, &w, "");
            let (axis, number) = self.integer(0);
            results.push(self.body.value(
                Ty::Floats,
                &format!(
                    "tfx_tensor.op \"Sum\"({}, {axis}) : ({}, {number}) -> tensor<4xf32>",
                    product.name,
                    product.ty()
                ),
            ));
        }
        for sums in results {
            self.body.show("w", &sums, Ty::Floats);
        }
    }
}
