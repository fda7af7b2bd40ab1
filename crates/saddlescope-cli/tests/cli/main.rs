//! The real binary in temporary folders: what people type, what they read, what programs parse.

mod check;
mod errors;
mod experiments;
mod files;
mod folders;
mod model;
mod plans;
mod plots;
mod program;
mod recording;
mod references;
mod reproducible;
mod saddles;
mod verify;
mod words;
