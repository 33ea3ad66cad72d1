//! Graphs that fail, and graphs that only their host ends, with messages whose order must not
//! change.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    /// Writes a division of the graph that may fail, between prints of the graph's values.
    pub(super) fn divided(&mut self) {
        let (vector, shown) = (self.any(Ty::Vector), self.any(Ty::Vector));
        let axis = self.value(Ty::Number, "tfx_tensor.const dense<0> : tensor<i32>");
        let [dividend, divisor] = ["Sum", "Max"].map(|name| {
            let tensor = self.value(Ty::Number, &format!(
                "tfx_tensor.op \"{name}\"({vector}, {axis}) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>"
            ));
            self.value(
                Ty::I32,
                &format!("tfx_tensor.to_scalar {tensor} : tensor<i32> -> i32"),
            )
        });
        let mask = *self.random.pick(&[1, 3, 7]);
        let mask = self.value(Ty::I32, &format!("arith.constant {mask} : i32"));
        let low = self.value(Ty::I32, &format!("arith.andi {divisor}, {mask} : i32"));
        let shown = self.value(Ty::Vector, &format!(
            "tfx_tensor.op \"Maximum\"({vector}, {shown}) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"
        ));
        if self.random.chance(60) {
            self.line(&format!(
                "tfx_host.print \"b {{}}\"({shown}) : tensor<4xi32>"
            ));
        }
        let name = *self.random.pick(&["divsi", "divui", "remsi", "ceildivsi"]);
        let quotient = self.value(Ty::I32, &format!("arith.{name} {dividend}, {low} : i32"));
        // The quotient is always printed, because an unused quotient need not be computed.
        if self.random.chance(50) {
            return self.line(&format!("tfx_host.print \"c {{}}\"({quotient}) : i32"));
        }
        let tensor = self.value(
            Ty::Number,
            &format!("tfx_tensor.from_scalar {quotient} : i32"),
        );
        let sum = self.value(Ty::Vector, &format!(
            "tfx_tensor.op \"AddV2\"({shown}, {tensor}) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>"
        ));
        self.line(&format!("tfx_host.print \"a {{}}\"({sum}) : tensor<4xi32>"));
    }

    /// Writes a message to the graph and its answer, followed by a loop that only the host can end.
    pub(super) fn endless(&mut self) {
        if self.depth > 0 {
            return self.tensor();
        }
        let (number, vector) = (self.any(Ty::I32), self.any(Ty::Vector));
        let given = self.value(
            Ty::I32,
            &format!("func.call @next({number}) : (i32) -> i32"),
        );
        let tensor = self.value(Ty::Number, &format!("tfx_tensor.from_scalar {given} : i32"));
        let answer = self.value(Ty::Vector, &format!(
            "tfx_tensor.op \"Mul\"({vector}, {tensor}) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>"
        ));
        self.line(&format!(
            "tfx_host.print \"w {{}}\"({answer}) : tensor<4xi32>"
        ));
        let go = self.any(Ty::I1);
        let [result, carried, inside, next, decided] = [(); 5].map(|()| self.fresh());
        for line in [
            format!(
                "{result} = scf.while ({carried} = {vector}) : (tensor<4xi32>) -> tensor<4xi32> {{"
            ),
            format!("scf.condition({go}) {carried} : tensor<4xi32>"),
            "} do {".to_owned(),
            format!("^bb0({inside}: tensor<4xi32>):"),
            format!("{decided} = func.call @decide() : () -> i1"),
            format!("tfx_host.assert {decided}, \"decided\""),
            format!(
                "{next} = tfx_tensor.op \"Sub\"({vector}, {inside}) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"
            ),
            format!("scf.yield {next} : tensor<4xi32>"),
            "}".to_owned(),
        ] {
            self.line(&line);
        }
        self.values.push((result, Ty::Vector));
    }
}
