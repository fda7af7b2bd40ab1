//! The inner loops of Saddlescope under criterion: `cargo bench`.
