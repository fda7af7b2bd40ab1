//! Arguments of `serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Folder whose runs, figures and sweeps can be browsed, and nothing else; may be repeated. Without it runs, reproduction
    /// and sweeps, where the other commands leave them
    #[arg(long, value_name = "FOLDER")]
    pub(crate) runs: Vec<PathBuf>,
    /// Port to listen on; without it 7233, or the next one that is free
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Address to listen on; by default only this machine can ask
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// A name under which this machine is asked, besides localhost and its addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Longest time that one computation may take
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// Most memory that one computation may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub(crate) memory: u64,
}
