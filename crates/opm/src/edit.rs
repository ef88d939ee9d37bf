//! `opm request edit` and `opm request diff`: a change of a request, from flags, a file or an editor.

use std::time::Duration;

use clap::{Args, Command, FromArgMatches as _};
use http::{Method, header};
use promise::api::ChangelogEntry;
use promise::path::Path;
use promise::rest::{PublishedVersion, RequestDetail};
use promise::upgrade::{Carried, Lost, Published, carried, constraint_for, newer};
use promise::{changelog, names};
use serde_json::{Value, json};

use crate::commands::Called;
use crate::form::{Form, Secrets, read_file};
use crate::output::{Output, one_line};
use crate::portal::{Portal, Way};
use crate::target::Target;
use crate::terminal::Terminal;
use crate::watch::{self, Until};
use crate::write::{
    Content, check, clap_error, duration, find_promise, follow_hint, option, rehearse, shown, spec, with_references, with_secrets,
};
use crate::{Error, Outcome, preflight};

/// Lines around a difference.
const AROUND: usize = 3;

/// Options of a change.
#[derive(Args, Debug)]
struct EditOptions {
    /// Namespace of the request.
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Version of the promise, or a constraint such as ~1.2.
    #[arg(long, value_name = "VERSION", visible_alias = "to")]
    promise_version: Option<String>,
    /// Remove the value of a field, so that its default applies; can be repeated.
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    #[command(flatten)]
    content: Content,
    /// Wait until the change is rolled out, or needs someone.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,
    /// Program that edits text.
    #[arg(long, value_name = "PROGRAM", env = "EDITOR", hide_env_values = true)]
    editor: Option<String>,
}

/// Changes a request. `words` are its name and everything after it.
pub(crate) async fn edit(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let mut change = Change::read(words, way, called, "edit", terminal).await?;
    if !change.is_given {
        change.manifest = edited(&change.options, change.manifest, terminal)?;
    }
    send(change, called, terminal).await
}

/// Upgrades a request to the newest version of its promise, or to another one. `words` are its name and everything after it.
pub(crate) async fn upgrade(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let mut change = Change::read(words, way, called, "upgrade", terminal).await?;
    let former = &change.former;
    let published: Vec<Published<'_>> =
        change.published.iter().map(|one| Published { revision: &one.revision, version: &one.version }).collect();
    let running = former.running.as_ref().map(|running| running.version.as_str());
    let (present, policy) = (former.spec.promise.version.as_deref().unwrap_or_default(), former.spec.upgrade);
    let Some(version) = change.options.promise_version.clone().or_else(|| newer(&published, present, running, policy)) else {
        terminal.note(&format!("{} doesn't need an upgrade: no newer version is published.", change.target.name))?;
        return Ok(Outcome::Yes);
    };
    let is_published = published.iter().any(|one| one.version == version);
    for ChangelogEntry { version, changes } in described(&change.published, running, &version) {
        terminal.note(&format!("New in {version}: {}", one_line(&changes.join(" "), usize::MAX)))?;
    }
    let constraint = if is_published { constraint_for(&published, &version, running, policy) } else { version.clone() };
    change.manifest["spec"]["promise"]["version"] = constraint.into();
    // The fields of other versions than the newest one aren't known here. The portal checks them.
    if change.form.spec().version == version {
        let Carried { parameters, lost } = carried(change.form.spec(), change.form.spec(), &change.manifest["spec"]["parameters"]);
        change.form.complete(&parameters, &mut change.secrets, terminal)?;
        change.manifest["spec"]["parameters"] = parameters;
        for Lost { label, value, .. } in lost {
            terminal.note(&format!("{label} ({value}) isn't part of version {version}, so it's removed."))?;
        }
    }
    send(change, called, terminal).await
}

/// Returns what the team of a promise says about the versions after the running one, up to and including another, newest first.
fn described(published: &[PublishedVersion], running: Option<&str>, to: &str) -> Vec<ChangelogEntry> {
    let entry = |one: &PublishedVersion| ChangelogEntry { version: one.version.clone(), changes: one.changes.clone() };
    let entries: Vec<ChangelogEntry> = published.iter().filter(|one| !one.changes.is_empty()).map(entry).collect();
    changelog::between(&entries, running.unwrap_or_default(), to)
}

/// Sends a change, or rehearses it.
async fn send(change: Change, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let Change { portal, target, former, etag, form, options, manifest, secrets, .. } = change;
    if manifest["spec"] == before(&former)["spec"] && secrets.is_empty() {
        terminal.note(&format!("Nothing changed in {}.", target.name))?;
        return Ok(Outcome::Yes);
    }
    if options.content.dry_run {
        return rehearse(&portal, &form, &manifest, &secrets, options.content.output, terminal).await;
    }
    let key = terminal.key();
    let version = etag.unwrap_or_else(|| format!("\"{}-{}\"", former.generation, former.summary.uid));
    let fields = [(header::IF_MATCH, version.as_str()), (header::HeaderName::from_static("idempotency-key"), key.as_str())];
    let body = with_secrets(manifest, &secrets);
    let changed = portal.send::<RequestDetail>(Method::PUT, &target.path(), &fields, &body).await.map_err(|error| form.named(error))?.body;
    shown(&changed, options.content.output, "changed", terminal)?;
    follow_hint(&changed, options.content.output, called, terminal)?;
    if !options.wait {
        return Ok(Outcome::Yes);
    }
    watch::progress(&portal, &target, Until::Settled, options.timeout, called, terminal).await
}

/// Shows what a change would change. The answer is no if anything differs, as `diff` has it.
pub(crate) async fn diff(words: &[String], way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let change = Change::read(words, way, called, "diff", terminal).await?;
    let Change { portal, target, former, form, options, manifest, secrets, is_given, .. } = change;
    if !is_given {
        let name = &target.name;
        return Err(Error::Usage(format!(
            "say what to compare with: `{} request diff {name} -f FILE`, or the flags of an edit",
            called.name()
        )));
    }
    let (from, to) = (before(&former), &manifest);
    let text = |value: &Value| promise::form::yaml::write(&value["spec"]);
    let difference = similar::TextDiff::from_lines(text(&from).as_str(), text(to).as_str())
        .unified_diff()
        .context_radius(AROUND)
        .header(&format!("{} (now)", target.name), &format!("{} (changed)", target.name))
        .to_string();
    terminal.print(&difference)?;
    let secret: String = secrets.keys().map(|path| format!("{path}: a new secret\n")).collect();
    terminal.print(&secret)?;
    let is_same = from["spec"] == to["spec"] && secrets.is_empty();
    if !is_same && options.content.output != Output::Name {
        let answer = check(&portal, &with_references(manifest.clone(), &secrets)).await.map_err(|error| form.named(error))?;
        terminal.note(&preflight::brief(&answer))?;
    }
    Ok(is_same.into())
}

/// A change of a request, before it is sent.
struct Change {
    portal: Portal,
    target: Target,
    former: RequestDetail,
    etag: Option<String>,
    form: Form,
    options: EditOptions,
    manifest: Value,
    secrets: Secrets,
    published: Vec<PublishedVersion>,
    /// Whether flags or a file say what changes.
    is_given: bool,
}

impl Change {
    async fn read(words: &[String], way: &Way, called: Called, verb: &str, terminal: &mut Terminal<'_>) -> Result<Self, Error> {
        let Some((name, words)) = words.split_first() else {
            return Err(Error::Usage(format!("name the request; `{} request list` shows them", called.name())));
        };
        let way = way.found_in(words);
        let portal = Portal::open(&way).await?;
        let target = Target::find(&portal, name, option(words, "namespace").or_else(|| option(words, "n")), called).await?;
        let read = portal.get::<RequestDetail>(&target.path(), &[]).await?;
        let former = read.body;
        let promise = find_promise(&portal, &former.summary.promise, former.summary.home.as_deref(), called).await?;
        let base =
            Command::new(verb.to_owned()).bin_name(format!("{} request {verb} {name}", called.name())).about(format!("{verb} {name}"));
        let form = Form::new(&former.summary.promise, spec(&promise), EditOptions::augment_args(Way::augment_args(base)));
        let matches = form.parse(words)?;
        let options = EditOptions::from_arg_matches(&matches).map_err(clap_error)?;
        let mut manifest = before(&former);
        if let Some(file) = &options.content.file {
            let given = read_file(file, terminal)?;
            manifest["spec"]["parameters"] = given.parameters;
            for (key, value) in given.spec.into_iter().filter(|(key, _)| key != "promise" && key != "requester") {
                manifest["spec"][key] = value;
            }
        }
        let mut parameters = manifest["spec"]["parameters"].take();
        for field in &options.unset {
            let path = Path::parse(field).map_err(|error| Error::Usage(format!("--unset {field}: {error}")))?;
            if path.remove(&mut parameters).is_none() {
                return Err(Error::Usage(format!("--unset {field}: {name} has no value there")));
            }
        }
        let secrets = form.fill(&matches, &mut parameters, terminal)?;
        manifest["spec"]["parameters"] = parameters;
        if let Some(reason) = &options.content.reason {
            manifest["spec"]["reason"] = reason.as_str().into();
        }
        if let Some(version) = &options.promise_version {
            manifest["spec"]["promise"]["version"] = version.as_str().into();
        }
        let content = &options.content;
        let expires = content.set_expiry(&mut manifest);
        let is_other = expires || content.file.is_some() || content.reason.is_some() || options.promise_version.is_some();
        let is_given = is_other || form.is_typed(&matches) || !options.unset.is_empty();
        let published = promise.published;
        Ok(Self { portal, target, former, etag: read.etag, form, options, manifest, secrets, published, is_given })
    }
}

/// Returns the manifest of a request as it is.
pub(crate) fn before(detail: &RequestDetail) -> Value {
    let summary = &detail.summary;
    let mut spec = json!(detail.spec);
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("requester");
        spec.entry("parameters").or_insert_with(|| json!({}));
    }
    json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
        "metadata": {"name": summary.name, "namespace": summary.namespace}, "spec": spec,
    })
}

/// Opens an editor on a request, and returns what is saved.
fn edited(options: &EditOptions, manifest: Value, terminal: &mut Terminal<'_>) -> Result<Value, Error> {
    if !terminal.interactive {
        return Err(Error::Usage("say what to change: with the flags of the fields, with --unset, or with -f FILE".to_owned()));
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("request.yaml");
    std::fs::write(&file, promise::form::yaml::write(&manifest)).map_err(Error::file(&file))?;
    let program = options.editor.clone().unwrap_or_else(|| "vi".to_owned());
    let mut words = program.split_whitespace();
    let command = words.next().unwrap_or("vi");
    let status = std::process::Command::new(command).args(words).arg(&file).status().map_err(Error::file(std::path::Path::new(command)))?;
    if !status.success() {
        return Err(Error::Usage(format!("{program} ended with an error, so nothing was changed")));
    }
    let text = std::fs::read_to_string(&file).map_err(Error::file(&file))?;
    let value = promise::form::yaml::read_document(&text).map_err(|error| Error::Usage(error.message))?;
    if value["metadata"] != manifest["metadata"] {
        return Err(Error::Usage("name and namespace of a request can't be changed".to_owned()));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_lists_what_is_described_of_the_versions_on_the_way() {
        let version = |version: &str, changes: &[&str]| PublishedVersion {
            version: version.into(),
            revision: format!("redis-{version}"),
            since: "2026-11-03T08:00:00Z".into(),
            changes: changes.iter().map(|change| (*change).to_owned()).collect(),
        };
        let all = [version("1.2.0", &["Three."]), version("1.1.0", &[]), version("1.0.1", &["Two."]), version("1.0.0", &["One."])];
        let versions = |running, to| described(&all, running, to).into_iter().map(|entry| entry.version).collect::<Vec<_>>();
        assert_eq!(versions(Some("1.0.0"), "1.2.0"), ["1.2.0", "1.0.1"]);
        assert_eq!(versions(Some("1.0.0"), "1.1.0"), ["1.0.1"]);
        assert_eq!(versions(Some("1.2.0"), "1.0.0"), Vec::<String>::new());
        assert_eq!(versions(None, "1.2.0"), Vec::<String>::new());
    }
}
