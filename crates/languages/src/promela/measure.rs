//! The measure that a comment declares: a line `// progress: (round, queued)`.
//!
//! Its expressions are those of [questions](crate::question), with names as Promela writes them. A
//! measure that cannot be read does not make the model unusable.

use model::guarded_commands::Span;

use crate::DeclaredMeasure;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::names::Names;
use crate::question::parse::measure;
use crate::question::resolve::Resolver;

/// The declared measure, or what is wrong with it.
pub(super) fn declared(text: &str, names: &Names) -> Result<Option<DeclaredMeasure>, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let read = measure::declared(text, &comments(text), names.syntax, &mut diagnostics);
    let Some(read) = diagnostics.check(Ok(read))? else { return Ok(None) };
    let components = Resolver::for_measures(names, &mut diagnostics).expressions(&read.components);
    let components = diagnostics.check(components)?;
    Ok(Some(DeclaredMeasure { text: read.text.to_owned(), span: read.span, components, kind: read.kind }))
}

/// The rest of each line comment that begins with `progress:`, where the comment has a line of its
/// own.
fn comments(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        if let Some(measure) = comment.and_then(|comment| comment.strip_prefix("progress:")) {
            let from = start + line.len() - measure.len();
            let measure = measure.trim_end();
            let skipped = measure.len() - measure.trim_start().len();
            found.push(Span::new(from + skipped, from + measure.len()));
        }
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::format::PROMELA;
    use crate::{Model, ReadOptions, read_model_with};

    fn read(text: &str) -> Model {
        let options = ReadOptions { format: &PROMELA, ..ReadOptions::default() };
        read_model_with(text, &options).expect("a model")
    }

    #[test]
    fn a_comment_declares_a_measure_with_names_of_promela() {
        let model = read(
            "// progress: (x, P:y)\nbyte x; active proctype P() { byte y; do :: y < 3 -> y++ :: else -> break od }",
        );
        let measure = model.progress.expect("a measure");
        assert_eq!((measure.text.as_str(), measure.components.len()), ("(x, P:y)", 2));
        assert_eq!(model.progress_errors.len(), 0);
    }

    #[test]
    fn a_wrong_measure_does_not_make_the_model_unusable() {
        let model = read("// progress: z\nbyte x; active proctype P() { x++ }");
        assert!(model.progress.is_none());
        assert_eq!(model.progress_errors[0].span.start, 13);
    }
}
