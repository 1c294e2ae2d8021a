//! A validator for JSON schemas, for the part of the language that the schema of run records uses.

use serde_json::{Map, Value};

/// Keywords that do not constrain values.
const REMARKS: [&str; 8] =
    ["$schema", "$defs", "title", "description", "format", "default", "minimum", "maximum"];

/// The first difference between a value and a schema, if any.
pub fn difference(root: &Value, value: &Value) -> Option<String> {
    at("", root, root, value)
}

fn at(place: &str, root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let Value::Object(schema) = schema else {
        return (*schema == Value::Bool(false)).then(|| format!("{place}: nothing is allowed here"));
    };
    schema.iter().find_map(|(word, says)| by_word(place, root, (schema, word, says), value))
}

fn by_word(
    place: &str,
    root: &Value,
    (schema, word, says): (&Map<String, Value>, &str, &Value),
    value: &Value,
) -> Option<String> {
    let wrong = |what: String| Some(format!("{place}: {what}"));
    match word {
        "$ref" => {
            let name = says.as_str().and_then(|path| path.strip_prefix('#')).expect("a part of the schema");
            at(place, root, root.pointer(name).expect(name), value)
        }
        "type" => {
            let is = |name: &Value| match name.as_str() {
                Some("integer") => value.is_u64() || value.is_i64(),
                Some("number") => value.is_number(),
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                Some("array") => value.is_array(),
                Some("object") => value.is_object(),
                Some("null") => value.is_null(),
                other => panic!("type {other:?}"),
            };
            let fits = says.as_array().map_or_else(|| is(says), |names| names.iter().any(is));
            if fits { None } else { wrong(format!("{value} is no {says}")) }
        }
        "const" => {
            if value == says {
                None
            } else {
                wrong(format!("{value} is not {says}"))
            }
        }
        "enum" => {
            let fits = says.as_array().is_some_and(|values| values.contains(value));
            if fits { None } else { wrong(format!("{value} is none of {says}")) }
        }
        "anyOf" | "oneOf" => {
            let mut forms = says.as_array().into_iter().flatten().map(|one| at(place, root, one, value));
            if forms.any(|one| one.is_none()) {
                None
            } else {
                wrong(format!("{value} has none of the forms"))
            }
        }
        "required" => {
            let missing = says.as_array().into_iter().flatten().filter_map(Value::as_str);
            let missing = missing.filter(|name| value.is_object() && value.get(name).is_none());
            missing.map(|name| format!("{place}: {name} is missing")).next()
        }
        "properties" => says
            .as_object()
            .into_iter()
            .flatten()
            .find_map(|(name, one)| at(&format!("{place}/{name}"), root, one, value.get(name)?)),
        "additionalProperties" => {
            let known = schema.get("properties").and_then(Value::as_object);
            let others = value.as_object().into_iter().flatten();
            let mut others = others.filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)));
            others.find_map(|(name, one)| at(&format!("{place}/{name}"), root, says, one))
        }
        "items" => value.as_array().into_iter().flatten().find_map(|one| at(place, root, says, one)),
        word if REMARKS.contains(&word) => None,
        word => panic!("the schema has a word that is not known here: {word}"),
    }
}
