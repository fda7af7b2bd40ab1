//! The parameters: where each lies, and where they start.

use saddlescope_spec::prelude::*;

use crate::settings::{Entries, Given};
use crate::{Coupling, Error, First, Parts, Task};

/// Which parameters a model has. 002, appendix C.1.
///
/// They lie in the order `p~` (where it is trained), `p`, `g` (head 1), `w_Q`, `w_K` or `w`, `h` (head 2); query
/// and key have `D` entries, the diagonals of matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    pub task: Task,
    first: First,
    coupling: Coupling,
    parts: Parts,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters<'a, T> {
    /// `p~`; `None` where it is infinite.
    pub p_tilde: Option<T>,
    /// `p, g` of head 1.
    pub gram: Option<[T; 2]>,
    /// `w_Q, w_K, h` of head 2; tied ones are the same slice twice.
    pub induction: Option<(&'a [T], &'a [T], T)>,
}

impl Shape {
    /// The second layer after Stage I, with both heads and `w_Q`, `w_K` apart.
    pub fn new(task: Task) -> Self {
        Self { task, first: First::Previous, coupling: Coupling::Untied, parts: Parts::Both }
    }

    #[must_use]
    pub fn first(self, first: First) -> Self {
        Self { first, ..self }
    }

    #[must_use]
    pub fn coupling(self, coupling: Coupling) -> Self {
        Self { coupling, ..self }
    }

    #[must_use]
    pub fn parts(self, parts: Parts) -> Self {
        Self { parts, ..self }
    }

    /// Whether `p~` is a parameter.
    pub fn is_first_trained(&self) -> bool {
        self.first == First::Trained
    }

    /// Whether query and key are one.
    pub fn is_tied(&self) -> bool {
        self.coupling == Coupling::Tied
    }

    /// Whether head 1 and the 4-gram take part.
    pub fn has_gram(&self) -> bool {
        self.parts != Parts::Induction
    }

    /// Whether head 2 and the induction head take part.
    pub fn has_induction(&self) -> bool {
        self.parts != Parts::Gram
    }

    pub fn parameters(&self) -> usize {
        let induction = if self.has_induction() { self.h() + 1 - self.query() } else { 0 };
        self.query() + induction
    }

    /// Where `p` lies, if it does; `g` follows.
    pub fn gram(&self) -> usize {
        usize::from(self.is_first_trained())
    }

    /// Where `w_Q` or `w` lies.
    pub fn query(&self) -> usize {
        self.gram() + if self.has_gram() { 2 } else { 0 }
    }

    /// Where `w_K` lies; the place of `w` when they are tied.
    pub fn key(&self) -> usize {
        self.query() + if self.is_tied() { 0 } else { self.task.dimension }
    }

    /// Where `h` lies.
    pub fn h(&self) -> usize {
        self.key() + self.task.dimension
    }

    /// Names, shapes and rates. The flow is `d theta/dt = -dL/d theta`.
    pub fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::new();
        if self.is_first_trained() {
            blocks = blocks.with("p_tilde", &[], 1.0);
        }
        if self.has_gram() {
            blocks = blocks.with("p", &[], 1.0).with("g", &[], 1.0);
        }
        if self.has_induction() {
            let d = self.task.dimension;
            let entries: &[usize] = if d == 1 { &[] } else { &[d] };
            blocks = if self.is_tied() {
                blocks.with("w", entries, 1.0)
            } else {
                blocks.with("w_q", entries, 1.0).with("w_k", entries, 1.0)
            };
            blocks = blocks.with("h", &[], 1.0);
        }
        blocks
    }

    #[inline(always)]
    pub fn read<'a, T: Copy>(&self, theta: &'a [T]) -> Parameters<'a, T> {
        let d = self.task.dimension;
        let (gram, query, key) = (self.gram(), self.query(), self.key());
        Parameters {
            p_tilde: self.is_first_trained().then(|| theta[0]),
            gram: self.has_gram().then(|| [theta[gram], theta[gram + 1]]),
            induction: self
                .has_induction()
                .then(|| (&theta[query..query + d], &theta[key..key + d], theta[self.h()])),
        }
    }

    /// A start from the values of each parameter; those that the model lacks are not used.
    pub fn given_start(&self, given: &Given) -> Result<Vec<f64>, Error> {
        let Given { p_tilde, p, g, w_q, w_k, h } = given;
        let mut theta = Vec::with_capacity(self.parameters());
        if self.is_first_trained() {
            theta.push(*p_tilde);
        }
        if self.has_gram() {
            theta.extend([p, g]);
        }
        if self.has_induction() {
            let (query, key) = (self.entries("w_q", w_q)?, self.entries("w_k", w_k)?);
            let expected = "one that nowhere differs from w_q, since the two are tied: give the same value, \
                            or set coupling = \"untied\"";
            Error::ensure(!self.is_tied() || query == key, "w_k", format!("{key:?}"), expected)?;
            theta.extend(query);
            if !self.is_tied() {
                theta.extend(key);
            }
            theta.push(*h);
        }
        Error::ensure_finite(&theta, "start")?;
        Ok(theta)
    }

    /// One number for all coordinates, or a list with one for each.
    fn entries(&self, name: &str, entries: &Entries) -> Result<Vec<f64>, Error> {
        let d = self.task.dimension;
        match entries {
            Entries::Equal(number) => Ok(vec![*number; d]),
            Entries::Listed(list) => {
                Error::ensure_length(list, d, name, &format!("tokens have {d} coordinates"))?;
                Ok(list.clone())
            }
        }
    }

    /// Every parameter `sigma`, 002, Eq. (4); in `D` dimensions query and key have the norm `sigma`.
    pub fn equal_start(&self, sigma: f64) -> Result<Vec<f64>, Error> {
        let entry = Entries::Equal(sigma / (self.task.dimension as f64).sqrt());
        self.given_start(&Given::all(sigma, entry.clone(), entry))
    }

    /// As 002, appendix C.2: `p`, `w_Q` and `w_K` zero, the others `sigma`.
    pub fn stage_one_start(&self, sigma: f64) -> Result<Vec<f64>, Error> {
        let zero = Entries::Equal(0.0);
        self.given_start(&Given { p: 0.0, ..Given::all(sigma, zero.clone(), zero) })
    }

    /// Scalars `sigma`, query and key of norm `sigma` in directions drawn by `seed`.
    pub fn random_start(&self, sigma: f64, seed: u64) -> Result<Vec<f64>, Error> {
        let drawn = |index: u64| {
            let mut entries = vec![0.0; self.task.dimension];
            Stream::new(seed, Purpose::Start, index).fill_normal(&mut entries);
            let norm = entries.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
            Entries::Listed(entries.iter().map(|x| sigma * x / norm).collect())
        };
        let key = drawn(if self.is_tied() { 0 } else { 1 });
        self.given_start(&Given::all(sigma, drawn(0), key))
    }
}

impl Given {
    /// That query and key, and every number `sigma`.
    fn all(sigma: f64, w_q: Entries, w_k: Entries) -> Self {
        Self { p_tilde: sigma, p: sigma, g: sigma, w_q, w_k, h: sigma }
    }
}

#[cfg(test)]
mod tests {
    use saddlescope::numeric::vector::norm;

    use super::*;
    use crate::{Attention, Reduction, Tokens};

    #[test]
    fn places_are_those_of_the_blocks() {
        for shape in crate::plain::shapes(Task::new(12, 1.0, 0.3).unwrap()) {
            let blocks = shape.blocks();
            assert_eq!(blocks.len(), shape.parameters());
            let place = |name: &str| blocks.get(name).map(|block| block.range().start);
            let theta: Vec<f64> = (0..shape.parameters()).map(|i| i as f64).collect();
            let read = shape.read(&theta);
            assert_eq!(read.p_tilde.map(|p| p as usize), place("p_tilde"));
            assert_eq!(read.gram.map(|gram| gram[1] as usize), place("g"));
            assert_eq!(read.induction.map(|(_, _, h)| h as usize), place("h"));
            let query = place("w_q").or(place("w"));
            assert_eq!(read.induction.map(|(query, _, _)| query[0] as usize), query);
            let key = place("w_k").or(place("w"));
            assert_eq!(read.induction.map(|(_, key, _)| key[0] as usize), key);
        }
    }

    #[test]
    fn starts_have_the_size_that_was_asked_for() {
        let kinds = (Tokens::Gaussian, Attention::Exponential, Reduction::Sum);
        let task = Task::general(10, 7, kinds, (1.0, 0.1)).unwrap();
        let shape = Shape::new(task);
        for theta in [shape.equal_start(0.3).unwrap(), shape.random_start(0.3, 5).unwrap()] {
            let (query, key, h) = shape.read(&theta).induction.unwrap();
            assert!((norm(query) - 0.3).abs() < 1e-15 && (norm(key) - 0.3).abs() < 1e-15);
            assert_eq!(h, 0.3);
        }
        let tied = shape.coupling(Coupling::Tied);
        assert_eq!(tied.random_start(0.3, 5).unwrap().len(), 2 + 7 + 1);
    }
}
