//! Pointers of scenarios: JSON pointers with `*`, `**` and `[field=value]`.

use serde_json::Value;

/// The segments of a pointer.
pub fn segments(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

/// A key or index.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    pub fn of<'a>(&self, value: &'a Value) -> &'a Value {
        match self {
            Self::Key(key) => &value[key.as_str()],
            Self::Index(index) => &value[*index],
        }
    }

    fn of_mut<'a>(&self, value: &'a mut Value) -> &'a mut Value {
        match self {
            Self::Key(key) => &mut value[key.as_str()],
            Self::Index(index) => &mut value[*index],
        }
    }
}

/// The keys or indexes of a value that one segment names.
pub fn steps(value: &Value, segment: &str) -> Vec<Step> {
    match value {
        Value::Object(fields) if segment == "*" => fields.keys().cloned().map(Step::Key).collect(),
        Value::Object(fields) => fields.get_key_value(segment).map(|(key, _)| Step::Key(key.clone())).into_iter().collect(),
        Value::Array(items) => {
            if let Some((field, wanted)) =
                segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|inner| inner.split_once('='))
            {
                let path: Vec<String> = field.split('.').map(str::to_owned).collect();
                let is = |item: &Value| find(item, &path).iter().any(|found| text(found) == wanted);
                return items.iter().enumerate().filter(|(_, item)| is(item)).map(|(index, _)| Step::Index(index)).collect();
            }
            (0..items.len()).filter(|index| segment == "*" || segment == index.to_string()).map(Step::Index).collect()
        }
        _ => Vec::new(),
    }
}

/// A value as Python's `str` shows it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        other => other.to_string(),
    }
}

/// All values that a path names.
pub fn find<'a>(value: &'a Value, path: &[String]) -> Vec<&'a Value> {
    match path.split_first() {
        None => vec![value],
        Some((first, rest)) => steps(value, first).iter().flat_map(|step| find(step.of(value), rest)).collect(),
    }
}

/// Takes away what a path names.
pub fn remove(value: &mut Value, path: &[String]) {
    let mut path = path;
    if path[0] == "**" {
        for step in steps(value, "*") {
            remove(step.of_mut(value), path);
        }
        path = &path[1..];
    }
    for step in steps(value, &path[0]).into_iter().rev() {
        if path.len() > 1 {
            remove(step.of_mut(value), &path[1..]);
        } else {
            match (step, &mut *value) {
                (Step::Key(key), Value::Object(fields)) => {
                    fields.remove(&key);
                }
                (Step::Index(index), Value::Array(items)) => {
                    items.remove(index);
                }
                _ => {}
            }
        }
    }
}

/// Only what the paths name.
pub fn select(value: &Value, paths: &[Vec<String>]) -> Value {
    if !(value.is_object() || value.is_array()) || paths.iter().any(Vec::is_empty) {
        return value.clone();
    }
    let parts = steps(value, "*").into_iter().filter_map(|step| {
        let rest: Vec<Vec<String>> =
            paths.iter().filter(|path| steps(value, &path[0]).contains(&step)).map(|path| path[1..].to_vec()).collect();
        (!rest.is_empty()).then(|| (step.clone(), select(step.of(value), &rest)))
    });
    match value {
        Value::Array(_) => parts.map(|(_, part)| part).collect(),
        _ => Value::Object(
            parts
                .filter_map(|(step, part)| match step {
                    Step::Key(key) => Some((key, part)),
                    Step::Index(_) => None,
                })
                .collect(),
        ),
    }
}
