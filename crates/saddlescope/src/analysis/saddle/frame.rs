//! The coordinates of the flow around a state: lengths in which the gradient flow has rate one.

use crate::prelude::*;
use crate::surface::Probe;

/// Coordinates `z` with `theta = origin + sqrt(rate) z`; parameters of rate 0 stand still and have none.
pub(super) struct Frame<'a> {
    probe: Probe<'a>,
    origin: Vec<f64>,
    moving: Vec<usize>,
    /// Roots of their rates.
    roots: Vec<f64>,
    state: Vec<f64>,
    /// The gradient with respect to the parameters, at the place of the last evaluation.
    pub(super) slope: Vec<f64>,
    direction: Vec<f64>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(surface: &'a dyn Surface, origin: &[f64]) -> Self {
        let rates = surface.layout().rates();
        let moving: Vec<usize> = (0..rates.len()).filter(|&i| rates[i] > 0.0).collect();
        Self {
            probe: surface.probe(),
            origin: origin.to_vec(),
            roots: moving.iter().map(|&i| rates[i].sqrt()).collect(),
            moving,
            state: origin.to_vec(),
            slope: vec![0.0; origin.len()],
            direction: vec![0.0; origin.len()],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.moving.len()
    }

    /// The largest root of a rate: how far parameters move for one unit of `z`, at most.
    pub(super) fn stretch(&self) -> f64 {
        self.roots.iter().fold(0.0, |most: f64, &root| most.max(root))
    }

    fn place(&mut self, z: &[f64]) {
        for ((&i, root), z) in self.moving.iter().zip(&self.roots).zip(z) {
            self.state[i] = self.origin[i] + root * z;
        }
    }

    /// The loss at `z`; `gradient` receives `dL/dz`.
    pub(super) fn evaluate(&mut self, z: &[f64], gradient: &mut [f64]) -> Result<f64, Fault> {
        self.place(z);
        let loss = self.probe.evaluate(&self.state, &mut self.slope)?;
        for ((&i, root), gradient) in self.moving.iter().zip(&self.roots).zip(gradient) {
            *gradient = root * self.slope[i];
        }
        Ok(loss)
    }

    /// The Hessian `d^2 L/dz^2` at `z`, made symmetric.
    pub(super) fn hessian(&mut self, z: &[f64]) -> Result<Mat<f64>, Fault> {
        let n = self.len();
        let mut hessian = Mat::zeros(n, n);
        self.place(z);
        for j in 0..n {
            self.direction[self.moving[j]] = self.roots[j];
            self.probe.hessian_product(&self.state, &self.direction, &mut self.slope)?;
            self.direction[self.moving[j]] = 0.0;
            for i in 0..n {
                hessian[(i, j)] = self.roots[i] * self.slope[self.moving[i]];
            }
        }
        Ok(Mat::from_fn(n, n, |i, j| 0.5 * (hessian[(i, j)] + hessian[(j, i)])))
    }

    /// The parameters at `z`.
    pub(super) fn state_at(&mut self, z: &[f64]) -> Vec<f64> {
        self.place(z);
        self.state.clone()
    }

    /// A direction of `z` as one of the parameters.
    pub(super) fn outward(&self, z: &[f64]) -> Vec<f64> {
        let mut direction = vec![0.0; self.origin.len()];
        for ((&i, root), z) in self.moving.iter().zip(&self.roots).zip(z) {
            direction[i] = root * z;
        }
        direction
    }

    /// A direction of the parameters as one of `z`.
    pub(super) fn inward(&self, direction: &[f64]) -> Vec<f64> {
        self.moving.iter().zip(&self.roots).map(|(&i, root)| direction[i] / root).collect()
    }
}
