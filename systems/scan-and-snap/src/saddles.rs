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
