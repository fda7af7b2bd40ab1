//! The observatory of Saddlescope: a local server and its embedded page.
//!
//! | module | what it is |
//! |---|---|
//! | `server` | connections: accepted, limited, ended |
//! | `guard` | who may ask: hosts, origins, headers of every answer |
//! | `routes` | which address is answered by what |
//! | `assets` | the page itself and pictures, embedded |
//! | `query`, `answer`, `frames` | what is asked; answers in words, and runs as numbers |
//! | `jobs` | computations: how many at once, for how long, until nobody waits for them |
//! | `request` | a run as the page asks for it |
//! | `live`, `systems`, `export` | systems to play with |
//! | `runs` | a folder of stored runs, plans and sweeps, read and never written |
//! | `papers` | the papers: their figures, their claims, and both made anew |

mod answer;
mod assets;
mod clock;
mod export;
mod frames;
mod guard;
mod jobs;
mod live;
mod papers;
mod prelude;
mod query;
mod request;
mod routes;
mod runs;
mod server;
mod systems;

use crate::prelude::*;

pub use server::{ServeError, Server};

/// How the observatory is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether the next free port is taken where that one is taken.
    pub any_port: bool,
    /// Further names under which this machine is asked, besides its addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Folders with runs that can be browsed; those that are not there may come later.
    pub runs: Vec<PathBuf>,
    /// How long a computation may take.
    pub time: Duration,
    /// How much memory a computation may take, in bytes.
    pub memory: u64,
    /// The systems and experiments that it shows.
    pub registry: Registry,
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;
    use std::sync::LazyLock;

    /// All that comes with Saddlescope.
    pub(crate) static ALL: LazyLock<Registry> =
        LazyLock::new(|| Registry::new(&[saddlescope_systems::ALL]).unwrap());
}
