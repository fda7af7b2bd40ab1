//! Named, shaped blocks of numbers that go through a file bit by bit.

/// A named, shaped block of numbers, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Stable, hierarchical name: `head.0.key`.
    pub name: String,
    /// Extents, outermost first; empty for a single number.
    pub shape: Vec<usize>,
    /// The numbers, as many as the shape says.
    pub values: Values,
}

/// Numbers of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Counts.
    U64(Vec<u64>),
}

impl Array {
    /// An array of `values` in `shape`.
    ///
    /// # Panics
    /// When the shape does not hold that many numbers.
    pub fn new(name: impl Into<String>, shape: &[usize], values: Values) -> Self {
        assert_eq!(values.len(), shape.iter().product::<usize>(), "values fill the shape");
        Self { name: name.into(), shape: shape.to_vec(), values }
    }

    /// A list of numbers.
    pub fn list(name: impl Into<String>, values: Values) -> Self {
        let shape = [values.len()];
        Self::new(name, &shape, values)
    }
}

impl Values {
    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::U64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::F64(values)
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Self::F32(values)
    }
}

impl From<Vec<u64>> for Values {
    fn from(values: Vec<u64>) -> Self {
        Self::U64(values)
    }
}
