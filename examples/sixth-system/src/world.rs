//! The system behind its declaration: settings to a world that runs.

use std::collections::BTreeMap;

use saddlescope::analysis::scaling::Law;
use saddlescope::claim::Claim;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::{FigureSpec, PanelSpec};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::outcome::Outcome;
use saddlescope::prediction::{Scaling, Seen};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::sketch::{Sketch, Token, TokenRole, TokenRow, TokenShape};
use saddlescope::surface::Surface;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, KnownSaddle, System, World};
use saddlescope::theory::{ReducedTheory, Theories};
use saddlescope::{Blocks, Landscape};

use crate::claims::{CLAIMS, balance};
use crate::declaration::SCHEMA;
use crate::theory::levels;
use crate::{Mode, ModeLaws, TwoLayers, saddles};

/// The system `linear-network`.
#[derive(Debug, Clone, Copy)]
pub struct LinearNetwork;

const KINDS: &[CaseKind] = &[CaseKind {
    name: "learning_time",
    about: "when a mode has learned a part of its singular value",
    inputs: &["singular_value", "strength", "part", "tau"],
    values: &["time"],
}];

impl System for LinearNetwork {
    fn schema(&self) -> &'static SystemSchema {
        &SCHEMA
    }

    fn bytes(&self, system: &Settings) -> u64 {
        let (d, h) =
            (system.numbers("singular_values").len() as u64, system.count("hidden") as u64);
        8 * (40 * d * h + 4 * d * d)
    }

    fn prepare(
        &self,
        system: &Settings,
        start: &Settings,
        seed: u64,
    ) -> Result<Box<dyn World>, SettingsError> {
        let singular = system.numbers("singular_values");
        if !singular.is_sorted_by(|a, b| a >= b) {
            let message = format!("are {singular:?}, expected in falling order");
            return Err(system.wrong("singular_values", message));
        }
        let tau = system.number("tau");
        let network = TwoLayers::new(singular, system.count("hidden"), tau);
        let weights = match start.kind() {
            Some("random") => {
                let mut weights = vec![0.0; network.blocks().len()];
                Stream::new(seed, Purpose::Start, 0).fill_normal(&mut weights);
                weights.iter_mut().for_each(|w| *w *= start.number("scale"));
                weights
            }
            _ => {
                let modes = singular.len().min(network.hidden());
                ModeLaws::new(&network, tau).lift(&vec![start.number("strength"); modes])
            }
        };
        Ok(Box::new(Prepared { network, start: weights, tau }))
    }

    fn claims(&self) -> &'static [Claim] {
        CLAIMS
    }

    fn authors(&self) -> &'static [&'static str] {
        &["Saxe, Andrew M.", "McClelland, James L.", "Ganguli, Surya"]
    }

    fn case_kinds(&self) -> &'static [CaseKind] {
        KINDS
    }

    fn recompute(
        &self,
        _kind: &str,
        inputs: Inputs<'_>,
        _wanted: &[&str],
    ) -> Result<BTreeMap<String, serde_json::Value>, CaseError> {
        let tau = inputs.number_or("tau", 1.0)?;
        let mode = Mode { singular: inputs.positive("singular_value")?, tau };
        let part = inputs.positive("part")?;
        if part >= 1.0 {
            return Err(inputs.wrong("part", "a number below 1"));
        }
        let time = mode.time(inputs.positive("strength")?, part);
        Ok(BTreeMap::from([("time".to_owned(), time.into())]))
    }
}

/// A network with all its settings.
struct Prepared {
    network: TwoLayers,
    start: Vec<f64>,
    tau: f64,
}

impl Prepared {
    fn modes(&self) -> usize {
        self.network.singular().len().min(self.network.hidden())
    }
}

impl World for Prepared {
    fn blocks(&self) -> &Blocks {
        self.network.blocks()
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    /// The built-in ones, and `learned.d`: entry `d` of the map's diagonal, as a part of `s_d`.
    fn observables(&self) -> Observables {
        let mut all = Observables::built_in(self.blocks());
        for (d, &s) in self.network.singular().iter().enumerate() {
            let (network, width) = (self.network.clone(), self.network.singular().len());
            all = all.with(Observable::scalar(format!("learned.{d}"), move |moment| {
                network.product(moment.state)[d * width + d] / s
            }));
        }
        all
    }

    fn levels(&self) -> Vec<f64> {
        levels(self.network.singular(), self.modes())
    }

    fn least_loss(&self) -> Option<f64> {
        self.levels().last().copied()
    }

    fn label(&self, observable: &str) -> Option<String> {
        let counted =
            |d: &str| d.parse::<usize>().map_or_else(|_| "d".to_owned(), |d| (d + 1).to_string());
        match observable.split_once('.') {
            None if observable == "loss" => Some("loss".to_owned()),
            Some(("learned", d)) => Some(format!("$a_{{{0}}}/s_{{{0}}}$", counted(d))),
            _ => None,
        }
    }

    /// `modes.learned`: how many modes end above half of their singular value; `order`: which of them came
    /// there first, where `learned.*` is recorded.
    fn outcomes(&self, seen: Seen<'_>) -> Vec<Outcome> {
        let mut said = Vec::new();
        let width = self.network.singular().len();
        if !seen.state.is_empty() {
            let map = self.network.product(seen.state);
            let part = |d: usize| map[d * width + d] / self.network.singular()[d];
            let learned = (0..width).filter(|&d| part(d) >= 0.5).count();
            said.push(Outcome::new("modes.learned", learned as f64));
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

    fn outcome_names(&self) -> Vec<String> {
        ["modes.learned", "order"].map(str::to_owned).to_vec()
    }

    fn sketch(&self) -> Sketch {
        let count = self.network.singular().len();
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

    fn figure(&self) -> FigureSpec {
        let loss = PanelSpec::over_time(&["loss"]).beside(&["levels"]).titled("(a) loss");
        let modes = PanelSpec::over_time(&["learned.*"]).titled("(b) modes");
        FigureSpec::new(2, vec![loss, modes])
    }

    fn invariants(&self) -> Vec<Invariant> {
        let h = self.network.hidden();
        let pairs = (0..h).flat_map(|i| (i..h).map(move |k| (i, k)));
        let invariant = |(i, k): (usize, usize)| {
            let network = self.network.clone();
            Invariant::new(format!("balance.{i}.{k}"), move |state| {
                balance(&network, state)[i * network.hidden() + k]
            })
        };
        pairs.map(invariant).collect()
    }

    fn has_flow(&self) -> bool {
        true
    }

    fn surface(&self) -> Option<&dyn Surface> {
        Some(&self.network)
    }

    fn symmetry_directions(&self, state: &[f64]) -> Vec<Vec<f64>> {
        saddles::symmetries(&self.network, state)
    }

    fn saddles(&self) -> Vec<KnownSaddle> {
        saddles::list(&self.network)
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        saddles::nearest(&self.network, state)
    }

    /// Hidden units change places, and each may change the sign of its weights in and out.
    fn symmetry(&self) -> Symmetry {
        let (d, h) = (self.network.singular().len(), self.network.hidden());
        let unit = |k: usize| -> Vec<usize> {
            let outside = (0..d).map(|i| self.network.split() + i * h + k);
            (k * d..(k + 1) * d).chain(outside).collect()
        };
        let mut symmetry = Symmetry::none();
        for k in 0..h {
            let inside = std::iter::once(k * d..(k + 1) * d);
            let outside = unit(k)[d..].iter().map(|&index| index..index + 1).collect::<Vec<_>>();
            let ranges: Vec<_> = inside.chain(outside).collect();
            symmetry = symmetry.flipping(&ranges);
        }
        symmetry.exchanging((0..h).map(unit).collect())
    }

    /// The time of the first jump is `(tau/2s) ln(1/a)` and a constant, for small `a`.
    fn scalings(&self) -> Vec<Scaling> {
        let largest = self.network.singular().iter().copied().fold(0.0, f64::max);
        vec![Scaling {
            x: "start.strength".to_owned(),
            y: "crossing.1".to_owned(),
            law: Law::Log,
            slope: -self.tau / (2.0 * largest),
            source: "Saxe et al., Eq. (7)".to_owned(),
            holds: "as the start shrinks".to_owned(),
        }]
    }

    fn theories(&self) -> Theories<'_> {
        Theories::none().with(ModeLaws::NAME, ModeLaws::new(&self.network, self.tau))
    }

    fn run_leg(
        &self,
        stages: &[Stage],
        from: Checkpoint,
        steps: u64,
        seed: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError> {
        let course = Course { stages, theories: &self.theories(), seed };
        dynamics::run_leg(&self.network, course, from, steps, recorder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_and_flipped_units_are_the_same_network() {
        let network = TwoLayers::new(&[2.0, 1.0], 2, 1.0);
        let world = Prepared { network, start: Vec::new(), tau: 1.0 };
        // Units (1, 2 | 3, 4) and (5, 6 | 7, 8), with W2 by rows; then exchanged, the first one flipped.
        let one = [1.0, 2.0, 5.0, 6.0, 3.0, 7.0, 4.0, 8.0];
        let other = [5.0, 6.0, -1.0, -2.0, 7.0, -3.0, 8.0, -4.0];
        assert_eq!(world.network.product(&one), world.network.product(&other));
        assert_eq!(world.symmetry().distance(&one, &other), 0.0);
    }
}
