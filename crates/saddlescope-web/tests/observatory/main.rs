//! The real server on a port of its own, asked over the wire.

mod client;
mod contract;
mod export;
mod live;
mod load;
mod malformed;
mod papers;
mod runs;
mod safety;
mod signs;
