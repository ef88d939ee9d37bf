//! Signatures of all operators and functions. One line each: `receiver.name(parameters) -> result`, or without a receiver.
//! `A` and `B` stand for any type; the same letter is the same type.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::types::Type;

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// Types of the arguments; the first is the receiver of a member function.
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Type,
    pub(crate) member: bool,
}

/// Signatures by name; functions in a namespace are prefixed with its name, such as `sets.contains`.
pub(crate) static SIGNATURES: LazyLock<HashMap<&'static str, Vec<Signature>>> = LazyLock::new(|| {
    let mut table: HashMap<&'static str, Vec<Signature>> = HashMap::new();
    for line in [OPERATORS, STANDARD, STRINGS, LISTS, TIMES, OPTIONALS, KUBERNETES].into_iter().flat_map(str::lines) {
        if let Some((name, signature)) = parse(line.trim()) {
            table.entry(name).or_default().push(signature);
        }
    }
    table
});

/// First parts of the names of functions in namespaces.
pub(crate) const NAMESPACES: [&str; 11] =
    ["base64", "cel", "format", "ip", "jsonpatch", "lists", "math", "optional", "regex", "sets", "strings"];

const OPERATORS: &str = "
    _+_(int, int) -> int
    _+_(uint, uint) -> uint
    _+_(double, double) -> double
    _+_(string, string) -> string
    _+_(bytes, bytes) -> bytes
    _+_(list<A>, list<A>) -> list<A>
    _+_(duration, duration) -> duration
    _+_(timestamp, duration) -> timestamp
    _+_(duration, timestamp) -> timestamp
    _-_(int, int) -> int
    _-_(uint, uint) -> uint
    _-_(double, double) -> double
    _-_(duration, duration) -> duration
    _-_(timestamp, duration) -> timestamp
    _-_(timestamp, timestamp) -> duration
    _*_(int, int) -> int
    _*_(uint, uint) -> uint
    _*_(double, double) -> double
    _/_(int, int) -> int
    _/_(uint, uint) -> uint
    _/_(double, double) -> double
    _%_(int, int) -> int
    _%_(uint, uint) -> uint
    -_(int) -> int
    -_(double) -> double
    !_(bool) -> bool
    _&&_(bool, bool) -> bool
    _||_(bool, bool) -> bool
    _?_:_(bool, A, A) -> A
    _==_(A, A) -> bool
    _!=_(A, A) -> bool
    @in(A, list<A>) -> bool
    @in(A, map<A, B>) -> bool
    _[_](list<A>, int) -> A
    _[_](map<A, B>, A) -> B
    @not_strictly_false(bool) -> bool
";

const STANDARD: &str = "
    size(string) -> int
    size(bytes) -> int
    size(list<A>) -> int
    size(map<A, B>) -> int
    string.size() -> int
    bytes.size() -> int
    list<A>.size() -> int
    map<A, B>.size() -> int
    string.contains(string) -> bool
    string.startsWith(string) -> bool
    string.endsWith(string) -> bool
    string.matches(string) -> bool
    matches(string, string) -> bool
    int(int) -> int
    int(uint) -> int
    int(double) -> int
    int(string) -> int
    int(timestamp) -> int
    uint(int) -> uint
    uint(uint) -> uint
    uint(double) -> uint
    uint(string) -> uint
    double(int) -> double
    double(uint) -> double
    double(double) -> double
    double(string) -> double
    string(int) -> string
    string(uint) -> string
    string(double) -> string
    string(bool) -> string
    string(string) -> string
    string(bytes) -> string
    string(timestamp) -> string
    string(duration) -> string
    string(ipaddress) -> string
    string(cidrrange) -> string
    bool(bool) -> bool
    bool(string) -> bool
    bytes(string) -> bytes
    bytes(bytes) -> bytes
    dyn(A) -> dyn
    type(A) -> type
    range(int) -> list<int>
    omit() -> dyn
";

const STRINGS: &str = "
    string.charAt(int) -> string
    string.indexOf(string) -> int
    string.indexOf(string, int) -> int
    string.lastIndexOf(string) -> int
    string.lastIndexOf(string, int) -> int
    string.lowerAscii() -> string
    string.upperAscii() -> string
    string.replace(string, string) -> string
    string.replace(string, string, int) -> string
    string.split(string) -> list<string>
    string.split(string, int) -> list<string>
    string.substring(int) -> string
    string.substring(int, int) -> string
    string.trim() -> string
    string.reverse() -> string
    string.format(list<dyn>) -> string
    string.find(string) -> string
    string.findAll(string) -> list<string>
    string.findAll(string, int) -> list<string>
    strings.quote(string) -> string
    list<string>.join() -> string
    list<string>.join(string) -> string
    base64.encode(bytes) -> string
    base64.decode(string) -> bytes
    jsonpatch.escapeKey(string) -> string
";

const LISTS: &str = "
    list<A>.isSorted() -> bool
    list<int>.sum() -> int
    list<uint>.sum() -> uint
    list<double>.sum() -> double
    list<duration>.sum() -> duration
    list<A>.min() -> A
    list<A>.max() -> A
    list<A>.indexOf(A) -> int
    list<A>.lastIndexOf(A) -> int
    list<A>.slice(int, int) -> list<A>
    list<A>.sort() -> list<A>
    list<A>.flatten() -> list<dyn>
    list<A>.flatten(int) -> list<dyn>
    list<A>.distinct() -> list<A>
    list<A>.reverse() -> list<A>
    list<A>.first() -> optional<A>
    list<A>.last() -> optional<A>
    lists.range(int) -> list<int>
    sets.contains(list<A>, list<A>) -> bool
    sets.equivalent(list<A>, list<A>) -> bool
    sets.intersects(list<A>, list<A>) -> bool
    math.greatest(list<A>) -> A
    math.least(list<A>) -> A
    math.greatest(A, A) -> A
    math.least(A, A) -> A
    math.greatest(A, A, A) -> A
    math.least(A, A, A) -> A
    math.ceil(double) -> double
    math.floor(double) -> double
    math.round(double) -> double
    math.trunc(double) -> double
    math.abs(A) -> A
    math.sign(A) -> A
    math.isInf(double) -> bool
    math.isNaN(double) -> bool
    math.isFinite(double) -> bool
    math.bitAnd(A, A) -> A
    math.bitOr(A, A) -> A
    math.bitXor(A, A) -> A
    math.bitNot(A) -> A
    math.bitShiftLeft(A, int) -> A
    math.bitShiftRight(A, int) -> A
    math.sqrt(double) -> double
    math.sqrt(int) -> double
";

const TIMES: &str = "
    duration(string) -> duration
    duration(duration) -> duration
    timestamp(string) -> timestamp
    timestamp(int) -> timestamp
    timestamp(timestamp) -> timestamp
    timestamp.getFullYear() -> int
    timestamp.getMonth() -> int
    timestamp.getDate() -> int
    timestamp.getDayOfMonth() -> int
    timestamp.getDayOfWeek() -> int
    timestamp.getDayOfYear() -> int
    timestamp.getHours() -> int
    timestamp.getMinutes() -> int
    timestamp.getSeconds() -> int
    timestamp.getMilliseconds() -> int
    duration.getHours() -> int
    duration.getMinutes() -> int
    duration.getSeconds() -> int
    duration.getMilliseconds() -> int
";

const OPTIONALS: &str = "
    optional.none() -> optional<dyn>
    optional.of(A) -> optional<A>
    optional.ofNonZeroValue(A) -> optional<A>
    optional<A>.hasValue() -> bool
    optional<A>.value() -> A
    optional<A>.or(optional<A>) -> optional<A>
    optional<A>.orValue(A) -> A
";

const KUBERNETES: &str = "
    quantity(string) -> quantity
    isQuantity(string) -> bool
    quantity.sign() -> int
    quantity.isInteger() -> bool
    quantity.asInteger() -> int
    quantity.asApproximateFloat() -> double
    quantity.add(quantity) -> quantity
    quantity.add(int) -> quantity
    quantity.sub(quantity) -> quantity
    quantity.sub(int) -> quantity
    quantity.isLessThan(quantity) -> bool
    quantity.isGreaterThan(quantity) -> bool
    quantity.compareTo(quantity) -> int
    url(string) -> url
    isURL(string) -> bool
    url.getScheme() -> string
    url.getHost() -> string
    url.getHostname() -> string
    url.getPort() -> string
    url.getEscapedPath() -> string
    url.getQuery() -> map<string, list<string>>
    ip(string) -> ipaddress
    isIP(string) -> bool
    ip.isCanonical(string) -> bool
    ipaddress.family() -> int
    ipaddress.isUnspecified() -> bool
    ipaddress.isLoopback() -> bool
    ipaddress.isLinkLocalMulticast() -> bool
    ipaddress.isLinkLocalUnicast() -> bool
    ipaddress.isGlobalUnicast() -> bool
    cidr(string) -> cidrrange
    isCIDR(string) -> bool
    cidrrange.containsIP(string) -> bool
    cidrrange.containsIP(ipaddress) -> bool
    cidrrange.containsCIDR(string) -> bool
    cidrrange.containsCIDR(cidrrange) -> bool
    cidrrange.ip() -> ipaddress
    cidrrange.masked() -> cidrrange
    cidrrange.prefixLength() -> int
    semver(string) -> semver
    semver(string, bool) -> semver
    isSemver(string) -> bool
    isSemver(string, bool) -> bool
    semver.major() -> int
    semver.minor() -> int
    semver.patch() -> int
    semver.isLessThan(semver) -> bool
    semver.isGreaterThan(semver) -> bool
    semver.compareTo(semver) -> int
    format.named(string) -> optional<formatter>
    format.dns1123Label() -> formatter
    format.dns1123Subdomain() -> formatter
    format.dns1035Label() -> formatter
    format.dns1123LabelPrefix() -> formatter
    format.dns1123SubdomainPrefix() -> formatter
    format.dns1035LabelPrefix() -> formatter
    format.qualifiedName() -> formatter
    format.labelValue() -> formatter
    format.uri() -> formatter
    format.uuid() -> formatter
    format.byte() -> formatter
    format.date() -> formatter
    format.datetime() -> formatter
    formatter.validate(string) -> optional<list<string>>
";

/// Parses one line. Receivers start with the name of a type; anything else before a dot is a namespace.
fn parse(line: &'static str) -> Option<(&'static str, Signature)> {
    let (call, result) = line.rsplit_once(" -> ")?;
    let (head, arguments) = call.strip_suffix(')')?.rsplit_once('(')?;
    let result = parse_type(result)?;
    let mut parameters = Vec::new();
    let (name, member) = match head.rsplit_once('.') {
        Some((receiver, name)) if !NAMESPACES.contains(&receiver) && !head.starts_with('_') => {
            parameters.push(parse_type(receiver)?);
            (name, true)
        }
        _ => (head, false),
    };
    for argument in split(arguments) {
        parameters.push(parse_type(argument)?);
    }
    Some((name, Signature { parameters, result, member }))
}

/// Splits at commas that are not inside angle brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in list.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !list[start..].trim().is_empty() {
        parts.push(list[start..].trim());
    }
    parts
}

fn parse_type(text: &str) -> Option<Type> {
    if let Some((head, inside)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        let inside: Vec<Type> = split(inside).into_iter().map(parse_type).collect::<Option<_>>()?;
        return match (head, inside.as_slice()) {
            ("list", [items]) => Some(Type::list(items.clone())),
            ("optional", [inner]) => Some(Type::optional(inner.clone())),
            ("map", [keys, values]) => Some(Type::Map(Arc::new(keys.clone()), Arc::new(values.clone()))),
            _ => None,
        };
    }
    Some(match text {
        "A" => Type::Param(0),
        "B" => Type::Param(1),
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::UInt,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "type" => Type::Type,
        "timestamp" => Type::TIMESTAMP,
        "duration" => Type::DURATION,
        "quantity" => Type::Named("kubernetes.Quantity"),
        "url" => Type::Named("kubernetes.URL"),
        "semver" => Type::Named("kubernetes.Semver"),
        "formatter" => Type::Named("kubernetes.NamedFormat"),
        "ipaddress" => Type::Named("net.IP"),
        "cidrrange" => Type::Named("net.CIDR"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let lines: usize = [OPERATORS, STANDARD, STRINGS, LISTS, TIMES, OPTIONALS, KUBERNETES]
            .into_iter()
            .flat_map(str::lines)
            .filter(|line| !line.trim().is_empty())
            .inspect(|line| assert!(parse(line.trim()).is_some(), "{line}"))
            .count();
        assert_eq!(SIGNATURES.values().map(Vec::len).sum::<usize>(), lines);
        assert!(SIGNATURES["join"].iter().all(|signature| signature.member));
        assert!(SIGNATURES["sets.contains"].iter().all(|signature| !signature.member));
    }
}
