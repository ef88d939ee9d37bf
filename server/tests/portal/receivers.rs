//! The far edge of what the portal sends: a mail server and a receiver of webhooks, each on a port of this machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How long something may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A mail, as it arrived.
#[derive(Clone, Debug)]
pub struct Mail {
    /// To whom.
    pub to: String,
    /// Headers and body; soft line breaks are taken out.
    pub text: String,
}

impl Mail {
    /// The value of a header.
    pub fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        self.text.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or_default()
    }
}

/// A message to a webhook, as it arrived.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: String,
    /// The same as it was sent.
    pub bytes: Vec<u8>,
}

/// A server that keeps what it got.
pub struct Receiver<T> {
    /// Where it listens, on loopback.
    pub port: u16,
    got: Arc<Mutex<Vec<T>>>,
    /// What it answers next; an empty list is a success each time.
    answers: Arc<Mutex<Vec<&'static str>>>,
}

impl<T: Clone + Send + std::fmt::Debug + 'static> Receiver<T> {
    /// Everything that arrived until now.
    pub fn all(&self) -> Vec<T> {
        self.got.lock().clone()
    }

    /// Answers with these, in turn, and then with success.
    pub fn answer(&self, answers: &[&'static str]) {
        *self.answers.lock() = answers.iter().rev().copied().collect();
    }

    /// Waits for the first that fits.
    pub async fn until(&self, what: &str, fits: impl Fn(&T) -> bool) -> T {
        let waiting = async {
            loop {
                if let Some(found) = self.all().into_iter().find(|one| fits(one)) {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what} never came: {:#?}", self.all()))
    }

    async fn listen<F>(serve: impl Fn(TcpStream, Arc<Mutex<Vec<T>>>, Arc<Mutex<Vec<&'static str>>>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Option<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (got, answers) = (Arc::default(), Arc::default());
        let (kept, next) = (Arc::clone(&got), Arc::clone(&answers));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&next)));
            }
        });
        Self { port, got, answers }
    }
}

/// A mail server (RFC 5321, as much as a client needs). Its answers are those to the whole mail.
pub async fn mailbox() -> Receiver<Mail> {
    Receiver::listen(|stream, got, answers| async move {
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 mail.example.org ready\r\n").await.ok()?;
        let mut to = String::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return Some(());
            }
            let command = line.trim_end().to_owned();
            let answer = match command.get(..4).unwrap_or_default().to_ascii_uppercase().as_str() {
                "EHLO" | "HELO" => "250 mail.example.org",
                "RCPT" => {
                    to = command.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    "250 OK"
                }
                "DATA" => {
                    stream.write_all(b"354 go on\r\n").await.ok()?;
                    let mut text = String::new();
                    while !text.ends_with("\r\n.\r\n") {
                        if stream.read_line(&mut text).await.ok()? == 0 {
                            return None;
                        }
                    }
                    let answer = answers.lock().pop();
                    // Kept before it is answered: whoever does not hear the answer sends it again.
                    got.lock().push(Mail { to: to.clone(), text: text.replace("=\r\n", "") });
                    answer.unwrap_or("250 kept")
                }
                "QUIT" => {
                    stream.write_all(b"221 bye\r\n").await.ok()?;
                    return Some(());
                }
                _ => "250 OK",
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).await.ok()?;
        }
    })
    .await
}

/// A receiver of webhooks. Its answers are status lines such as `503 Busy`.
pub async fn hooks() -> Receiver<Call> {
    Receiver::listen(|stream, got, answers| async move {
        let mut stream = BufReader::new(stream);
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.to_owned()),
                None if line.trim_end().is_empty() => break,
                None => headers.insert("request".to_owned(), line.trim_end().to_owned()),
            };
        }
        let length = headers.get("content-length")?.parse().ok()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        got.lock().push(Call { headers, body: String::from_utf8_lossy(&body).into_owned(), bytes: body });
        let answer = answers.lock().pop().unwrap_or("200 OK");
        stream.write_all(format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes()).await.ok()
    })
    .await
}
