//! `saddlescope serve`: the observatory on this machine.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use saddlescope_lab::registry::Registry;
use saddlescope_web::{Options, Server};

use crate::arguments::ServeArgs;
use crate::{Failure, Verdict, interrupt, print};

/// Where it is found unless somebody says otherwise: SADD on the keys of a telephone.
const PORT: u16 = 7233;

/// Where commands leave what they make unless somebody says otherwise.
const RUNS: [&str; 3] = ["runs", "reproduction", "sweeps"];

pub(crate) fn serve(args: &ServeArgs, registry: &Registry) -> Result<Verdict, Failure> {
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
