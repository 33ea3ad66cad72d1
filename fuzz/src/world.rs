//! The foreign functions of random programs, for the reference interpreter; `world.c` has the same
//! functions for compiled code.

use tfx_interpreter::{Bool, Tensor};
use tfx_oracle::{Error, World};

/// The functions in C.
pub const SOURCE: &str = include_str!("world.c");

/// The state of the functions.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    state: u32,
    batches: u32,
}

impl Default for Foreign {
    fn default() -> Self {
        Foreign {
            state: 1,
            batches: 0,
        }
    }
}

impl Foreign {
    fn draw(&mut self, by: u32) -> u32 {
        let sum = self.state.wrapping_add(by);
        self.state = sum.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.state >> 16
    }

    fn batch(&mut self, by: u32) -> Vec<Tensor> {
        let sum = self.batches.wrapping_add(by);
        self.batches = sum.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bits = self.batches;
        let elements = [8, 9, 10, 11].map(|shift| ((bits >> shift) % 100) as i32);
        vec![
            Tensor::from_slice(&[elements.len()], &elements).expect("a list is a vector"),
            Tensor::scalar(((bits >> 16) % 100) as i32),
        ]
    }

    fn turn(&mut self, vector: &[i32]) -> Tensor {
        let values: Vec<_> = vector
            .iter()
            .rev()
            .map(|value| value.wrapping_add((self.draw(0) % 10) as i32))
            .collect();
        Tensor::from_slice(&[values.len()], &values).expect("a list is a vector")
    }
}

impl World for Foreign {
    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        let number = |index: usize| arguments[index].item::<i32>();
        Ok(match name {
            "mix" => {
                let (a, b) = (number(0)? as u32, number(1)? as u32);
                let mixed = a.wrapping_mul(31).wrapping_add(b) % 1000;
                vec![Tensor::scalar(mixed as i32)]
            }
            "next" => {
                let by = number(0)? as u32;
                vec![Tensor::scalar((self.draw(by) % 100) as i32)]
            }
            "decide" => vec![Tensor::scalar(Bool::from(self.draw(0) % 2 == 1))],
            "observe" | "show" => Vec::new(),
            "rewind_batches" => {
                self.batches = number(0)? as u32;
                Vec::new()
            }
            "next_batch" => self.batch(number(0)? as u32),
            "weigh" => {
                let values = arguments[0].values::<f32>()?;
                let sum = values.iter().fold(0.0, |sum: f32, value| sum + value);
                vec![Tensor::scalar(sum)]
            }
            "turn" => {
                vec![self.turn(arguments[0].values::<i32>()?)]
            }
            other => return Err(format!("there is no foreign function '@{other}'").into()),
        })
    }
}
