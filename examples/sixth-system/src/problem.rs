//! The system: from settings to a problem that runs.

use saddlescope::analysis::scaling::Law;
use saddlescope_cli::prelude::*;

use crate::settings::{Aligned, Network, Random, SCHEMA, Start};
use crate::theory::levels;
use crate::{Mode, ModeLaws, TwoLayers, saddles};

/// The system `linear-network`.
#[derive(Debug, Clone, Copy)]
pub struct LinearNetwork;

case_kinds! {
    learning_time(singular_value, strength, part, tau) -> (time) = learning_time,
        "when a mode has learned a part of its singular value";
}

fn learning_time(case: &mut Case<'_>) -> Result<(), CaseError> {
    let tau = case.number_or("tau", 1.0)?;
    let mode = Mode { singular: case.positive("singular_value")?, tau };
    let part = case.positive("part")?;
    case.ensure(part < 1.0, "part", "a number below 1")?;
    case.set("time", mode.time(case.positive("strength")?, part));
    Ok(())
}

impl System for LinearNetwork {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        let network: Network = system.read();
        let (d, h) = (network.singular_values.len() as u64, network.hidden as u64);
        8 * (40 * d * h + 4 * d * d)
    }

    fn problem(&self, system: &Settings, start: &Settings, seed: u64) -> Result<Problem> {
        let Network { singular_values: singular, hidden, tau } = system.read();
        let message = format!("are {singular:?}, expected in falling order");
        system.ensure(singular.is_sorted_by(|a, b| a >= b), "singular_values", message)?;
        let network = TwoLayers::new(&singular, hidden, tau);
        let modes = singular.len().min(network.hidden);
        let init = match start.read() {
            Start::Random(Random { scale }) => {
                let mut weights = vec![0.0; network.blocks().len()];
                Stream::new(seed, Purpose::Start, 0).fill_normal(&mut weights);
                weights.iter_mut().for_each(|w| *w *= scale);
                weights
            }
            Start::Aligned(Aligned { strength }) => {
                ModeLaws::new(&network, tau).lift(&vec![strength; modes])
            }
        };
        let levels = levels(&singular, modes);
        Ok(Problem::new(Loss::exact_specialised(network.clone()), init)
            .of(Model { network, tau })
            .least_loss(levels.last().copied())
            .levels(levels)
            .observables(Model::observables)
            .outcomes(["modes.learned", "order"], Model::outcomes)
            .scalings(Model::scalings)
            .invariants(Model::invariants)
            .theories(Model::theories)
            .symmetry(Model::symmetry)
            .symmetry_directions(|model, state| saddles::symmetries(&model.network, state))
            .saddles(
                |model| saddles::list(&model.network),
                |model, state| saddles::nearest(&model.network, state),
            )
            .build())
    }

    fn figure(&self, _system: &Settings) -> FigureSpec {
        let loss = PanelSpec::over_time(&["loss"]).beside(&["levels"]).titled("(a) loss");
        let modes = PanelSpec::over_time(&["learned.*"]).titled("(b) modes");
        FigureSpec::new(2, vec![loss, modes])
    }

    fn sketch(&self, system: &Settings, _seed: u64) -> Sketch {
        let count = system.read::<Network>().singular_values.len();
        let row = |label: &str, role: usize, word: &dyn Fn(usize) -> String| TokenRow {
            label: label.to_owned(),
            tokens: (1..=count).map(|d| Token::new(word(d), role, 0)).collect(),
            groups: Vec::new(),
        };
        Sketch {
            roles: vec![
                TokenRole::new("given", TokenShape::Box),
                TokenRole::new("wanted", TokenShape::Round),
            ],
            rows: vec![
                row("input", 0, &|d| format!("$x_{{{d}}}$")),
                row("output", 1, &|d| format!("$s_{{{d}}} x_{{{d}}}$")),
            ],
        }
    }
}

/// Entry `d` of the map's diagonal, as a part of `s_d`.
fn learned(network: &TwoLayers, state: &[f64], d: usize) -> f64 {
    network.entry(state, d, d) / network.singular[d]
}

/// A network with all its settings.
struct Model {
    network: TwoLayers,
    tau: f64,
}

impl Model {
    /// The built-in ones, and `learned.d`: entry `d` of the map's diagonal, as a part of `s_d`.
    fn observables(&self, mut all: Observables) -> Observables {
        for d in 0..self.network.singular.len() {
            let network = self.network.clone();
            all = all.with(Observable::scalar(format!("learned.{d}"), move |moment| {
                learned(&network, moment.state, d)
            }));
        }
        all
    }

    /// `modes.learned`: how many modes end above half of their singular value; `order`: which of them came
    /// there first, where `learned.*` is recorded.
    fn outcomes(&self, seen: RunData<'_>) -> Vec<Outcome> {
        let mut said = Vec::new();
        let width = self.network.singular.len();
        if !seen.state.is_empty() {
            let known = |d: &usize| learned(&self.network, seen.state, *d) >= 0.5;
            said.push(Outcome::new("modes.learned", (0..width).filter(known).count() as f64));
        }
        let half = |d: usize| {
            let part = seen.trajectory.get(&format!("learned.{d}"))?.data();
            part.iter().position(|&part| part >= 0.5).map(|row| (row, d + 1))
        };
        let mut order: Vec<(usize, usize)> = (0..width).filter_map(half).collect();
        order.sort_unstable();
        if !order.is_empty() {
            let words: Vec<String> = order.iter().map(|(_, mode)| mode.to_string()).collect();
            said.push(Outcome::new("order", words.join("-")));
        }
        said
    }

    /// The time of the first jump is `(tau/2s) ln(1/a)` and a constant, for small `a`.
    fn scalings(&self) -> Vec<Scaling> {
        let slope = -self.tau / (2.0 * self.network.singular[0]);
        let (names, source) = (("start.strength", "crossing.1"), "Saxe et al., Eq. (7)");
        vec![Scaling::new(names, (Law::Log, slope), source, "as the start shrinks")]
    }

    fn invariants(&self) -> Vec<Invariant> {
        let h = self.network.hidden;
        let invariant = |(i, k): (usize, usize)| {
            let network = self.network.clone();
            Invariant::new(format!("balance.{i}.{k}"), move |state| {
                network.imbalance(state)[i * h + k]
            })
        };
        (0..h).flat_map(|i| (i..h).map(move |k| (i, k))).map(invariant).collect()
    }

    fn theories(&self) -> Theories<'static> {
        Theories::none().with(ModeLaws::NAME, ModeLaws::new(&self.network, self.tau))
    }

    /// Hidden units change places, and each may change the sign of its weights in and out.
    fn symmetry(&self) -> Symmetry {
        let (d, h) = (self.network.singular.len(), self.network.hidden);
        let unit = |k: usize| -> Vec<usize> {
            let outside = (0..d).map(|i| self.network.split() + i * h + k);
            (k * d..(k + 1) * d).chain(outside).collect()
        };
        let mut symmetry = Symmetry::none();
        for k in 0..h {
            let weights: Vec<_> = unit(k).into_iter().map(|index| index..index + 1).collect();
            symmetry = symmetry.flipping(&weights);
        }
        symmetry.exchanging((0..h).map(unit).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_and_flipped_units_are_the_same_network() {
        let network = TwoLayers::new(&[2.0, 1.0], 2, 1.0);
        let model = Model { network, tau: 1.0 };
        // Units (1, 2 | 3, 4) and (5, 6 | 7, 8), with W2 by rows; then exchanged, the first one flipped.
        let one = [1.0, 2.0, 5.0, 6.0, 3.0, 7.0, 4.0, 8.0];
        let other = [5.0, 6.0, -1.0, -2.0, 7.0, -3.0, 8.0, -4.0];
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!(model.network.entry(&one, i, j), model.network.entry(&other, i, j));
        }
        assert_eq!(model.symmetry().distance(&one, &other), 0.0);
    }
}
