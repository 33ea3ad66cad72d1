//! The programs that apply an operation to the operands of an example.
//!
//! ```text
//!   "2x3 1..2", "i32 = 1", attributes ──► func @f(%a0: tensor<2x3xf64>) { op }          Typing::Static
//!                                         func @f(%a0: tensor<*xf64>, %a1: i32) { op }  Typing::Dynamic
//!                                         the same, in a loop of %n iterations          Typing::Loop
//!
//!   func @g(%a0, %u)        the pullback of @f at %a0, applied to %u
//!   func @h(%a0, %u, %v)    the pullback of @g
//!   func @t(%a0, %ta0)      the tangents of the results of @f
//! ```

use crate::example::{Operand, Output};

/// The way in which a program applies an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    /// With static shapes; operands that are not floats are constants.
    Static,
    /// With unknown ranks; all operands are parameters.
    Dynamic,
    /// Like `Dynamic`, in a loop whose number of iterations is a parameter.
    Loop,
}

/// The number of derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    First,
    Second,
}

/// A parameter or a result of a function.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) element: String,
    pub(crate) sizes: Vec<usize>,
    /// The type in the program.
    pub(crate) ty: String,
}

/// A function whose derivative is judged, and the pullback.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) function: &'static str,
    pub(crate) pullback: &'static str,
    pub(crate) results: Vec<Slot>,
    /// The positions of the parameters with a derivative.
    pub(crate) wrt: Vec<usize>,
}

/// The programs of an example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programs<'e> {
    pub(crate) op: &'e str,
    pub(crate) attributes: &'e str,
    pub(crate) operands: &'e [Operand],
    pub(crate) results: &'e [Output],
    pub(crate) typing: Typing,
}

impl Programs<'_> {
    fn is_parameter(&self, operand: &Operand) -> bool {
        self.typing != Typing::Static || operand.is_float()
    }

    fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.results.iter().filter(|result| result.is_float())
    }

    /// Returns the operands that are parameters of the functions.
    pub(crate) fn parameters(&self) -> Vec<Operand> {
        let operands = self.operands.iter();
        let mut all: Vec<_> = operands
            .filter(|one| self.is_parameter(one))
            .cloned()
            .collect();
        if self.typing == Typing::Loop {
            all.push(Operand {
                element: "i64".to_owned(),
                sizes: None,
                values: vec![3.0],
                is_constant: true,
                is_scaled: false,
            });
            all.extend(self.outputs().map(|output| {
                let count = output.sizes.iter().flatten().product();
                Operand {
                    element: output.element.clone(),
                    sizes: output.sizes.clone(),
                    values: vec![0.0; count],
                    is_constant: true,
                    is_scaled: false,
                }
            }));
        }
        all
    }

    /// Returns the positions of the parameters with a derivative.
    pub(crate) fn wrt(&self) -> Vec<usize> {
        let operands = self.operands.iter().filter(|one| self.is_parameter(one));
        let floats = operands
            .enumerate()
            .filter(|(_, operand)| operand.is_float());
        floats.map(|(position, _)| position).collect()
    }

    /// Returns a module with the functions of the diagram that judge derivatives of an order.
    pub(crate) fn text(&self, order: Order) -> String {
        let parameters: Vec<_> = self
            .parameters()
            .iter()
            .map(|one| one.ty(self.shapes()))
            .collect();
        let [first, second] = [Order::First, Order::Second].map(|order| self.judged(order));
        let types = |judged: &Judged| -> Vec<_> {
            judged.results.iter().map(|slot| slot.ty.clone()).collect()
        };
        let (of_f, of_g) = (types(&first), types(&second));
        let both = [&parameters[..], &of_f].concat();
        let g = pullback(("g", "f"), &parameters, &of_f, &first.wrt);
        let other = match order {
            Order::First => tangents(&parameters, &of_f, &first.wrt),
            Order::Second => pullback(("h", "g"), &both, &of_g, &second.wrt),
        };
        format!("{}{g}{other}", self.function())
    }

    /// Returns what is judged of a derivative.
    pub(crate) fn judged(&self, order: Order) -> Judged {
        let parameters = self.parameters();
        let outputs = self.outputs().map(|output| Slot {
            element: output.element.clone(),
            sizes: output.sizes.clone().unwrap_or_default(),
            ty: output.ty(self.shapes()),
        });
        let (outputs, mut wrt): (Vec<_>, _) = (outputs.collect(), self.wrt());
        if order == Order::First {
            return Judged {
                function: "f",
                pullback: "g",
                results: outputs,
                wrt,
            };
        }
        let tangents = wrt.iter().map(|&position| Slot {
            element: parameters[position].element.clone(),
            sizes: parameters[position].sizes.clone().unwrap_or_default(),
            ty: parameters[position].ty(self.shapes()),
        });
        let results = tangents.collect();
        wrt.extend(parameters.len()..parameters.len() + outputs.len());
        Judged {
            function: "g",
            pullback: "h",
            results,
            wrt,
        }
    }

    /// Returns how types are written. Operations of MLIR's dialects have static types.
    fn shapes(&self) -> Typing {
        match self.op.contains('.') {
            true => Typing::Static,
            false => self.typing,
        }
    }

    fn function(&self) -> String {
        let parameters = self.parameters();
        let declared = parameters.iter().enumerate();
        let declared = declared.map(|(index, one)| format!("%p{index}: {}", one.ty(self.shapes())));
        let declared: Vec<_> = declared.collect();
        let results: Vec<_> = self.outputs().map(|one| one.ty(self.shapes())).collect();
        let results = results.join(", ");
        let mut body = String::new();
        let mut names = Vec::new();
        let mut next = 0;
        for (index, operand) in self.operands.iter().enumerate() {
            let parameter = format!("%p{next}");
            let name = format!("%a{index}");
            if self.is_parameter(operand) {
                next += 1;
            }
            let definition = match self.is_parameter(operand) {
                true => self.scaled(operand, &parameter),
                false => Some(operand.constant()),
            };
            names.push(match definition {
                Some(definition) => {
                    body += &format!("  {name} = {definition}\n");
                    name
                }
                None => parameter,
            });
        }
        body += &format!("  {}\n", self.application(&names));
        let found: Vec<_> = self.floats().collect();
        let body = match self.typing {
            Typing::Loop => self.looped(&body, parameters.len() - found.len() - 1),
            _ => format!("{body}  return {} : {results}\n", found.join(", ")),
        };
        format!(
            "func.func private @f({}) -> ({results}) {{\n{body}}}\n",
            declared.join(", ")
        )
    }

    /// Returns the names of the float results of the operation.
    fn floats(&self) -> impl Iterator<Item = String> {
        let results = self.results.iter().enumerate();
        let floats = results.filter(|(_, result)| result.is_float());
        floats.map(|(index, _)| format!("%r#{index}"))
    }

    /// Returns the scaled value of a parameter in a loop; none for the parameter itself.
    fn scaled(&self, operand: &Operand, parameter: &str) -> Option<String> {
        let ty = operand.ty(self.shapes());
        if self.typing != Typing::Loop || !operand.is_scaled {
            return None;
        }
        Some(match operand.sizes {
            Some(_) => {
                format!("tfx_tensor.op \"Mul\"({parameter}, %ct) : ({ty}, tensor<f64>) -> {ty}")
            }
            None => format!("arith.mulf {parameter}, %c : {ty}"),
        })
    }

    fn application(&self, operands: &[String]) -> String {
        let types: Vec<_> = self
            .operands
            .iter()
            .map(|operand| operand.ty(self.shapes()))
            .collect();
        let results: Vec<_> = self
            .results
            .iter()
            .map(|one| one.ty(self.shapes()))
            .collect();
        let mnemonic = if self.op.contains('.') {
            ""
        } else {
            "tfx_tensor.op "
        };
        format!(
            "%r:{} = {mnemonic}\"{}\"({}) {} : ({}) -> ({})",
            self.results.len(),
            self.op,
            operands.join(", "),
            self.attributes,
            types.join(", "),
            results.join(", ")
        )
    }

    /// Returns the blocks of a loop with the given body, which sums the results of the iterations.
    fn looped(&self, body: &str, count: usize) -> String {
        let types: Vec<_> = self.outputs().map(|one| one.ty(self.shapes())).collect();
        let list = |name: &str| -> Vec<_> {
            (0..types.len())
                .map(|index| format!("%{name}{index}"))
                .collect()
        };
        let first: Vec<_> = (0..types.len())
            .map(|index| format!("%p{}", count + 1 + index))
            .collect();
        let declared = list("s").into_iter().zip(&types);
        let declared: String = declared
            .map(|(name, ty)| format!(", {name}: {ty}"))
            .collect();
        let sums = self.outputs().zip(self.floats()).enumerate();
        let sums: String = sums
            .map(|(index, (output, result))| {
                let ty = output.ty(self.shapes());
                match output.sizes {
                    Some(_) => format!(
                        "  %n{index} = tfx_tensor.op \"AddV2\"(%s{index}, {result}) : ({ty}, {ty}) -> {ty}\n"
                    ),
                    None => format!("  %n{index} = arith.addf %s{index}, {result} : {ty}\n"),
                }
            })
            .collect();
        let of = |values: &[String]| {
            let values: String = values.iter().map(|value| format!(", {value}")).collect();
            let types: String = types.iter().map(|ty| format!(", {ty}")).collect();
            (values, types)
        };
        let ((first, all), (next, _)) = (of(&first), of(&list("n")));
        let (sum, types) = (list("s").join(", "), types.join(", "));
        format!(
            "  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n\
             \x20 %unit = arith.constant 1.0 : f64\n  %less = arith.constant 0.97 : f64\n\
             \x20 cf.br ^head(%zero, %unit{first} : i64, f64{all})\n\
             ^head(%i: i64, %c: f64{declared}):\n\
             \x20 %more = arith.cmpi slt, %i, %p{count} : i64\n\
             \x20 cf.cond_br %more, ^body, ^done\n\
             ^body:\n\
             \x20 %ct = tfx_tensor.from_scalar %c : f64\n\
             {body}{sums}\
             \x20 %j = arith.addi %i, %one : i64\n\
             \x20 %d = arith.mulf %c, %less : f64\n\
             \x20 cf.br ^head(%j, %d{next} : i64, f64{all})\n\
             ^done:\n  return {sum} : {types}\n"
        )
    }
}

/// Returns the function `name`, which applies the pullback of `callee` at its parameters to the
/// cotangents of the results.
fn pullback(
    (name, callee): (&str, &str),
    parameters: &[String],
    results: &[String],
    wrt: &[usize],
) -> String {
    let values = |prefix: &str, count: usize| -> Vec<_> {
        (0..count)
            .map(|index| format!("%{prefix}{index}"))
            .collect()
    };
    let (names, seeds) = (values("p", parameters.len()), values("u", results.len()));
    let declared = names
        .iter()
        .zip(parameters)
        .chain(seeds.iter().zip(results));
    let declared: Vec<_> = declared.map(|(name, ty)| format!("{name}: {ty}")).collect();
    let positions: Vec<_> = wrt.iter().map(usize::to_string).collect();
    let tangents: Vec<_> = wrt.iter().map(|&index| parameters[index].clone()).collect();
    let tangents = tangents.join(", ");
    let closure = format!(
        "!tfx_host.closure<({}) -> ({tangents})>",
        results.join(", ")
    );
    let found: Vec<_> = (0..wrt.len()).map(|index| format!("%d#{index}")).collect();
    format!(
        "func.func private @{name}({}) -> ({tangents}) {{\n\
         \x20 %r:{} = tfx_ad.vjp @{callee}({}) wrt [{}] : ({}) -> ({}, {closure})\n\
         \x20 %d:{} = tfx_host.apply %r#{}({}) : {closure}\n\
         \x20 return {} : {tangents}\n}}\n",
        declared.join(", "),
        results.len() + 1,
        names.join(", "),
        positions.join(", "),
        parameters.join(", "),
        results.join(", "),
        wrt.len(),
        results.len(),
        seeds.join(", "),
        found.join(", ")
    )
}

/// Returns the function `t`, which applies the forward derivative of `f`.
fn tangents(parameters: &[String], results: &[String], wrt: &[usize]) -> String {
    let names: Vec<_> = (0..parameters.len())
        .map(|index| format!("%p{index}"))
        .collect();
    let given: Vec<_> = wrt.iter().map(|index| format!("%t{index}")).collect();
    let types: Vec<_> = wrt.iter().map(|&index| parameters[index].clone()).collect();
    let declared = names.iter().zip(parameters).chain(given.iter().zip(&types));
    let declared: Vec<_> = declared.map(|(name, ty)| format!("{name}: {ty}")).collect();
    let positions: Vec<_> = wrt.iter().map(usize::to_string).collect();
    let count = results.len();
    let found: Vec<_> = (count..2 * count)
        .map(|index| format!("%r#{index}"))
        .collect();
    let (results, found) = (results.join(", "), found.join(", "));
    format!(
        "func.func private @t({}) -> ({results}) {{\n\
         \x20 %r:{} = tfx_ad.jvp @f({}) tangents({} : {}) wrt [{}] : ({}) -> ({results}, {results})\n\
         \x20 return {found} : {results}\n}}\n",
        declared.join(", "),
        2 * count,
        names.join(", "),
        given.join(", "),
        types.join(", "),
        positions.join(", "),
        parameters.join(", ")
    )
}
