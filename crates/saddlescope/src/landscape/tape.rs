//! Matrices on a tape: what is computed from them is noted down, so that slopes find their way back.
//!
//! For models of a few products that have no loops of their own: the matrices that go in are put on the tape, products and
//! norms follow, and after [`Tape::back`] each has its slopes. A tape is cleared and filled at every evaluation, without
//! allocating again.

use crate::numeric::elementary;
use crate::prelude::*;

/// A matrix on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node(usize);

/// Matrices in row-major order, each with its slopes.
#[derive(Debug, Default)]
pub struct Tape {
    notes: Vec<Note>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    /// Rows that were picked, all of them one after the other.
    picks: Vec<usize>,
    scratch: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Note {
    range: Range<usize>,
    columns: usize,
    from: From,
}

/// What a matrix was made of.
#[derive(Debug, Clone)]
enum From {
    Outside,
    Product(Node, Node),
    Transpose(Node),
    Sum(Node, Node),
    Scaled(Node, f64),
    Rows(Node, Range<usize>),
    Units(Node),
    Softmax(Node),
}

impl Tape {
    pub fn clear(&mut self) {
        self.notes.clear();
        self.values.clear();
        self.picks.clear();
    }

    /// A matrix from outside, in rows of `columns` numbers.
    pub fn matrix(&mut self, numbers: &[f64], columns: usize) -> Node {
        let node = self.note(numbers.len(), columns, From::Outside);
        self.values[self.notes[node.0].range.clone()].copy_from_slice(numbers);
        node
    }

    /// `left right`.
    pub fn product(&mut self, left: Node, right: Node) -> Node {
        let (inner, columns) = (self.columns(left), self.columns(right));
        let node = self.note(self.rows(left) * columns, columns, From::Product(left, right));
        let (before, [left, right], out) = self.parts(node, [left, right]);
        add_product(out, (&before[left], [inner, 1]), &before[right], columns);
        node
    }

    pub fn transpose(&mut self, of: Node) -> Node {
        let (rows, columns) = (self.rows(of), self.columns(of));
        let node = self.note(rows * columns, rows, From::Transpose(of));
        let (before, [of], out) = self.parts(node, [of]);
        add_transpose(out, &before[of], columns);
        node
    }

    pub fn sum(&mut self, a: Node, b: Node) -> Node {
        let node = self.note(self.value(a).len(), self.columns(a), From::Sum(a, b));
        let (before, [a, b], out) = self.parts(node, [a, b]);
        add(out, 1.0, &before[a]);
        add(out, 1.0, &before[b]);
        node
    }

    /// `factor of`.
    pub fn scaled(&mut self, of: Node, factor: f64) -> Node {
        let node = self.note(self.value(of).len(), self.columns(of), From::Scaled(of, factor));
        let (before, [of], out) = self.parts(node, [of]);
        add(out, factor, &before[of]);
        node
    }

    /// Some rows, each perhaps more than once.
    pub fn rows_of(&mut self, of: Node, picked: &[usize]) -> Node {
        let (columns, first) = (self.columns(of), self.picks.len());
        self.picks.extend_from_slice(picked);
        let picks = first..self.picks.len();
        let node = self.note(picked.len() * columns, columns, From::Rows(of, picks));
        let (before, [of], out) = self.parts(node, [of]);
        for (out, &row) in out.chunks_exact_mut(columns).zip(picked) {
            out.copy_from_slice(&before[of.clone()][row * columns..][..columns]);
        }
        node
    }

    /// Rows brought to length one.
    pub fn units(&mut self, of: Node) -> Node {
        let columns = self.columns(of);
        let node = self.note(self.value(of).len(), columns, From::Units(of));
        let (before, [of], out) = self.parts(node, [of]);
        for (out, row) in out.chunks_exact_mut(columns).zip(before[of].chunks_exact(columns)) {
            add(out, 1.0 / dot(row, row).sqrt(), row);
        }
        node
    }

    /// Exponentials of each row over their sum; of minus infinity, zero.
    pub fn softmax(&mut self, of: Node) -> Node {
        let columns = self.columns(of);
        let node = self.note(self.value(of).len(), columns, From::Softmax(of));
        let (before, [of], out) = self.parts(node, [of]);
        for (out, row) in out.chunks_exact_mut(columns).zip(before[of].chunks_exact(columns)) {
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            out.iter_mut().zip(row).for_each(|(out, x)| *out = elementary::exp(x - top));
            let total: f64 = out.iter().sum();
            out.iter_mut().for_each(|out| *out /= total);
        }
        node
    }

    /// Its numbers, row after row.
    pub fn value(&self, node: Node) -> &[f64] {
        &self.values[self.notes[node.0].range.clone()]
    }

    /// Forgets all slopes; what comes next adds some.
    pub fn begin_slopes(&mut self) {
        self.slopes.clear();
        self.slopes.resize(self.values.len(), 0.0);
    }

    /// The slopes of some function in a matrix.
    pub fn slopes(&mut self, node: Node) -> &mut [f64] {
        &mut self.slopes[self.notes[node.0].range.clone()]
    }

    /// Carries slopes back from all matrices to what they were made of.
    pub fn back(&mut self) {
        for index in (0..self.notes.len()).rev() {
            let Note { range, columns, from } = self.notes[index].clone();
            let at = |node: Node| self.notes[node.0].range.clone();
            let columns_of = |node: Node| self.notes[node.0].columns;
            let (before, rest) = self.slopes.split_at_mut(range.start);
            let own = &rest[..range.len()];
            match from {
                From::Outside => {}
                From::Product(left, right) => {
                    let (a, b) = (&self.values[at(left)], &self.values[at(right)]);
                    let inner = columns_of(left);
                    self.scratch.clear();
                    self.scratch.resize(b.len(), 0.0);
                    add_transpose(&mut self.scratch, b, columns);
                    add_product(&mut before[at(left)], (own, [columns, 1]), &self.scratch, inner);
                    add_product(&mut before[at(right)], (a, [1, inner]), own, columns);
                }
                From::Transpose(of) => add_transpose(&mut before[at(of)], own, columns),
                From::Sum(a, b) => {
                    add(&mut before[at(a)], 1.0, own);
                    add(&mut before[at(b)], 1.0, own);
                }
                From::Scaled(of, factor) => add(&mut before[at(of)], factor, own),
                From::Rows(of, picks) => {
                    for (own, row) in own.chunks_exact(columns).zip(&self.picks[picks]) {
                        add(&mut before[at(of)][row * columns..][..columns], 1.0, own);
                    }
                }
                From::Units(of) => {
                    let out = before[at(of)].chunks_exact_mut(columns);
                    let rows = self.values[at(of)].chunks_exact(columns);
                    let units = self.values[range].chunks_exact(columns);
                    for (((out, own), row), unit) in
                        out.zip(own.chunks_exact(columns)).zip(rows).zip(units)
                    {
                        let length = dot(row, row).sqrt();
                        add(out, 1.0 / length, own);
                        add(out, -dot(own, unit) / length, unit);
                    }
                }
                From::Softmax(of) => {
                    let out = before[at(of)].chunks_exact_mut(columns);
                    let rows =
                        own.chunks_exact(columns).zip(self.values[range].chunks_exact(columns));
                    for (out, (own, shares)) in out.zip(rows) {
                        let mean = dot(own, shares);
                        for ((out, slope), share) in out.iter_mut().zip(own).zip(shares) {
                            *out += share * (slope - mean);
                        }
                    }
                }
            }
        }
    }

    fn columns(&self, node: Node) -> usize {
        self.notes[node.0].columns
    }

    fn rows(&self, node: Node) -> usize {
        self.value(node).len() / self.columns(node)
    }

    /// Room for one more matrix.
    fn note(&mut self, len: usize, columns: usize, from: From) -> Node {
        let first = self.values.len();
        self.values.resize(first + len, 0.0);
        self.notes.push(Note { range: first..first + len, columns, from });
        Node(self.notes.len() - 1)
    }

    /// All that came before a matrix, where some of it lies, and the matrix itself.
    fn parts<const N: usize>(
        &mut self,
        node: Node,
        of: [Node; N],
    ) -> (&[f64], [Range<usize>; N], &mut [f64]) {
        let (before, out) = self.values.split_at_mut(self.notes[node.0].range.start);
        (before, of.map(|node| self.notes[node.0].range.clone()), out)
    }
}

/// `out += left right` in rows of `columns` numbers; entry `(i, k)` of the left lies at `i steps[0] + k steps[1]`.
pub fn add_product(
    out: &mut [f64],
    (left, steps): (&[f64], [usize; 2]),
    right: &[f64],
    columns: usize,
) {
    crate::dispatch!(product_kernel(out, left, steps, right, columns));
}

/// Four rows of the right at a time, so that a row of `out` is read and written a fourth as often.
#[inline(always)]
fn product_kernel(
    out: &mut [f64],
    left: &[f64],
    [row, column]: [usize; 2],
    right: &[f64],
    columns: usize,
) {
    let (fours, rest) = right.split_at(right.len() / columns / 4 * 4 * columns);
    for (i, out) in out.chunks_exact_mut(columns).enumerate() {
        let mut place = i * row;
        for four in fours.chunks_exact(4 * columns) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| left[place + k * column]);
            let ((p, q), (r, s)) = {
                let (front, back) = four.split_at(2 * columns);
                (front.split_at(columns), back.split_at(columns))
            };
            for ((((out, p), q), r), s) in out.iter_mut().zip(p).zip(q).zip(r).zip(s) {
                *out += (a * p + b * q) + (c * r + d * s);
            }
            place += 4 * column;
        }
        for numbers in rest.chunks_exact(columns) {
            out.iter_mut().zip(numbers).for_each(|(out, number)| *out += left[place] * number);
            place += column;
        }
    }
}

/// Adds the transpose of rows of `columns` numbers.
fn add_transpose(out: &mut [f64], matrix: &[f64], columns: usize) {
    let rows = matrix.len() / columns;
    for (i, row) in matrix.chunks_exact(columns).enumerate() {
        row.iter().enumerate().for_each(|(j, number)| out[j * rows + i] += number);
    }
}

fn add(out: &mut [f64], factor: f64, numbers: &[f64]) {
    out.iter_mut().zip(numbers).for_each(|(out, number)| *out += factor * number);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on random matrices: a weighted sum of the entries of what comes out, and its slopes.
    fn weighted(theta: &[f64], tape: &mut Tape) -> (f64, Vec<f64>) {
        tape.clear();
        let (a, b) = (tape.matrix(&theta[..30], 5), tape.matrix(&theta[30..75], 9));
        let product = tape.product(a, b);
        let picked = tape.rows_of(product, &[2, 0, 2, 5]);
        let turned = tape.transpose(picked);
        let units = tape.units(turned);
        let shares = tape.softmax(turned);
        let half = tape.scaled(shares, 0.5);
        let both = tape.sum(units, half);
        let end = tape.product(both, picked);
        let weights: Vec<f64> = (0..81).map(|i| (1.3 * f64::from(i)).sin()).collect();
        tape.begin_slopes();
        tape.slopes(end).copy_from_slice(&weights);
        tape.back();
        let slopes = [tape.slopes(a).to_vec(), tape.slopes(b).to_vec()].concat();
        (dot(tape.value(end), &weights), slopes)
    }

    #[test]
    fn slopes_are_differences() {
        let mut theta = vec![0.0; 75];
        Stream::new(1, Purpose::Data, 0).fill_normal(&mut theta);
        let mut tape = Tape::default();
        let (_, slopes) = weighted(&theta, &mut tape);
        for (i, slope) in slopes.into_iter().enumerate() {
            let mut at = |by: f64| {
                let mut moved = theta.clone();
                moved[i] += by;
                weighted(&moved, &mut tape).0
            };
            let mut between = |step: f64| at(step) - at(-step);
            let difference = (8.0 * between(1e-3) - between(2e-3)) / 12e-3;
            assert!((slope - difference).abs() < 1e-8, "{i}: {slope} {difference}");
        }
    }
}
