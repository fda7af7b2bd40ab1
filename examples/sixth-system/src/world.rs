//! The system behind its declaration: settings to a world that runs.

use std::collections::BTreeMap;

use saddlescope::claim::Claim;
use saddlescope::dynamics::{self, Checkpoint, Course, LegEnd, Stage, StageError};
use saddlescope::figure::{FigureSpec, PanelSpec};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::{Observable, Observables, Recorder};
use saddlescope::reference::{CaseError, CaseKind, Inputs};
use saddlescope::settings::{Settings, SettingsError, SystemSchema};
use saddlescope::surface::Surface;
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

    fn symmetries(&self, state: &[f64]) -> Vec<Vec<f64>> {
        saddles::symmetries(&self.network, state)
    }

    fn saddles(&self) -> Vec<KnownSaddle> {
        saddles::list(&self.network)
    }

    fn nearest_saddle(&self, state: &[f64]) -> Option<(usize, f64)> {
        saddles::nearest(&self.network, state)
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
