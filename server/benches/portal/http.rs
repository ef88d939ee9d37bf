//! As much of an HTTP/1.1 client as loading needs: one kept connection, whole answers, no allocation per header.

use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// One kept connection to a server on loopback.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A whole answer.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    /// Body, with chunks joined.
    pub body: Vec<u8>,
}

impl Answer {
    /// First value of a header.
    pub fn header<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.headers(name).next()
    }

    /// All values of a header.
    pub fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.head
            .lines()
            .filter_map(move |line| line.split_once(':').filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()))
    }

    /// Body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Connection {
    /// Connects with TCP_NODELAY.
    pub async fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the server listens");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        Self { stream, buffer: Vec::with_capacity(1 << 16) }
    }

    /// The same from an address of this machine.
    pub async fn open_from(address: Ipv4Addr, port: u16) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((address, 0).into()).expect("an address on loopback");
        let stream = socket.connect((Ipv4Addr::LOCALHOST, port).into()).await.expect("the server listens");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        Self { stream, buffer: Vec::new() }
    }

    /// Sends what [`request`] made and reads the head of the answer, whose body is a stream.
    pub async fn begin(&mut self, request: &[u8]) -> String {
        self.stream.write_all(request).await.expect("write");
        let head_end = loop {
            if let Some(position) = find(&self.buffer, b"\r\n\r\n") {
                break position + 4;
            }
            self.fill().await;
        };
        let head = String::from_utf8_lossy(&self.buffer[..head_end]).into_owned();
        self.buffer.drain(..head_end);
        head
    }

    /// Sends what [`request`] made and reads the whole answer.
    pub async fn send(&mut self, request: &[u8]) -> Answer {
        let head = self.begin(request).await;
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok()).expect("a status line");
        let mut answer = Answer { status, head, body: Vec::new() };
        if let Some(length) = answer.header("content-length").and_then(|text| text.parse::<usize>().ok()) {
            while self.buffer.len() < length {
                self.fill().await;
            }
            answer.body = self.buffer.drain(..length).collect();
        } else if answer.header("transfer-encoding").is_some() {
            answer.body = self.chunks().await;
        }
        answer
    }

    async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let line_end = loop {
                if let Some(position) = find(&self.buffer, b"\r\n") {
                    break position;
                }
                self.fill().await;
            };
            let size = usize::from_str_radix(String::from_utf8_lossy(&self.buffer[..line_end]).trim(), 16).expect("a chunk size");
            self.buffer.drain(..line_end + 2);
            while self.buffer.len() < size + 2 {
                self.fill().await;
            }
            body.extend(self.buffer.drain(..size));
            self.buffer.drain(..2);
            if size == 0 {
                return body;
            }
        }
    }

    async fn fill(&mut self) {
        let read = self.stream.read_buf(&mut self.buffer).await.expect("read");
        assert!(read > 0, "the server closed the connection");
    }
}

/// The bytes of a request.
pub fn request(method: &str, path: &str, port: u16, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{text}\r\n{body}").into_bytes()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
