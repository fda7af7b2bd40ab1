//! The smallest useful system: a product of weights that learns a number. Flow, training, stages and saddles work on it.

use saddlescope_cli::prelude::*;

settings! {
    /// The model.
    pub struct Model { depth: usize [2..=64] = 3, "weights in the product"; target: f64 = 1.0, "the number to learn"; }
}

settings! {
    /// The initial weights.
    pub struct Init { scale: f64 [> 0.0] = 0.05, "every weight"; }
}

static SCHEMA: SystemSchema = SystemSchema {
    name: "product",
    about: "A product of weights learns a number: the deeper, the longer the plateau.",
    system: Section::plain("system", "The model.", Model::PARAMETERS),
    start: Section::plain("start", "The initial weights.", Init::PARAMETERS),
    ..SystemSchema::EMPTY
};

impl Formula for Model {
    fn loss<T: Real>(&self, w: &[T]) -> Result<T, Fault> {
        let error = w.iter().fold(T::constant(1.0), |all, &w| all * w) - T::constant(self.target);
        Ok(T::constant(0.5) * error * error)
    }
}

struct Product;

impl System for Product {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn problem(&self, system: &Settings, start: &Settings, _: u64) -> Result<Problem> {
        let (model, init): (Model, Init) = (system.read(), start.read());
        let weights = vec![init.scale; model.depth];
        let blocks = Blocks::new().with("w", &[model.depth], 1.0);
        Ok(Problem::new(Loss::exact(Differentiated::new(blocks, model)), weights))
    }
}

fn main() -> std::process::ExitCode {
    main_with(Addition { systems: &[&Product], papers: &[] })
}
