//! Symmetry: what can be exchanged or turned round in a model without changing its function.
//!
//! Heads have no order, and some signs cancel. Two seeds that learn the same thing may differ by such
//! a change alone, so states are compared in their [`Symmetry::canonical`] form, and numbered things
//! ([`Symmetry::permutes`]) are told apart by what they do, not by their number.

use crate::prelude::*;

/// Changes of the parameters that leave the function of a model alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[must_use]
pub struct Symmetry {
    flips: Vec<Flip>,
    exchanges: Vec<Vec<Vec<usize>>>,
    numbered: Vec<String>,
}

/// Most passes over all exchanges.
const ROUNDS: usize = 32;

/// Parameters that may all change sign together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flip {
    /// The largest of these is made positive.
    anchor: Range<usize>,
    all: Vec<usize>,
}

impl Symmetry {
    pub fn none() -> Self {
        Self::default()
    }

    /// Lets the parameters in `ranges`, one or more, change sign together; in canonical form the largest entry of
    /// the first range is positive.
    pub fn flipping(mut self, ranges: &[Range<usize>]) -> Self {
        let all = ranges.iter().cloned().flatten().collect();
        self.flips.push(Flip { anchor: ranges[0].clone(), all });
        self
    }

    /// Lets `units`, lists of parameters in one order, change places. Units inside others come first.
    pub fn exchanging(mut self, units: Vec<Vec<usize>>) -> Self {
        self.exchanges.push(units);
        self
    }

    /// Lets blocks that are called `family.0.*`, `family.1.*`, ... change places as a whole.
    pub fn numbered(mut self, family: &str, blocks: &Blocks) -> Self {
        let mut units: Vec<Vec<usize>> = Vec::new();
        for block in blocks {
            let mut parts = block.name.split('.');
            let number = parts.next().filter(|first| *first == family).and_then(|_| parts.next());
            let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else {
                continue;
            };
            units.resize(units.len().max(number + 1), Vec::new());
            units[number].extend(block.range());
        }
        self.numbered.push(family.to_owned());
        self.exchanging(units)
    }

    /// Whether the number in a name, as in `head.3.value`, says nothing by itself.
    pub fn permutes(&self, name: &str) -> bool {
        let mut parts = name.split('.');
        let family = parts.next().unwrap_or_default();
        let numbered = parts.next().is_some_and(|part| part.parse::<usize>().is_ok());
        numbered && self.numbered.iter().any(|known| known == family)
    }

    /// The one state among all that are equal to `state`: signs by the largest entry of each anchor,
    /// units by their norm, largest first.
    pub fn canonical(&self, state: &[f64]) -> Vec<f64> {
        let mut state = state.to_vec();
        for flip in &self.flips {
            let entries = state[flip.anchor.clone()].iter().copied();
            let largest = entries.max_by(|a, b| a.abs().total_cmp(&b.abs()));
            if largest.is_some_and(|largest| largest < 0.0) {
                flip.all.iter().for_each(|&index| state[index] = -state[index]);
            }
        }
        for units in &self.exchanges {
            let of = |unit: &Vec<usize>| -> Vec<f64> { unit.iter().map(|&i| state[i]).collect() };
            let mut contents: Vec<Vec<f64>> = units.iter().map(of).collect();
            let norm = |content: &Vec<f64>| content.iter().map(|x| x * x).sum::<f64>();
            contents.sort_by(|a, b| norm(b).total_cmp(&norm(a)));
            for (unit, content) in units.iter().zip(contents) {
                unit.iter().zip(content).for_each(|(&index, value)| state[index] = value);
            }
        }
        state
    }

    /// Euclidean distance of two states, as near to each other as signs and exchanges allow.
    ///
    /// Signs are set, and units change places two by two, until nothing brings it nearer; from the state
    /// itself and from its canonical form. So it may be above the true minimum where only three or more
    /// units together would come nearer.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let starts = [b.to_vec(), self.canonical(b)];
        let ends = starts.into_iter().map(|start| square(a, &self.approached(a, start)));
        // The canonical forms themselves may be nearer than what was found from one of them.
        let canonical = square(&self.canonical(a), &self.canonical(b));
        ends.fold(canonical, f64::min).sqrt()
    }

    /// `b`, brought near to `a` by signs and exchanges.
    fn approached(&self, a: &[f64], mut b: Vec<f64>) -> Vec<f64> {
        let all: Vec<&Flip> = self.flips.iter().collect();
        turn(a, &mut b, &all);
        for _ in 0..ROUNDS {
            let before = square(a, &b);
            for units in &self.exchanges {
                self.exchange(a, &mut b, units);
            }
            if square(a, &b) >= before {
                break;
            }
        }
        b
    }

    /// Exchanges units two by two where that, with the best signs, brings `b` nearer to `a`.
    fn exchange(&self, a: &[f64], b: &mut Vec<f64>, units: &[Vec<usize>]) {
        for i in 0..units.len() {
            for j in i + 1..units.len() {
                let mut other = b.clone();
                for (&one, &two) in units[i].iter().zip(&units[j]) {
                    other.swap(one, two);
                }
                let touches = |flip: &&Flip| {
                    let inside =
                        |index: &usize| units[i].contains(index) || units[j].contains(index);
                    flip.all.iter().any(inside)
                };
                let own: Vec<&Flip> = self.flips.iter().filter(touches).collect();
                turn(a, &mut other, &own);
                if square(a, &other) < square(a, b) {
                    *b = other;
                }
            }
        }
    }
}

/// Turns signs, one or two sets at a time, as long as that brings `b` nearer to `a`.
fn turn(a: &[f64], b: &mut [f64], flips: &[&Flip]) {
    // Turning a set changes the square of the distance by four times this sum.
    let gain = |b: &[f64], set: &[usize]| set.iter().map(|&i| a[i] * b[i]).sum::<f64>();
    let both = |one: &Flip, two: &Flip| -> Vec<usize> {
        let only = |x: &Flip, y: &Flip| -> Vec<usize> {
            x.all.iter().copied().filter(|index| !y.all.contains(index)).collect()
        };
        [only(one, two), only(two, one)].concat()
    };
    let pairs = flips.iter().enumerate().flat_map(|(place, one)| {
        flips[place + 1..].iter().filter(|two| overlap(one, two)).map(|two| both(one, two))
    });
    let sets: Vec<Vec<usize>> = flips.iter().map(|flip| flip.all.clone()).chain(pairs).collect();
    for _ in 0..ROUNDS {
        let mut turned = false;
        for set in &sets {
            if gain(b, set) < 0.0 {
                set.iter().for_each(|&i| b[i] = -b[i]);
                turned = true;
            }
        }
        if !turned {
            return;
        }
    }
}

fn overlap(one: &Flip, two: &Flip) -> bool {
    one.all.iter().any(|index| two.all.contains(index))
}

/// Square of the distance of two states.
fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_heads() -> (Blocks, Symmetry) {
        let blocks = Blocks::new()
            .with("head.0.value", &[], 1.0)
            .with("head.0.key", &[2], 1.0)
            .with("head.1.value", &[], 1.0)
            .with("head.1.key", &[2], 1.0)
            .with("bias", &[], 1.0);
        let symmetry = Symmetry::none().flipping(&[0..1, 1..3]).flipping(&[3..4, 4..6]);
        let symmetry = symmetry.numbered("head", &blocks);
        (blocks, symmetry)
    }

    #[test]
    fn equal_states_have_one_canonical_form() {
        let (_, symmetry) = two_heads();
        let state = [1.0, 2.0, -3.0, -0.5, 0.1, 0.2, 7.0];
        let same = [0.5, -0.1, -0.2, -1.0, -2.0, 3.0, 7.0];
        assert_eq!(symmetry.canonical(&state), [1.0, 2.0, -3.0, 0.5, -0.1, -0.2, 7.0]);
        assert_eq!(symmetry.canonical(&state), symmetry.canonical(&same));
        assert_eq!(symmetry.distance(&state, &same), 0.0);
        let other = [1.0, 2.0, 3.0, -0.5, 0.1, 0.2, 7.0];
        // Nearer with its first head turned: (-1, -2, -3) is 2 and 4 away from (1, 2, -3).
        assert_eq!(symmetry.distance(&state, &other), 20.0_f64.sqrt());
    }

    #[test]
    fn only_numbers_of_exchangeable_things_say_nothing() {
        let (_, symmetry) = two_heads();
        assert!(symmetry.permutes("head.3.value"));
        for name in ["learned.0", "head", "head.value", "loss", "header.0.value"] {
            assert!(!symmetry.permutes(name), "{name}");
        }
    }

    /// With heads of equal norm and anchors near zero, canonical forms of near states can be far apart.
    #[test]
    fn distances_are_those_of_the_best_signs_and_places() {
        let (_, symmetry) = two_heads();
        let a = [1e-9, 1.0, 2.0, -1e-9, 2.0, 1.0, 0.5];
        let mut near = a;
        (near[0], near[3]) = (-1e-9, 1e-9);
        near[1] += 1e-6;
        // Exchanged, and the first head turned.
        let scrambled = [near[3], near[4], near[5], -near[0], -near[1], -near[2], near[6]];
        let plain = square(&a, &near).sqrt();
        assert!(
            symmetry.distance(&a, &scrambled) <= plain,
            "{}",
            symmetry.distance(&a, &scrambled)
        );
        assert!(square(&symmetry.canonical(&a), &symmetry.canonical(&scrambled)).sqrt() > 1.0);
        assert_eq!(symmetry.distance(&a, &a), 0.0);
    }
}
