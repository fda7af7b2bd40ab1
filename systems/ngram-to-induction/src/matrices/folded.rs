//! The heads as far as answers depend on them: query and key as their product, without the columns that meet zeros.

use super::{Head, Lanes, Matrices, Matrix};

/// A head of the transformer, in numbers or in slopes of eight sequences.
#[derive(Debug, Clone)]
pub(super) struct FoldedHead<T> {
    /// Coordinates of a position that the head can see: `D` in the first layer, where the last `D` are zeros, then
    /// `2D`.
    pub(super) columns: usize,
    /// `W_Q^T W_K`, `columns x columns`: position `i` scores position `j` with `z_i^T meeting z_j`.
    pub(super) meeting: Vec<T>,
    /// `W_V`, `2D x columns`.
    pub(super) value: Vec<T>,
    pub(super) p: T,
}

pub(super) type Folded<T> = [FoldedHead<T>; 3];

impl Matrices {
    /// Heads of `zero`s.
    pub(super) fn folded<T: Clone>(&self, zero: &T) -> Folded<T> {
        Head::ALL.map(|head| {
            let n = self.width();
            let columns = if head == Head::First { self.task.dimension } else { n };
            FoldedHead {
                columns,
                meeting: vec![zero.clone(); columns * columns],
                value: vec![zero.clone(); n * columns],
                p: zero.clone(),
            }
        })
    }

    pub(super) fn fold(&self, theta: &[f64], folded: &mut Folded<f64>) {
        let n = self.width();
        for (name, head) in Head::ALL.into_iter().zip(folded) {
            let [query, key, value] = self.rows(name);
            let c = head.columns;
            head.meeting.fill(0.0);
            for row in 0..n {
                let (query, key) = (&theta[query + row * n..][..c], &theta[key + row * n..][..c]);
                for (a, &query) in query.iter().enumerate() {
                    let meeting = &mut head.meeting[a * c..][..c];
                    meeting.iter_mut().zip(key).for_each(|(sum, &key)| *sum += query * key);
                }
                head.value[row * c..][..c].copy_from_slice(&theta[value + row * n..][..c]);
            }
            head.p = theta[self.slope(name)];
        }
    }

    /// Adds the slopes of the parameters, summed over the lanes, to `gradient`.
    pub(super) fn unfold(&self, theta: &[f64], slopes: &Folded<Lanes>, gradient: &mut [f64]) {
        let n = self.width();
        for (name, head) in Head::ALL.into_iter().zip(slopes) {
            let [query, key, value] = self.rows(name);
            let c = head.columns;
            for (place, slope) in head.meeting.iter().enumerate() {
                let (a, b, slope) = (place / c, place % c, slope.sum());
                for row in (0..n).map(|row| row * n) {
                    gradient[query + row + a] += slope * theta[key + row + b];
                    gradient[key + row + b] += slope * theta[query + row + a];
                }
            }
            for (place, slope) in head.value.iter().enumerate() {
                gradient[value + place / c * n + place % c] += slope.sum();
            }
            gradient[self.slope(name)] += head.p.sum();
        }
    }

    /// Where the matrices of a head begin.
    fn rows(&self, head: Head) -> [usize; 3] {
        [Matrix::Query, Matrix::Key, Matrix::Value].map(|matrix| self.entry(head, matrix, [0, 0]))
    }
}
