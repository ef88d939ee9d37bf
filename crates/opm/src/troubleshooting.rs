//! `opm request events` and `opm request logs`: what happens to the objects of a request.

use clap::Args;
use promise::rest::{EventItem, NotRead, RequestEvents, RequestLog};
use promise::troubleshooting::LOG_LINES;
use promise::wording::counted;

use crate::commands::Called;
use crate::output::{Output, Table, age, data, one_line, printable};
use crate::portal::{Portal, Way};
use crate::target::Target;
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Pod [default: the newest one].
    #[arg(long, value_name = "NAME")]
    pod: Option<String>,
    /// Container of the pod [default: the one that it declares, or else its first].
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Number of last lines.
    #[arg(long, value_name = "LINES", default_value_t = LOG_LINES, value_parser = clap::value_parser!(u32).range(1..=i64::from(LOG_LINES)))]
    tail: u32,
    /// Show the run before the container's last restart.
    #[arg(long)]
    previous: bool,
    /// Output format. With `name`, the pods.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// Lists the events about the objects of a request.
pub(crate) async fn events(args: &EventsArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let events = portal.get::<RequestEvents>(&format!("{}/events", target.path()), &[]).await?.body;
    match data(args.output, &events) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&names(&events))?,
        None if events.items.is_empty() => terminal.note(&format!("No recent events about the resources of {}.", target.name))?,
        None => terminal.print(&table(&events, args.output, terminal).render())?,
    }
    if events.left_out > 0 {
        let verb = if events.left_out == 1 { "isn't" } else { "aren't" };
        terminal.note(&format!("{} {verb} shown.", counted(events.left_out, "older event")))?;
    }
    explain(&events.not_read, terminal)?;
    Ok(Outcome::Yes)
}

/// Returns a line with the object of each event. Anyone who can create events chooses these names, and a terminal obeys escape sequences.
fn names(events: &RequestEvents) -> String {
    let name = |event: &EventItem| one_line(&format!("{}/{}", event.kind, event.name), usize::MAX);
    events.items.iter().map(|event| format!("{}\n", name(event))).collect()
}

fn table(events: &RequestEvents, output: Output, terminal: &Terminal<'_>) -> Table {
    let mut table = Table::new(output, &["LAST SEEN", "TYPE", "REASON", "OBJECT", "COUNT", "MESSAGE"]);
    for event in &events.items {
        table.row(vec![
            age(&event.last_seen, (terminal.now)()).into(),
            event.r#type.clone().into(),
            event.reason.clone().into(),
            format!("{}/{}", event.kind, event.name).into(),
            event.count.to_string().into(),
            event.message.clone().into(),
        ]);
    }
    table
}

/// Prints the end of a log of a pod of a request.
pub(crate) async fn logs(args: &LogsArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let target = Target::find(&portal, &args.name, args.namespace.as_deref(), called).await?;
    let tail = args.tail.to_string();
    let query = [
        ("pod", args.pod.as_deref().unwrap_or_default()),
        ("container", args.container.as_deref().unwrap_or_default()),
        ("tail", tail.as_str()),
        ("previous", if args.previous { "true" } else { "" }),
    ];
    let log = portal.get::<RequestLog>(&format!("{}/logs", target.path()), &query).await?.body;
    match data(args.output, &log) {
        Some(text) => terminal.print(&text)?,
        None if args.output == Output::Name => terminal.print(&log.pods.iter().map(|pod| format!("{}\n", pod.name)).collect::<String>())?,
        None => {
            for line in &log.lines {
                terminal.print(&format!("{}\n", printable(line)))?;
            }
            note(&log, &target, terminal)?;
        }
    }
    explain(&log.not_read, terminal)?;
    explain(log.log_not_read.as_slice(), terminal)?;
    Ok(log.log_not_read.is_none().into())
}

/// Says which log it is, and which others there are.
fn note(log: &RequestLog, target: &Target, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    let (Some(pod), Some(container)) = (&log.pod, &log.container) else {
        if log.pods.is_empty() {
            terminal.note(&format!("No pods belong to the resources of {} yet.", target.name))?;
        }
        return Ok(());
    };
    if log.lines.is_empty() && log.log_not_read.is_none() {
        terminal.note(&format!("No log lines yet of {container} in {pod}."))?;
    }
    let containers = log.pods.iter().find(|known| known.name == *pod).map(|known| known.containers.as_slice()).unwrap_or_default();
    if containers.len() > 1 {
        let names: Vec<&str> = containers.iter().map(|known| known.name.as_str()).collect();
        terminal.note(&format!("Containers of {pod}: {}. This is {container}.", names.join(", ")))?;
    }
    if log.pods.len() > 1 {
        let names: Vec<&str> = log.pods.iter().map(|known| known.name.as_str()).collect();
        terminal.note(&format!("Pods: {}. This is {pod}.", names.join(", ")))?;
    }
    Ok(())
}

/// Says what isn't read, and why.
fn explain(not_read: &[NotRead], terminal: &mut Terminal<'_>) -> Result<(), Error> {
    for reason in not_read {
        terminal.note(&printable(&reason.message))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_objects_cannot_control_the_terminal() {
        let event = |name: &str| EventItem { kind: "Pod".into(), name: name.into(), ..EventItem::default() };
        let items = vec![event("web-1"), event("web\u{1b}[2J\nPod/other\u{7}")];
        let events = RequestEvents { items, ..RequestEvents::default() };
        assert_eq!(names(&events), "Pod/web-1\nPod/web[2J Pod/other\n");
    }
}
