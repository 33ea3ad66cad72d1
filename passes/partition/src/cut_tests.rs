//! Compares the minimum cut with all choices, on small random functions.
//!
//! Each choice of sides is sliced and placed by the code of the pass, and the costs of its
//! transfers are summed. None may be cheaper than the choice of [`choose`].

use crate::choose::{Choice, Home, choose};
use crate::demand::Demand;
use crate::facts::Facts;
use crate::function::{
    BODY, Def, FOR_BOUNDS, Function, Kind, Marks, OpData, OpId, RegionData, RegionId, Use,
    ValueData, ValueId,
};
use crate::motion::Motion;
use crate::place::deliveries;
use crate::side::Side;
use crate::weight::Weights;
use tfx_oracle::Random;

/// The limit of choices that are tried for one function.
const MOST_CHOICES: usize = 4000;
const FUNCTIONS: usize = 20_000;

#[test]
fn no_choice_is_cheaper() {
    let (mut compared, mut several, mut mixed) = (0, 0, 0);
    for seed in 0..FUNCTIONS {
        let function = Maker::new(seed as u64).function();
        let facts = Facts::of(&function);
        let weights = Weights::of(&function);
        let choice = choose(&function, &facts, &weights);
        let chosen = cost(&function, &facts, &choice, &weights);
        let open = open_values(&function, &facts, &choice);
        let choices: usize = open.iter().map(|(_, homes)| homes.len()).product();
        if choices > MOST_CHOICES || open.len() > 12 {
            continue;
        }
        compared += 1;
        several += usize::from(choices > 1);
        mixed += usize::from(open.iter().any(|(_, homes)| homes.len() == 3));
        for number in 0..choices {
            let mut other = choice.clone();
            let mut rest = number;
            for (value, homes) in &open {
                other.homes[value.index()] = homes[rest % homes.len()];
                rest /= homes.len();
            }
            let cost = cost(&function, &facts, &other, &weights);
            assert!(
                chosen <= cost,
                "function {seed}: {chosen} where {cost} would do, with {:?} for {:?}\n{}",
                other.homes,
                choice.homes,
                text(&function)
            );
        }
    }
    assert!(
        compared > FUNCTIONS / 2 && several > FUNCTIONS / 4 && mixed > FUNCTIONS / 40,
        "{compared} compared, {several} with a choice, {mixed} with a choice among three"
    );
}

/// Prints the function for a failure report.
fn text(function: &Function) -> String {
    let ids = |values: &[ValueId]| -> Vec<u32> { values.iter().map(|value| value.0).collect() };
    let lines = function.op_ids().map(|op| {
        let data = &function[op];
        let operands: Vec<ValueId> = data.operands.iter().map(|operand| operand.value).collect();
        let indent = function[data.region].depth * 2;
        let arguments: Vec<Vec<u32>> = data
            .regions
            .iter()
            .map(|&region| ids(&function[region].arguments))
            .collect();
        format!(
            "{:indent$}{:?} = {:?}{} {:?} regions with {arguments:?}",
            "",
            ids(&data.results),
            data.kind,
            if data.same_bits { "" } else { " rounded" },
            ids(&operands)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the cost of all transfers of a choice.
fn cost(function: &Function, facts: &Facts, choice: &Choice, weights: &Weights) -> u128 {
    let demand = Demand::of(function, facts, choice);
    deliveries(&demand, weights, Motion::default())
        .iter()
        .map(|delivery| delivery.cost)
        .sum()
}

/// Returns the values for which there is a choice, with the choices.
fn open_values(function: &Function, facts: &Facts, choice: &Choice) -> Vec<(ValueId, Vec<Home>)> {
    let mut open = Vec::new();
    for value in function.value_ids() {
        if function.is_pinned(value)
            || facts.is_before_start(function, value)
            || !facts.is_live_value(value)
            || !function[value].transferable
            || facts.is_beyond_graph(function.region_of(value))
        {
            continue;
        }
        let on_host = choice.origins.is_free_on(Side::Host, value);
        let in_graph = choice.origins.is_free_on(Side::Graph, value);
        match (on_host, in_graph) {
            _ if choice.origins.is_decided_once(value) => {
                if !on_host && !in_graph {
                    open.push((value, vec![Home::Host, Home::Graph]));
                }
            }
            (true, true) => {}
            (true, false) => open.push((value, vec![Home::Both, Home::Host])),
            (false, true) => open.push((value, vec![Home::Both, Home::Graph])),
            (false, false) => open.push((value, vec![Home::Both, Home::Host, Home::Graph])),
        }
    }
    open
}

/// Generates random functions: a body with nested control flow over a few slots of one kind of
/// value, which may be a condition anywhere.
struct Maker {
    random: Random,
    function: Function,
    /// The values available in the open regions.
    visible: Vec<ValueId>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Maker {
            random: Random::new(seed),
            function: Function::default(),
            visible: Vec::new(),
        }
    }

    fn function(mut self) -> Function {
        let starts = 1 + self.random.below(2);
        let body = self.region(None, starts);
        assert_eq!(body, BODY);
        // The graph starts at once or later.
        let size = 4 + self.random.below(8);
        self.statements(body, size);
        let results = 1 + self.random.below(2);
        let results: Vec<Use> = (0..results).map(|_| self.any()).collect();
        self.op(body, Kind::End, results, 0);
        self.function
    }

    fn statements(&mut self, region: RegionId, count: usize) {
        for _ in 0..count {
            let depth = self.function[region].depth;
            match self.random.below(if depth < 3 { 16 } else { 10 }) {
                0..3 => self.plain(region, Kind::Graph),
                3..5 => self.plain(region, Kind::Host),
                5..10 => self.plain(region, Kind::Flexible),
                10..13 => self.branch(region, Kind::If, 2),
                13 => self.branch(region, Kind::Switch, 3),
                14 => self.count(region),
                _ => self.repeat(region),
            }
        }
    }

    fn plain(&mut self, region: RegionId, kind: Kind) {
        let operands = self.random.below(3);
        let operands: Vec<Use> = (0..operands).map(|_| self.any()).collect();
        // A print has no result.
        let results = usize::from(kind != Kind::Host || self.random.below(2) == 0);
        let op = self.op(region, kind, operands, results);
        if kind == Kind::Host {
            self.function.ops[op.index()].pure = false;
        }
    }

    fn branch(&mut self, region: RegionId, kind: Kind, arms: usize) {
        let condition = self.any();
        let op = self.op(region, kind, vec![condition], 0);
        let results = self.random.below(2);
        let mut aborted = false;
        for _ in 0..arms {
            let (arm, outside) = self.open(op, 0);
            let size = self.random.below(3);
            self.statements(arm, size);
            // At most one arm: a branch whose arms all abort would abort the region around it.
            if !aborted && self.random.below(6) == 0 {
                aborted = true;
                self.op(arm, Kind::Abort, Vec::new(), 0);
                self.function.regions[arm.index()].aborts = true;
            }
            self.close(arm, results, 0, outside);
        }
        self.results(op, results);
    }

    fn count(&mut self, region: RegionId) {
        let slots = self.random.below(2);
        let operands = (0..FOR_BOUNDS + slots).map(|_| self.any()).collect();
        let op = self.op(region, Kind::For, operands, 0);
        self.function.ops[op.index()].trips = [None, Some(2), Some(100)][self.random.below(3)];
        let (body, outside) = self.open(op, 1 + slots);
        let size = self.random.below(4);
        self.statements(body, size);
        self.close(body, slots, 0, outside);
        self.results(op, slots);
    }

    fn repeat(&mut self, region: RegionId) {
        let (carried, kept) = (self.random.below(3), self.random.below(3));
        let operands = (0..carried).map(|_| self.any()).collect();
        let op = self.op(region, Kind::While, operands, 0);
        let (before, outside) = self.open(op, carried);
        let size = self.random.below(3);
        self.statements(before, size);
        self.close(before, kept, 1, outside);
        let (after, outside) = self.open(op, kept);
        let size = self.random.below(3);
        self.statements(after, size);
        self.close(after, carried, 0, outside);
        self.results(op, kept);
    }

    fn open(&mut self, owner: OpId, arguments: usize) -> (RegionId, usize) {
        let outside = self.visible.len();
        let region = self.region(Some(owner), arguments);
        self.function.ops[owner.index()].regions.push(region);
        (region, outside)
    }

    fn close(&mut self, region: RegionId, slots: usize, deciding: usize, outside: usize) {
        let operands = (0..deciding + slots).map(|_| self.any()).collect();
        self.op(region, Kind::End, operands, 0);
        self.visible.truncate(outside);
    }

    fn region(&mut self, owner: Option<OpId>, arguments: usize) -> RegionId {
        let region = RegionId::new(self.function.regions.len());
        let depth = owner.map_or(0, |op| self.function[self.function[op].region].depth + 1);
        self.function.regions.push(RegionData {
            owner,
            arguments: Vec::new(),
            ops: Vec::new(),
            depth,
            aborts: false,
        });
        for index in 0..arguments {
            let value = self.value(Def::Argument(region, index));
            self.function.regions[region.index()].arguments.push(value);
        }
        region
    }

    fn op(&mut self, region: RegionId, kind: Kind, operands: Vec<Use>, results: usize) -> OpId {
        let op = OpId::new(self.function.ops.len());
        let same_bits = kind != Kind::Flexible || self.random.below(8) > 0;
        self.function.ops.push(OpData {
            kind,
            pure: true,
            operands,
            results: Vec::new(),
            regions: Vec::new(),
            region,
            index: self.function[region].ops.len(),
            same_bits,
            speculatable: true,
            trips: None,
        });
        self.function.regions[region.index()].ops.push(op);
        self.results(op, results);
        op
    }

    fn results(&mut self, op: OpId, count: usize) {
        for index in 0..count {
            let value = self.value(Def::Result(op, index));
            self.function.ops[op.index()].results.push(value);
        }
    }

    fn value(&mut self, def: Def) -> ValueId {
        let value = ValueId::new(self.function.values.len());
        let bytes = [1, 4, 4, 400][self.random.below(4)];
        self.function.values.push(ValueData {
            def,
            transferable: true,
            graph_only: false,
            stays: false,
            made: false,
            bytes,
        });
        self.visible.push(value);
        value
    }

    /// Picks an available value, later definitions more often.
    fn any(&mut self) -> Use {
        let count = self.visible.len();
        let back = self.random.below(count).min(self.random.below(count));
        Use {
            value: self.visible[count - 1 - back],
            marks: Marks::default(),
        }
    }
}
