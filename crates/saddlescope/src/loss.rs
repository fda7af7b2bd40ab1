//! The loss of a problem: exact, drawn in batches, or in single precision. What can be done with it follows from which.

use crate::Surface;
use crate::dynamics::{Checkpoint, Course, SegmentEnd, run_segment, train_segment};
use crate::prelude::*;
use crate::surface::AsLandscape;

/// A loss that dynamics run on, whatever the type of its landscape. Copies share it.
#[derive(Clone)]
#[must_use]
pub struct Loss {
    blocks: Arc<Blocks>,
    /// The loss at any state, where it is the same function at every step in double precision.
    surface: Option<Arc<dyn Surface + Send>>,
    draws_batches: bool,
    run: Arc<Run>,
    evaluator: Arc<MakeEvaluator>,
    mean: Option<Arc<Substitute>>,
    population: Option<Arc<Substitute>>,
    fresh: Option<Arc<Redraw>>,
}

/// Gives the loss at a state for a draw; it owns the scratch for that.
pub type Evaluator = Box<dyn FnMut(&[f64], Draw) -> Result<f64, Fault> + Send>;

type MakeEvaluator = dyn Fn() -> Evaluator + Send + Sync;

/// Runs the phases of a course, at most so many steps on a checkpoint.
type Run = dyn Fn(Course<'_>, Checkpoint, u64, &mut dyn Recorder) -> Result<SegmentEnd, PhaseError>
    + Send
    + Sync;

/// Another loss of the same parameters; `None` where it cannot be built.
type Substitute = dyn Fn() -> Option<Loss> + Send + Sync;

/// The same loss on another data set, keyed by a seed; `None` where it cannot be built.
type Redraw = dyn Fn(u64) -> Option<Loss> + Send + Sync;

/// Evaluates a landscape at states in double precision, whatever its own is.
fn evaluator<L: Landscape + Send + 'static>(landscape: Arc<L>) -> Evaluator {
    let mut work = landscape.work();
    let size = landscape.blocks().len();
    let (mut theta, mut gradient) = (vec![L::Scalar::ZERO; size], vec![L::Scalar::ZERO; size]);
    Box::new(move |state: &[f64], draw: Draw| {
        theta.iter_mut().zip(state).for_each(|(to, &from)| *to = L::Scalar::from_f64(from));
        landscape.evaluate(&theta, draw, &mut work, &mut gradient)
    })
}

/// The same behind a pointer, so that it is compiled once for all landscapes in double precision.
fn surface_evaluator(surface: Arc<dyn Surface + Send>) -> Evaluator {
    let (mut work, mut gradient) = (surface.any_work(), vec![0.0; surface.layout().len()]);
    Box::new(move |state: &[f64], draw: Draw| {
        surface.any_evaluate(state, draw, &mut *work, &mut gradient)
    })
}

impl Loss {
    fn new(blocks: &Blocks, run: Arc<Run>, evaluator: Arc<MakeEvaluator>) -> Self {
        Self {
            blocks: Arc::new(blocks.clone()),
            surface: None,
            draws_batches: false,
            run,
            evaluator,
            mean: None,
            population: None,
            fresh: None,
        }
    }

    /// A landscape behind a pointer, which shares compiled loops with all others.
    fn shared(landscape: Arc<dyn Surface + Send>) -> Self {
        let blocks = landscape.layout().clone();
        let own = Arc::clone(&landscape);
        let run: Arc<Run> = Arc::new(move |course, from, steps, recorder| {
            run_segment(&AsLandscape(&*landscape), course, from, steps, recorder)
        });
        Self::new(&blocks, run, Arc::new(move || surface_evaluator(Arc::clone(&own))))
    }

    /// A loss that is the same function at every step.
    pub fn exact(landscape: impl Landscape<Scalar = f64, Work: 'static> + Send + 'static) -> Self {
        let surface: Arc<dyn Surface + Send> = Arc::new(landscape);
        Self { surface: Some(Arc::clone(&surface)), ..Self::shared(surface) }
    }

    /// The same, with solvers and optimisers compiled for this type: worth it for evaluations below a microsecond.
    pub fn exact_specialised(
        landscape: impl Landscape<Scalar = f64, Work: 'static> + Send + 'static,
    ) -> Self {
        let landscape = Arc::new(landscape);
        let surface: Arc<dyn Surface + Send> = landscape.clone();
        let run: Arc<Run> = Arc::new(move |course, from, steps, recorder| {
            run_segment(&*landscape, course, from, steps, recorder)
        });
        let own = Arc::clone(&surface);
        let evaluator = Arc::new(move || surface_evaluator(Arc::clone(&own)));
        Self { surface: Some(Arc::clone(&surface)), ..Self::new(surface.layout(), run, evaluator) }
    }

    /// A loss that draws another batch at every step.
    pub fn drawn(landscape: impl Landscape<Scalar = f64, Work: 'static> + Send + 'static) -> Self {
        Self { draws_batches: true, ..Self::shared(Arc::new(landscape)) }
    }

    /// A loss in single precision, which draws another batch at every step if `drawn`.
    pub fn single(landscape: impl Landscape + Send + 'static, drawn: bool) -> Self {
        let blocks = landscape.blocks().clone();
        let landscape = Arc::new(landscape);
        let own = Arc::clone(&landscape);
        let run: Arc<Run> = Arc::new(move |course, from, steps, recorder| {
            train_segment(&*landscape, course, from, steps, recorder)
        });
        let evaluator = Arc::new(move || evaluator(Arc::clone(&own)));
        Self { draws_batches: drawn, ..Self::new(&blocks, run, evaluator) }
    }

    /// Names the exact mean of what its batches are drawn from.
    pub fn with_mean(mut self, mean: impl Fn() -> Option<Self> + Send + Sync + 'static) -> Self {
        self.mean = Some(Arc::new(mean));
        self
    }

    /// Names the expectation over all data, of a loss on a data set.
    pub fn with_population(
        mut self,
        population: impl Fn() -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        self.population = Some(Arc::new(population));
        self
    }

    /// Names the same loss on another data set, keyed by a seed, of a loss on a data set.
    pub fn with_fresh(
        mut self,
        fresh: impl Fn(u64) -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        self.fresh = Some(Arc::new(fresh));
        self
    }

    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// What gives its value at single states. One that draws no batches ignores the draw.
    pub fn evaluator(&self) -> Evaluator {
        (self.evaluator)()
    }

    /// Whether the loss is the same function at every step in double precision, so that it has a flow.
    pub fn has_flow(&self) -> bool {
        self.surface.is_some()
    }

    /// Whether each step sees another random part of the data, so that descent is stochastic.
    pub fn draws_batches(&self) -> bool {
        self.draws_batches
    }

    /// The exact loss at any state, where there is one.
    pub fn surface(&self) -> Option<&dyn Surface> {
        self.surface.as_deref().map(|surface| surface as &dyn Surface)
    }

    /// The exact mean of what its batches are drawn from; `None` where there is no noise, or no such loss.
    pub fn without_noise(&self) -> Option<Self> {
        self.mean.as_ref().and_then(|mean| mean())
    }

    /// The expectation over all data in place of its data set, if it has one.
    pub fn without_data(&self) -> Option<Self> {
        self.population.as_ref().and_then(|population| population())
    }

    /// Whether it is a loss on a data set that can be drawn anew.
    pub fn has_data(&self) -> bool {
        self.fresh.is_some()
    }

    /// The same loss on another data set, keyed by a seed, if it has one.
    pub fn on_fresh_data(&self, seed: u64) -> Option<Self> {
        self.fresh.as_ref().and_then(|fresh| fresh(seed))
    }

    /// Runs the phases of `course`, at most `steps` steps on `from`.
    pub fn run_segment(
        &self,
        course: Course<'_>,
        from: Checkpoint,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        (self.run)(course, from, steps, recorder)
    }
}
