//! What can change in the parameters without changing what they compute.

use crate::Shape;

/// Directions that change nothing: a softmax does not see a number that is added to a row of `Y` or of `Z`.
pub fn directions(shape: &Shape) -> Vec<Vec<f64>> {
    let (columns, tokens) = (shape.columns(), shape.task.tokens.len());
    let mut all = Vec::new();
    for row in 0..shape.inputs.len() {
        let mut direction = vec![0.0; shape.len()];
        direction[row * columns..(row + 1) * columns].fill(1.0);
        if let Some(column) = shape.shared_column() {
            direction[row * columns + column] = shape.shared_scale();
        }
        all.push(direction);
    }
    for row in 0..shape.heads * shape.task.queries.len() {
        let first = shape.decoder_len() + row * tokens;
        let mut direction = vec![0.0; shape.len()];
        direction[first..first + tokens].fill(1.0);
        all.push(direction);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outputs, Population, Synthetic};
    use saddlescope::{Draw, Landscape};

    #[test]
    fn the_loss_does_not_see_them() {
        for outputs in [Outputs::All, Outputs::Used] {
            let shape = Shape::new(Synthetic::authors(2, 2).task().unwrap(), outputs).heads(2);
            let landscape = Population::new(shape.clone());
            let theta = shape.uniform_start(0.5, 3).unwrap();
            let loss = |theta: &[f64]| {
                let mut gradient = vec![0.0; theta.len()];
                landscape
                    .evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient)
                    .unwrap()
            };
            let first = loss(&theta);
            for direction in directions(&shape) {
                let moved: Vec<f64> =
                    theta.iter().zip(&direction).map(|(x, d)| x + 0.7 * d).collect();
                assert!((loss(&moved) - first).abs() < 1e-13);
            }
            let mut bent = theta.clone();
            bent[1] += 0.7;
            assert!((loss(&bent) - first).abs() > 1e-4);
        }
    }
}
