//! docs/opm.md: its commands work as written, and print what its transcript says.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use opm::{Outcome, Said, Terminal};
use opm_portal::clock::{Clock as _, System};
use parking_lot::Mutex;

use super::{Served, parsed, path, random, say};

/// The documentation with the transcript.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/opm.md");
/// A line of the transcript that stands for any number of lines that are left out.
const LEFT_OUT: &str = "…";

/// What a command has printed so far.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    /// The text without its styles.
    fn text(&self) -> String {
        let styled = String::from_utf8_lossy(&self.0.lock()).into_owned();
        let mut parts = styled.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, plain)| plain))
    }
}

impl Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The text of the blocks in this language below a heading of the documentation.
fn blocks(title: &str, language: &str) -> Vec<String> {
    let document = std::fs::read_to_string(DOCUMENT).expect("the documentation");
    let section = document.split(title).nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let begin = format!("```{language}\n");
    section.split(&begin).skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned()).collect()
}

/// The commands of these blocks, without comments.
fn commands(title: &str) -> Vec<Vec<String>> {
    let command = |line: &str| line.split(" #").next().unwrap_or_default().trim_end().to_owned();
    blocks(title, "sh").iter().map(|block| block.lines().map(command).collect()).collect()
}

/// The commands of a transcript, each with the lines that it prints.
fn transcript(text: &str) -> Vec<(String, String)> {
    let parts = format!("\n{text}");
    let parts = parts.split("\n$ ").skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")));
    parts.map(|(command, printed)| (command.to_owned(), printed.trim_end().to_owned())).collect()
}

/// Whether these lines are printed in this order, with others only where lines are left out.
fn fits(documented: &[&str], printed: &[&str]) -> bool {
    match documented {
        [] => printed.is_empty(),
        [LEFT_OUT, rest @ ..] => (0..=printed.len()).any(|left_out| fits(rest, &printed[left_out..])),
        [line, rest @ ..] => printed.first().is_some_and(|first| first.trim_end() == *line) && fits(rest, &printed[1..]),
    }
}

/// Checks what a command printed against the transcript: the result, and then the notes.
fn compare(said: &Said, (command, documented): &(String, String)) {
    let printed = format!("{}{}", said.text, said.notes);
    let [wanted, lines] = [documented, &printed].map(|text| text.trim_end().lines().collect::<Vec<_>>());
    assert!(fits(&wanted, &lines), "docs/opm.md has another output of `{command}` than this:\n{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_documentation_work_word_for_word() {
    let served = Served::open().await;
    let (dev, shop) = ("dev-shop", "root:acme:shop");
    let first = commands("## A first request");
    let [sign_in, first] = first.as_slice() else { panic!("{first:?}") };
    let ([_, login], [_, _, _, watch]) = (sign_in.as_slice(), first.as_slice()) else { panic!("{sign_in:?} {first:?}") };
    let texts = blocks("## A first request", "text");
    let [transcribed] = texts.as_slice() else { panic!("{texts:?}") };
    let transcribed = transcript(transcribed);
    assert_eq!(transcribed.iter().map(|(command, _)| command.as_str()).collect::<Vec<_>>(), first.iter().collect::<Vec<_>>());
    // With the kubeconfig that the portal writes; later commands know what was chosen.
    let sandbox = served.product.running.sandbox.as_ref().expect("an embedded plane");
    let config = served.folder.path().join("newcomer");
    let login = format!("{login} --portal {} --kubeconfig {}", served.address, path(&sandbox.kubeconfig));
    let said = say(&login, &config).await.expect("signed in");
    assert!(said.text.ends_with("Commands use root:acme:shop.\n"), "{}", said.text);

    let run = async |line: &str| say(line, &config).await.unwrap_or_else(|error| panic!("{line}: {error}"));
    let [before @ .., last] = transcribed.as_slice() else { panic!("{transcribed:?}") };
    for one in before {
        compare(&run(&one.0).await, one);
    }
    // Someone approves while the developer follows what is theirs, and has seen that it waits.
    let (shown, cli) = (Shown::default(), parsed(watch, &config));
    let approved = async {
        let waiting = async {
            while !shown.text().contains("Awaiting approval") {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("the developer sees that it waits");
        served.run("approver", "root:acme", "opm request approve postgresql --reason Agreed").await
    };
    let mut terminal = Terminal::plain(shown.clone(), || System.now(), random);
    let (outcome, _) = tokio::join!(opm::run(&cli, &mut terminal), approved);
    let yes = outcome.expect("followed") == Outcome::Yes;
    let said = Said { text: shown.text(), notes: String::new(), yes };
    assert!(said.yes, "{}", said.text);
    compare(&said, last);
    let said = run("opm request get postgresql").await;
    assert!(said.text.contains("tier: production") && !said.text.contains("replicas: "), "only what was typed is requested: {}", said.text);

    let blocks = commands("## Policies");
    let [commands] = blocks.as_slice() else { panic!("{blocks:?}") };
    let [refused, checked, list] = commands.as_slice() else { panic!("{commands:?}") };
    let (code, text) = served.refused(dev, shop, refused).await;
    assert!(code == 1 && text.contains("--replicas: "), "a refusal names the flag: {text}");
    let said = served.run(dev, shop, checked).await;
    assert!(said.yes && said.text.contains("replicas: 2 (policy: production-baseline, set at root:acme)"), "{}", said.text);
    assert!(served.run(dev, shop, list).await.text.contains("postgresql"));
    served.close().await;
}
