//! The loss of a problem: exact, drawn in batches, or in single precision. What can be done with it follows from which.

use std::fmt;
use std::sync::Arc;

use crate::dynamics::{Checkpoint, Course, PhaseError, SegmentEnd, run_segment, train_segment};
use crate::landscape::erased::Erased;
use crate::record::Recorder;
use crate::{Blocks, Landscape, Surface};

/// A loss that dynamics run on, whatever the type of its landscape. Copies share it.
#[derive(Clone)]
pub struct Loss {
    kind: Kind,
    landscape: Arc<dyn Trainable>,
    mean: Option<Arc<Substitute>>,
    population: Option<Arc<Substitute>>,
}

/// Whether the loss is the same function at every step, and in which precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exact,
    Drawn,
    Single { drawn: bool },
}

/// Another loss of the same parameters; `None` where it cannot be built.
type Substitute = dyn Fn() -> Option<Loss> + Send + Sync;

/// What a loss asks of its landscape.
trait Trainable: Send + Sync {
    fn blocks(&self) -> &Blocks;
    fn surface(&self) -> Option<&dyn Surface>;
    fn run_segment(
        &self,
        course: Course<'_>,
        from: Checkpoint,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError>;
}

impl Loss {
    fn new(kind: Kind, landscape: impl Trainable + 'static) -> Self {
        Self { kind, landscape: Arc::new(landscape), mean: None, population: None }
    }

    /// A loss that is the same function at every step.
    pub fn exact<L>(landscape: L) -> Self
    where
        L: Landscape<Scalar = f64, Work: 'static> + Send + 'static,
    {
        Self::new(Kind::Exact, Shared(landscape))
    }

    /// The same, with solvers and optimisers compiled for this type: worth the build time where an evaluation takes less
    /// than a microsecond.
    pub fn exact_specialised(landscape: impl Landscape<Scalar = f64> + Send + 'static) -> Self {
        Self::new(Kind::Exact, Specialised(landscape))
    }

    /// A loss that draws another batch at every step.
    pub fn drawn<L>(landscape: L) -> Self
    where
        L: Landscape<Scalar = f64, Work: 'static> + Send + 'static,
    {
        Self::new(Kind::Drawn, Shared(landscape))
    }

    /// A loss in single precision, which draws another batch at every step if `drawn`.
    pub fn single(landscape: impl Landscape + Send + 'static, drawn: bool) -> Self {
        Self::new(Kind::Single { drawn }, Single(landscape))
    }

    /// Names the exact mean of what its batches are drawn from.
    #[must_use]
    pub fn with_mean(mut self, mean: impl Fn() -> Option<Self> + Send + Sync + 'static) -> Self {
        self.mean = Some(Arc::new(mean));
        self
    }

    /// Names the expectation over all data, of a loss on a data set.
    #[must_use]
    pub fn with_population(
        mut self,
        population: impl Fn() -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        self.population = Some(Arc::new(population));
        self
    }

    /// Names, shapes and rates of the parameters.
    pub fn blocks(&self) -> &Blocks {
        self.landscape.blocks()
    }

    /// Whether the loss is the same function at every step in double precision, so that it has a flow.
    pub fn has_flow(&self) -> bool {
        self.kind == Kind::Exact
    }

    /// Whether each step sees another random part of the data, so that descent is stochastic.
    pub fn draws_batches(&self) -> bool {
        matches!(self.kind, Kind::Drawn | Kind::Single { drawn: true })
    }

    /// The exact loss at any state, where there is one.
    pub fn surface(&self) -> Option<&dyn Surface> {
        if self.has_flow() { self.landscape.surface() } else { None }
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
        self.landscape.run_segment(course, from, steps, recorder)
    }
}

impl fmt::Debug for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loss").field("kind", &self.kind).field("blocks", self.blocks()).finish()
    }
}

/// A landscape behind a pointer: it shares compiled loops with all others.
struct Shared<L>(L);
/// A landscape with loops of its own.
struct Specialised<L>(L);
/// A landscape in single precision.
struct Single<L>(L);

impl<L: Landscape<Scalar = f64, Work: 'static> + Send> Trainable for Shared<L> {
    fn blocks(&self) -> &Blocks {
        self.0.blocks()
    }

    fn surface(&self) -> Option<&dyn Surface> {
        Some(&self.0)
    }

    fn run_segment(
        &self,
        course: Course<'_>,
        from: Checkpoint,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        run_segment(&Erased(&self.0), course, from, steps, recorder)
    }
}

impl<L: Landscape<Scalar = f64> + Send> Trainable for Specialised<L> {
    fn blocks(&self) -> &Blocks {
        self.0.blocks()
    }

    fn surface(&self) -> Option<&dyn Surface> {
        Some(&self.0)
    }

    fn run_segment(
        &self,
        course: Course<'_>,
        from: Checkpoint,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        run_segment(&self.0, course, from, steps, recorder)
    }
}

impl<L: Landscape + Send> Trainable for Single<L> {
    fn blocks(&self) -> &Blocks {
        self.0.blocks()
    }

    fn surface(&self) -> Option<&dyn Surface> {
        None
    }

    fn run_segment(
        &self,
        course: Course<'_>,
        from: Checkpoint,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        train_segment(&self.0, course, from, steps, recorder)
    }
}
