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
    mean: Option<Arc<Substitute>>,
    population: Option<Arc<Substitute>>,
}

/// Runs the phases of a course, at most so many steps on a checkpoint.
type Run = dyn Fn(Course<'_>, Checkpoint, u64, &mut dyn Recorder) -> Result<SegmentEnd, PhaseError>
    + Send
    + Sync;

/// Another loss of the same parameters; `None` where it cannot be built.
type Substitute = dyn Fn() -> Option<Loss> + Send + Sync;

impl Loss {
    fn new(blocks: &Blocks, run: Arc<Run>) -> Self {
        let blocks = Arc::new(blocks.clone());
        Self { blocks, surface: None, draws_batches: false, run, mean: None, population: None }
    }

    /// A landscape behind a pointer, which shares compiled loops with all others.
    fn shared(landscape: Arc<dyn Surface + Send>) -> Self {
        let blocks = landscape.layout().clone();
        let run: Arc<Run> = Arc::new(move |course, from, steps, recorder| {
            run_segment(&AsLandscape(&*landscape), course, from, steps, recorder)
        });
        Self::new(&blocks, run)
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
        Self { surface: Some(Arc::clone(&surface)), ..Self::new(surface.layout(), run) }
    }

    /// A loss that draws another batch at every step.
    pub fn drawn(landscape: impl Landscape<Scalar = f64, Work: 'static> + Send + 'static) -> Self {
        Self { draws_batches: true, ..Self::shared(Arc::new(landscape)) }
    }

    /// A loss in single precision, which draws another batch at every step if `drawn`.
    pub fn single(landscape: impl Landscape + Send + 'static, drawn: bool) -> Self {
        let blocks = landscape.blocks().clone();
        let run: Arc<Run> = Arc::new(move |course, from, steps, recorder| {
            train_segment(&landscape, course, from, steps, recorder)
        });
        Self { draws_batches: drawn, ..Self::new(&blocks, run) }
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

    pub fn blocks(&self) -> &Blocks {
        &self.blocks
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
