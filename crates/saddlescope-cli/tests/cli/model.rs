//! Linear attention written a second time, as plainly as possible: what the program must agree with.

/// The task and the time constant.
#[derive(Clone)]
pub(crate) struct Model {
    /// Covariance of the tokens.
    pub(crate) covariance: Vec<Vec<f64>>,
    /// `E(1/N)`.
    pub(crate) inverse_mean: f64,
    pub(crate) tau: f64,
}

/// One head: `v`, and keys and queries as rank x dimension.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) value: f64,
    pub(crate) key: Vec<Vec<f64>>,
    pub(crate) query: Vec<Vec<f64>>,
}

type Matrix = Vec<Vec<f64>>;

fn matrix(d: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(a.len(), |i, j| (0..a.len()).map(|k| a[i][k] * b[k][j]).sum())
}

fn trace(a: &Matrix) -> f64 {
    (0..a.len()).map(|i| a[i][i]).sum()
}

/// `R diag(eigenvalues) R^T` for the rotation R by `angle`.
pub(crate) fn rotated(eigenvalues: [f64; 2], angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    let columns = [[c, -s], [s, c]];
    matrix(2, |i, j| (0..2).map(|d| columns[i][d] * eigenvalues[d] * columns[j][d]).sum())
}

impl Model {
    /// `E(Lhat^2)`, the second moment of a Wishart matrix over N.
    fn second_moment(&self) -> Matrix {
        let (l, n) = (&self.covariance, self.inverse_mean);
        let square = product(l, l);
        matrix(l.len(), |i, j| square[i][j] * (1.0 + n) + n * trace(l) * l[i][j])
    }

    /// `E (y - yhat)^2 = tr L - 2 tr(L M L) + tr(E(Lhat^2) M L M^T)` with `M = sum v k q^T`.
    fn loss(&self, heads: &[Head]) -> f64 {
        let d = self.covariance.len();
        let m = matrix(d, |i, j| {
            let slot = |h: &Head, r: usize| h.value * h.key[r][i] * h.query[r][j];
            heads.iter().map(|h| (0..h.key.len()).map(|r| slot(h, r)).sum::<f64>()).sum()
        });
        let transposed = matrix(d, |i, j| m[j][i]);
        let l = &self.covariance;
        let lm = product(l, &m);
        let fourth = product(&product(&self.second_moment(), &m), &product(l, &transposed));
        trace(l) - 2.0 * trace(&product(&lm, l)) + trace(&fourth)
    }

    /// The flow `tau dW/dt = -1/2 dL/dW`, by differences of the loss (a polynomial of low degree).
    pub(crate) fn rate(&self, heads: &[Head]) -> Vec<f64> {
        let step = 1e-3;
        let state = flat(heads);
        let slope = |index: usize| {
            let at = |shift: f64| {
                let mut moved = state.clone();
                moved[index] += shift * step;
                self.loss(&shaped(&moved, heads))
            };
            // Exact for polynomials up to degree four, which the loss has at most in one weight.
            (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
        };
        (0..state.len()).map(|index| -0.5 * slope(index) / self.tau).collect()
    }

    /// The weights at `time`, by `steps` classical Runge-Kutta steps.
    pub(crate) fn flow(&self, start: &[Head], time: f64, steps: usize) -> Vec<Head> {
        let h = time / steps as f64;
        let mut state = flat(start);
        let rate = |state: &[f64]| self.rate(&shaped(state, start));
        let ahead = |state: &[f64], rate: &[f64], h: f64| -> Vec<f64> {
            state.iter().zip(rate).map(|(x, r)| x + h * r).collect()
        };
        for _ in 0..steps {
            let k1 = rate(&state);
            let k2 = rate(&ahead(&state, &k1, h / 2.0));
            let k3 = rate(&ahead(&state, &k2, h / 2.0));
            let k4 = rate(&ahead(&state, &k3, h));
            for i in 0..state.len() {
                state[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }
        shaped(&state, start)
    }
}

/// The weights head by head: value, keys, queries.
pub(crate) fn flat(heads: &[Head]) -> Vec<f64> {
    let of = |head: &Head| [vec![head.value], head.key.concat(), head.query.concat()].concat();
    heads.iter().flat_map(of).collect()
}

/// The inverse of [`flat`], in the shape of `like`.
pub(crate) fn shaped(state: &[f64], like: &[Head]) -> Vec<Head> {
    let mut rest = state.iter().copied();
    let mut rows = |rows: &Matrix| -> Matrix {
        rows.iter().map(|row| rest.by_ref().take(row.len()).collect()).collect()
    };
    like.iter()
        .map(|head| Head {
            value: rows(&vec![vec![0.0]])[0][0],
            key: rows(&head.key),
            query: rows(&head.query),
        })
        .collect()
}

/// The losses of the plateaus: in each eigenvector the loss is `l - 2 l^2 x + a l x^2`, smallest at `x = l / a`.
pub(crate) fn plateaus(eigenvalues: &[f64], inverse_mean: f64) -> Vec<f64> {
    let trace: f64 = eigenvalues.iter().sum();
    let mut plateaus = vec![trace];
    for l in eigenvalues {
        let a = l * l + inverse_mean * (l * l + trace * l);
        plateaus.push(plateaus[plateaus.len() - 1] - l.powi(3) / a);
    }
    plateaus
}
