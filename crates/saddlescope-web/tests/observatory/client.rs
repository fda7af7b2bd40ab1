//! A server for one test, and the little of HTTP that is needed to ask it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use saddlescope_lab::registry::Registry;
use saddlescope_web::{Options, Server};
use serde_json::{Value, json};

/// After this, a test that hangs is given up.
const GIVE_UP: Duration = Duration::from_secs(600);

/// All that comes with Saddlescope.
pub(crate) fn registry() -> Registry {
    Registry::new(&[saddlescope_systems::ALL]).unwrap()
}

/// A server that ends with the test.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// A server with the usual limits and no runs.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A server over a folder of runs.
    pub(crate) fn over(runs: &Path) -> Self {
        Self::with(|options| options.runs = vec![runs.to_owned()])
    }

    /// A server with other options.
    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            address: "127.0.0.1:0".parse().unwrap(),
            any_port: true,
            hosts: Vec::new(),
            runs: vec!["no-such-folder".into()],
            time: GIVE_UP,
            memory: 1 << 30,
            registry: registry(),
        };
        change(&mut options);
        let server = Server::listen(options).unwrap();
        let address = server.address();
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.serve(&heard));
        Self { address, stop, thread: Some(thread) }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        self.get(path).well().json()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        let json = ("Content-Type", "application/json");
        self.ask("POST", path, &[json], body.to_string().as_bytes())
    }

    /// The live view of a system as it is declared, which is quick; asked for again as long as the server is too busy.
    pub(crate) fn eventually_live(&self) {
        let began = Instant::now();
        loop {
            let reply = self.post("/api/live", &json!({"system": "linear-attention"}));
            let last = reply.status == 200 && reply.frames().last().unwrap().kind() == "end";
            if last || began.elapsed() > GIVE_UP {
                reply.end();
                return;
            }
        }
    }

    /// Asks with headers of the test's choice; `Host` is right unless it is among them.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        if method == "POST" {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server may refuse before it has read everything.
        let _ = stream.write_all(body);
        Reply::read(stream)
    }

    /// Asks, and leaves the answer to whoever wants to read it.
    pub(crate) fn begin(&self, path: &str, body: &Value) -> TcpStream {
        let (mut stream, body) = (self.connect(), body.to_string());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    /// A connection on which nothing has been said yet.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(GIVE_UP)).unwrap();
        stream
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server itself failed");
        }
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads an answer to its end; status 0 where there is none.
    pub(crate) fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        let none = Self { status: 0, headers: Vec::new(), body: Vec::new() };
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return none;
        }
        let Some(status) = line.split(' ').nth(1).and_then(|code| code.parse().ok()) else {
            return none;
        };
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Self { status, headers, body: Vec::new() };
        if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = chunk(&mut reader) {
                reply.body.extend(chunk);
            }
        } else {
            let _ = reader.read_to_end(&mut reply.body);
        }
        reply
    }

    /// The answer, after it was found to be one.
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.status, 200, "{}", self.text());
        self
    }

    /// What a computation came to, in its last frame.
    #[track_caller]
    pub(crate) fn end(self) -> Frame {
        let last = self.well().frames().pop().unwrap();
        assert_eq!(last.kind(), "end", "{}", last.head);
        last
    }

    /// Checks that it is refused with this status, and in which words.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, words: &str) {
        assert!(self.status == status && self.text().contains(words), "{self:?}");
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn frames(&self) -> Vec<Frame> {
        let mut rest = self.body.as_slice();
        let mut frames = Vec::new();
        while !rest.is_empty() {
            let count =
                |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap()) as usize;
            let (json, numbers) = (count(0), count(4));
            let head = serde_json::from_slice(&rest[8..8 + json]).unwrap();
            let data = rest[8 + json..8 + json + numbers].chunks_exact(8);
            let numbers_of = |eight: &[u8]| f64::from_le_bytes(eight.try_into().unwrap());
            frames.push(Frame { head, numbers: data.map(numbers_of).collect() });
            rest = &rest[8 + json + numbers..];
        }
        frames
    }
}

/// One chunk of a body that comes in chunks; nothing at its end, or where it is cut off.
pub(crate) fn chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let size = usize::from_str_radix(line.trim(), 16).ok().filter(|&size| size > 0)?;
    let mut bytes = vec![0; size + 2];
    reader.read_exact(&mut bytes).ok()?;
    bytes.truncate(size);
    Some(bytes)
}

/// A frame: what is said, and numbers.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) head: Value,
    pub(crate) numbers: Vec<f64>,
}

impl Frame {
    pub(crate) fn kind(&self) -> &str {
        self.head["kind"].as_str().unwrap()
    }

    /// A column by its name; `time` and `step` are two.
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let rows = self.head["rows"].as_u64().unwrap() as usize;
        let mut at = match name {
            "time" => return self.numbers[..rows].to_vec(),
            "step" => return self.numbers[rows..2 * rows].to_vec(),
            _ => 2 * rows,
        };
        for column in self.head["columns"].as_array().unwrap() {
            let shape = column["shape"].as_array().unwrap().iter();
            let width = shape.map(|extent| extent.as_u64().unwrap() as usize).product::<usize>();
            if column["name"] == name {
                return self.numbers[at..at + rows * width].to_vec();
            }
            at += rows * width;
        }
        panic!("no column {name}")
    }
}
