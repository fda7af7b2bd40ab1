//! The worlds of Saddlescope: each paper's task, landscapes and reduced theory, one folder each.

pub mod linear_attention;
