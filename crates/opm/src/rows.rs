//! Rows of requests.

use promise::rest::RequestSummary;

use crate::output::{Output, Table, actor, age, monthly, state};
use crate::terminal::Terminal;

/// Returns the table of a list.
pub(crate) fn table(requests: &[RequestSummary], output: Output, terminal: &Terminal<'_>) -> Table {
    let is_wide = output == Output::Wide;
    let mut head = vec!["NAME", "PROMISE", "VERSION", "STATE", "COST", "AGE"];
    head.extend(if is_wide { ["NAMESPACE", "OWNER", "PROJECT", "NEXT", "MESSAGE"].as_slice() } else { ["MESSAGE"].as_slice() });
    let mut table = Table::new(output, &head);
    for request in requests {
        let change = request.change.map(|change| format!(" ({})", promise::wording::lower_first(change.label()))).unwrap_or_default();
        let mut row = vec![
            request.name.clone().into(),
            request.promise.clone().into(),
            request.version.clone().into(),
            state(request.state).with(&change),
            monthly(request.cost.as_ref()).into(),
            age(&request.created, (terminal.now)()).into(),
        ];
        if is_wide {
            let next = actor(request.actor);
            row.extend([
                request.namespace.clone().into(),
                request.owner.clone().into(),
                request.project.clone().unwrap_or_else(|| "–".to_owned()).into(),
                next.into(),
            ]);
        }
        row.push(request.message.clone().into());
        table.row(row);
    }
    table
}
