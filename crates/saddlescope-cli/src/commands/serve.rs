//! `saddlescope serve`: the observatory on this machine.

use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};

use saddlescope_web::{Options, Server};

use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope serve                                  the observatory, in the browser of this machine
  saddlescope serve --runs figures --runs old/runs   with the runs and figures of these folders
  saddlescope serve --port 9000 --no-open            say where it is, and open nothing
  saddlescope serve --host 0.0.0.0 --allow-host lab.example
                                                     for a whole network: whoever reaches the port may compute here
                                                     and read the folder of runs

It ends with Ctrl-C.")]
pub(crate) struct ServeArgs {
    /// Folder whose runs, figures and sweeps can be browsed, and nothing else; may be repeated. Without it runs, reproduction
    /// and sweeps, where the other commands leave them
    #[arg(long, value_name = "FOLDER")]
    runs: Vec<PathBuf>,
    /// Port to listen on; without it 7233, or the next one that is free
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen on; by default only this machine can ask
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// A name under which this machine is asked, besides localhost and its addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Longest time that one computation may take
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Most memory that one computation may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    memory: u64,
}

/// Where it is found unless somebody says otherwise: SADD on the keys of a telephone.
const PORT: u16 = 7233;

/// Where commands leave what they make unless somebody says otherwise.
const RUNS: [&str; 3] = ["runs", "reproduction", "sweeps"];

pub(crate) fn serve(args: &ServeArgs, registry: &Registry) -> Outcome {
    let runs: Vec<PathBuf> = match args.runs.as_slice() {
        [] => RUNS.iter().map(PathBuf::from).collect(),
        named => named.to_vec(),
    };
    let options = Options {
        address: SocketAddr::new(args.host, args.port.unwrap_or(PORT)),
        any_port: args.port.is_none(),
        hosts: args.allow_host.clone(),
        runs: runs.clone(),
        time: Duration::from_secs(args.seconds),
        memory: args.memory << 20,
        registry: registry.clone(),
    };
    let server = Server::listen(options).map_err(Failure::input)?;
    let address = server.address();
    let host = match address.ip() {
        ip if ip.is_loopback() || ip.is_unspecified() => "localhost".to_owned(),
        ip if ip.is_ipv6() => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    let page = format!("http://{host}:{}/", address.port());
    print(&format!("the observatory is at {page}  (Ctrl-C ends it)\n"))?;
    if !address.ip().is_loopback() {
        eprintln!(
            "warning: {address} can be reached from other machines; whoever reaches it may compute here and read {}",
            runs.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
        );
    }
    if !args.no_open && std::io::stdout().is_terminal() {
        open(&page);
    }
    server.serve(&interrupt::flag());
    Ok(Verdict::Done)
}

/// Opens the page in the browser, where there is one; if not, its address is on the screen.
fn open(page: &str) {
    let (program, words): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/c", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(words).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
