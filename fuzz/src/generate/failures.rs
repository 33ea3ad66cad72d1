//! Graphs that fail, and graphs that only their host ends, with messages whose order must not
//! change.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    /// Writes a division of the graph that may fail, between prints of the graph's values.
    pub(super) fn divided(&mut self) {
        let (vector, shown) = (self.any(Ty::Vector), self.any(Ty::Vector));
        let axis = self.axis();
        let [dividend, divisor] = ["Sum", "Max"].map(|name| {
            let tensor = self.op(
                name,
                &[(&vector, Ty::Vector), (&axis, Ty::Number)],
                Ty::Number,
            );
            self.scalar_of(&tensor, Ty::I32)
        });
        let mask = *self.random.pick(&[1, 3, 7]);
        let mask = self.value(Ty::I32, &format!("arith.constant {mask} : i32"));
        let low = self.value(Ty::I32, &format!("arith.andi {divisor}, {mask} : i32"));
        let shown = self.op(
            "Maximum",
            &[(&vector, Ty::Vector), (&shown, Ty::Vector)],
            Ty::Vector,
        );
        if self.random.chance(60) {
            self.show("b", &shown, Ty::Vector);
        }
        let name = *self.random.pick(&["divsi", "divui", "remsi", "ceildivsi"]);
        let quotient = self.value(Ty::I32, &format!("arith.{name} {dividend}, {low} : i32"));
        // The quotient is always printed, because an unused quotient need not be computed.
        if self.random.chance(50) {
            return self.show("c", &quotient, Ty::I32);
        }
        let tensor = self.tensor_of(&quotient);
        let sum = self.combined("AddV2", &shown, &tensor);
        self.show("a", &sum, Ty::Vector);
    }

    /// Writes a message to the graph and its answer, followed by a loop that only the host can end.
    pub(super) fn endless(&mut self) {
        if self.depth > 0 {
            return self.tensor();
        }
        let (number, vector) = (self.any(Ty::I32), self.any(Ty::Vector));
        let given = self.called("next", &[(&number, Ty::I32)], Ty::I32);
        let tensor = self.tensor_of(&given);
        let answer = self.combined("Mul", &vector, &tensor);
        self.show("w", &answer, Ty::Vector);
        let go = self.any(Ty::I1);
        let [result, carried, inside, next, decided] = [(); 5].map(|()| self.fresh());
        self.lines([
            format!(
                "{result} = scf.while ({carried} = {vector}) : (tensor<4xi32>) -> tensor<4xi32> {{"
            ),
            format!("scf.condition({go}) {carried} : tensor<4xi32>"),
            "} do {".to_owned(),
            format!("^bb0({inside}: tensor<4xi32>):"),
            format!("{decided} = func.call @decide() : () -> i1"),
            format!(
                "tfx_host.assert {decided}, \"decided {{}}\"({inside} : tensor<4xi32>)"
            ),
            format!(
                "{next} = tfx_tensor.op \"Sub\"({vector}, {inside}) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"
            ),
            format!("scf.yield {next} : tensor<4xi32>"),
            "}".to_owned(),
        ]);
        self.values.push((result, Ty::Vector));
    }
}
