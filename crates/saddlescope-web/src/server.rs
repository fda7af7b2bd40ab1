//! Connections: accepted, limited in number and patience, and ended.

use std::sync::atomic::{AtomicBool, Ordering};

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::guard::Names;
use crate::prelude::*;
use crate::routes::routes;

/// Connections at once; further ones wait.
const MOST_CONNECTIONS: usize = 512;
/// How long somebody may take to say what he wants.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether the server should stop.
const BREATH: Duration = Duration::from_millis(50);
/// Ports after the first that are tried.
const PORTS: u16 = 50;
/// Stack of a computation, in bytes: as large as that of a program's first thread.
const STACK: usize = 8 << 20;

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not of this machine.
    #[error("cannot listen on {address}: {source}; choose another with --port or --host")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// No threads.
    #[error("cannot start: {0}")]
    Start(#[source] std::io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
}

impl Server {
    /// Listens where `options` say; nothing is answered yet.
    pub fn listen(options: Options) -> Result<Self, ServeError> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .thread_stack_size(STACK)
            .build()
            .map_err(ServeError::Start)?;
        let ports = if options.any_port && options.address.port() != 0 { PORTS } else { 0 };
        let mut refused = None;
        for more in 0..=ports {
            let Some(port) = options.address.port().checked_add(more) else { break };
            let address = SocketAddr::new(options.address.ip(), port);
            match runtime.block_on(TcpListener::bind(address)) {
                Ok(listener) => {
                    let address = listener.local_addr().map_err(ServeError::Start)?;
                    return Ok(Self { runtime, listener, address, options });
                }
                Err(source) => {
                    let taken = source.kind() == std::io::ErrorKind::AddrInUse;
                    refused.get_or_insert(ServeError::Address { address, source });
                    if !taken {
                        break;
                    }
                }
            }
        }
        Err(refused.unwrap_or_else(|| ServeError::Start(std::io::ErrorKind::AddrInUse.into())))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is set.
    pub fn serve(self, stop: &AtomicBool) {
        let Self { runtime, listener, address, options } = self;
        let names = Names::new(address, &options.hosts);
        let router = routes(options, names);
        runtime.block_on(async {
            tokio::select! {
                () = accept(&listener, &router) => {}
                () = told(stop) => {}
            }
        });
        // Computations hear of it because nobody reads their answers any more.
        runtime.shutdown_timeout(Duration::from_secs(1));
    }
}

async fn told(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(BREATH).await;
    }
}

async fn accept(listener: &TcpListener, router: &Router) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    converse(stream, router).await;
                    drop(place);
                });
            }
            // Out of descriptors, say: others must end first.
            Err(_) => tokio::time::sleep(BREATH).await,
        }
    }
}

async fn converse(stream: TcpStream, router: Router) {
    // Small frames go out at once.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    // A connection that breaks concerns nobody but its other end.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
