//! How programs use the outputs: snippets with references to the Secret, never with its values.

use crate::view::{OutputValue, RequestPage};
use leptos::prelude::*;
use promise::connection::ConnectionTemplate;

use crate::texts::request as texts;
use crate::ui::Code;

/// Folded snippets; nothing until an output is there.
pub(super) fn usage(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let mut there: Vec<&OutputValue> = page.outputs.iter().filter(|output| output.there).collect();
    // A variable can only be used after it is set.
    there.sort_by_key(|output| output.template.is_some());
    let combined = there.iter().any(|output| output.template.is_some());
    let (container, shell) = (container(&there), shell(&there, &page.row.namespace));
    (!there.is_empty()).then(|| {
        view! {
            <details class="why padded"><summary>{texts::USE_OUTPUTS}</summary>
                <p class="small muted">{texts::USE_OUTPUTS_HINT}</p>
                <h3>{texts::CONTAINER_ENVIRONMENT}</h3><Code label=texts::CONTAINER_ENVIRONMENT text=container copy=true/>
                <h3>{texts::SHELL_ENVIRONMENT}</h3><Code label=texts::SHELL_ENVIRONMENT text=shell copy=true/>
                {combined.then(|| view! { <p class="small muted">{texts::COMBINED_VARIABLES}</p> })}
            </details>
        }
    })
}

/// Returns the `env` of a container in the request's namespace.
fn container(outputs: &[&OutputValue]) -> String {
    let lines = outputs.iter().filter_map(|output| {
        let name = variable(&output.name);
        match (&output.reference, &output.value, combined(output)) {
            // Kubernetes replaces the names of variables that are set above; $$ is a dollar sign.
            (_, _, Some(template)) => {
                let value = template.written(|text| text.replace('$', "$$"), |name| format!("$({})", variable(name)));
                Some(format!("- name: {name}\n  value: {}\n", quoted(&value)))
            }
            (Some((secret, key)), ..) => {
                Some(format!("- name: {name}\n  valueFrom:\n    secretKeyRef: {{name: {}, key: {}}}\n", quoted(secret), quoted(key)))
            }
            (None, Some(value), None) => Some(format!("- name: {name}\n  value: {}\n", quoted(&value.replace('$', "$$")))),
            (None, None, None) => None,
        }
    });
    format!("env:\n{}", lines.collect::<String>())
}

/// Returns commands that set variables of a shell.
fn shell(outputs: &[&OutputValue], namespace: &str) -> String {
    let lines = outputs.iter().filter_map(|output| {
        let name = variable(&output.name);
        match (&output.reference, &output.value, combined(output)) {
            (_, _, Some(template)) => {
                let value = template.written(in_double_quotes, |name| format!("${{{}}}", variable(name)));
                Some(format!("export {name}=\"{value}\"\n"))
            }
            (Some((secret, key)), ..) => {
                let path = format!("{{.data.{}}}", key.replace('.', "\\."));
                Some(format!("export {name}=\"$(kubectl get secret {secret} -n {namespace} -o jsonpath='{path}' | base64 -d)\"\n"))
            }
            (None, Some(value), None) => Some(format!("export {name}='{}'\n", value.replace('\'', "'\\''"))),
            (None, None, None) => None,
        }
    });
    lines.collect()
}

/// Returns the template of a connection string that is put together from other outputs.
fn combined(output: &OutputValue) -> Option<ConnectionTemplate> {
    ConnectionTemplate::parse(output.template.as_deref()?).ok()
}

/// Escapes what has a meaning between double quotes of a shell.
fn in_double_quotes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '"' | '$' | '`' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Returns the name of an output as that of a variable.
fn variable(name: &str) -> String {
    let mut variable = String::new();
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_lower {
            variable.push('_');
        }
        after_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        variable.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    }
    variable
}

/// Returns a text as a YAML string: JSON is YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_name_secrets_and_quote_values() {
        let host = OutputValue { name: "host".into(), value: Some("it's \"here\"".into()), there: true, ..OutputValue::default() };
        let password = OutputValue {
            name: "adminPassword".into(),
            secret: true,
            there: true,
            reference: Some(("orders-db-outputs".into(), "tls.key".into())),
            ..OutputValue::default()
        };
        let all = [&host, &password];
        assert_eq!(
            container(&all),
            "env:\n- name: HOST\n  value: \"it's \\\"here\\\"\"\n- name: ADMIN_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: \"orders-db-outputs\", key: \"tls.key\"}\n"
        );
        assert_eq!(
            shell(&all, "default"),
            "export HOST='it'\\''s \"here\"'\nexport ADMIN_PASSWORD=\"$(kubectl get secret orders-db-outputs -n default -o jsonpath='{.data.tls\\.key}' | base64 -d)\"\n"
        );
        assert_eq!(variable("a-b.c"), "A_B_C");
    }

    #[test]
    fn a_connection_string_combines_variables_and_names_no_value() {
        let connection = OutputValue {
            name: "connectionString".into(),
            secret: true,
            there: true,
            connection: true,
            template: Some("x://{adminPassword}@{host}/?a=$1".into()),
            ..OutputValue::default()
        };
        assert_eq!(container(&[&connection]), "env:\n- name: CONNECTION_STRING\n  value: \"x://$(ADMIN_PASSWORD)@$(HOST)/?a=$$1\"\n");
        assert_eq!(shell(&[&connection], "default"), "export CONNECTION_STRING=\"x://${ADMIN_PASSWORD}@${HOST}/?a=\\$1\"\n");
    }
}
