//! The real binary in temporary folders: what people type, what they read, what programs parse.

mod bases;
mod check;
mod errors;
mod experiments;
mod files;
mod fits;
mod folders;
mod formulas;
mod instruments;
mod model;
mod plans;
mod plots;
mod program;
mod recording;
mod reproducible;
mod saddles;
mod stages;
mod sweep;
mod systems;
mod text;
mod verify;
mod words;
