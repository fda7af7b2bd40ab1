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

impl Array {
    /// An array of `values`, as many as `shape` holds.
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

/// Declares the types of numbers; each variant is called as its type is in files.
macro_rules! values {
    ($($(#[$doc:meta])* $variant:ident($type:ident),)+) => {
        /// Numbers of one type.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Values {
            $($(#[$doc])* $variant(Vec<$type>),)+
        }

        impl Values {
            fn len(&self) -> usize {
                match self {
                    $(Self::$variant(values) => values.len(),)+
                }
            }

            /// The name of their type, and the numbers in little-endian order.
            pub(crate) fn encoded(&self) -> (&'static str, Vec<u8>) {
                match self {
                    $(Self::$variant(values) => {
                        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
                        (stringify!($variant), bytes.collect())
                    })+
                }
            }

            /// The numbers of a type, and how many bytes each has.
            pub(crate) fn decoded(name: &str, bytes: &[u8]) -> Option<(Self, usize)> {
                match name {
                    $(stringify!($variant) => {
                        let numbers = bytes.as_chunks().0.iter().copied().map($type::from_le_bytes);
                        Some((Self::$variant(numbers.collect()), size_of::<$type>()))
                    })+
                    _ => None,
                }
            }
        }

        $(impl From<Vec<$type>> for Values {
            fn from(values: Vec<$type>) -> Self {
                Self::$variant(values)
            }
        })+
    };
}

values! {
    F64(f64),
    F32(f32),
    /// Counts.
    U64(u64),
}
