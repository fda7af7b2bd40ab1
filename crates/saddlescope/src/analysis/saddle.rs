//! Saddle certificates: the stationary point near a state, its kind, and how the flow leaves it.
//!
//! A certificate says four things. *Where*: the nearest point with no gradient, found by least squares
//! ([`stationary`](self), steps that tolerate singular Hessians), with the gradient that is left and the
//! distance. *Counts*: negative, zero and positive curvatures at a stated threshold, the zero modes of
//! continuous symmetries apart. *Kind*: [`Kind::NonDegenerate`] where the loss falls at second order,
//! [`Kind::Degenerate`] where it falls at a higher one, [`Kind::Minimum`] where it does not fall,
//! [`Kind::AtInfinity`] where the stationary point runs away, [`Kind::None`] where there is none near.
//! *Escape*: its law, rate and direction in the time of the flow.
//!
//! All of it happens in the metric of the flow: where parameters move at rates `r`, lengths are those
//! of `theta/sqrt(r)`, in which the flow is `dz/dt = -dL/dz` and curvatures are rates.
//!
//! | file | what it holds |
//! |---|---|
//! | `frame` | the coordinates of the flow around a state |
//! | `stationary` | the nearest stationary point in least squares |
//! | `spectrum` | curvatures, threshold, counts, symmetry |
//! | `order` | the loss as a function of the flat directions alone: the order at which it falls, and along which direction |
//! | `escape` | laws of escape, predicted and measured times |
//! | `graph` | known saddles, and the ways between them |

mod certificate;
mod escape;
mod frame;
mod graph;
mod order;
mod spectrum;
mod stationary;

#[cfg(test)]
mod tests;

pub use certificate::{Certificate, Kind, Point, Runaway, Search, certify};
pub use escape::{Departure, Escape, Law};
pub use graph::{Edge, Node, Path, SaddleGraph};
pub use spectrum::Counts;
