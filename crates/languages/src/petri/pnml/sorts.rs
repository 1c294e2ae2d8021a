//! The sorts, variables and partitions that a symmetric net declares.
//!
//! A colour is a number below the size of its sort: the position in an enumeration, the distance
//! from the start of a range, and for a product all parts as digits, the last one least
//! significant. Sorts with the same definition are one sort, even if one of them has a name.

use std::collections::HashMap;

use model::guarded_commands::Span;

use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Reported};
use crate::petri::xml::Element;

/// The most colours of a sort that can be unfolded.
pub(super) const MOST_COLOURS: u64 = 1 << 20;

/// Number of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SortId(pub(super) usize);

/// The colours of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Dot,
    /// The names of their constants.
    Enumeration(Vec<String>),
    Range {
        start: i64,
        end: i64,
    },
    Product(Vec<SortId>),
}

/// The declarations of a net.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    sorts: Vec<Sort>,
    sizes: Vec<u64>,
    named: HashMap<String, SortId>,
    /// The constants of enumerations and the elements of partitions.
    constants: HashMap<String, (SortId, u64)>,
    /// Variables, in the order of declaration.
    variables: Vec<(String, SortId)>,
    variable_numbers: HashMap<String, usize>,
    /// For each partition, the sort of its elements and the element of each colour.
    partitions: HashMap<String, (SortId, Vec<u64>)>,
}

impl Declarations {
    /// Reads all declarations, sorts first: variables may precede the sorts they use.
    pub(super) fn read(written: &[Element], diagnostics: &mut Diagnostics) -> Self {
        let mut all = Vec::new();
        written.iter().for_each(|element| collect(element, &mut all));
        let mut declarations = Self::default();
        let mut waiting: Vec<&Element> = all.iter().copied().filter(|one| one.name == "namedsort").collect();
        // A product may precede its parts: declarations that cannot be read yet are tried again.
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut silent = Diagnostics::default();
            waiting.retain(|element| declarations.named_sort(element, &mut silent).is_err());
            if waiting.len() == before {
                for element in waiting {
                    let _ = declarations.named_sort(element, diagnostics);
                }
                break;
            }
        }
        for element in all {
            // The error was reported.
            let _ = match element.name.as_str() {
                "variabledecl" => declarations.variable_declaration(element, diagnostics),
                "partition" => declarations.partition(element, diagnostics),
                _ => Ok(()),
            };
        }
        declarations
    }

    pub(super) fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[id.0]
    }

    pub(super) fn size(&self, id: SortId) -> u64 {
        self.sizes[id.0]
    }

    pub(super) fn variables(&self) -> &[(String, SortId)] {
        &self.variables
    }

    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variable_numbers.get(name).copied()
    }

    pub(super) fn constant(&self, name: &str) -> Option<(SortId, u64)> {
        self.constants.get(name).copied()
    }

    pub(super) fn partition_named(&self, name: &str) -> Option<&(SortId, Vec<u64>)> {
        self.partitions.get(name)
    }

    /// The text of a colour, as in the names of unfolded nodes.
    pub(super) fn shown(&self, sort: SortId, colour: u64) -> String {
        match self.sort(sort) {
            Sort::Dot => "dot".to_owned(),
            Sort::Enumeration(names) => names.get(colour as usize).cloned().unwrap_or_default(),
            Sort::Range { start, .. } => (start + colour as i64).to_string(),
            Sort::Product(parts) => {
                let digits = self.digits(parts, colour);
                let shown: Vec<String> =
                    parts.iter().zip(digits).map(|(part, digit)| self.shown(*part, digit)).collect();
                shown.join(",")
            }
        }
    }

    fn digits(&self, parts: &[SortId], mut colour: u64) -> Vec<u64> {
        let mut digits = vec![0; parts.len()];
        for (digit, part) in digits.iter_mut().zip(parts).rev() {
            *digit = colour % self.size(*part);
            colour /= self.size(*part);
        }
        digits
    }

    /// The sort that an element describes.
    pub(super) fn sort_of(&mut self, element: &Element, diagnostics: &mut Diagnostics) -> Checked<SortId> {
        let sort = match element.name.as_str() {
            "dot" => Sort::Dot,
            "bool" => Sort::Enumeration(vec!["false".into(), "true".into()]),
            "usersort" => {
                let name = element.required("declaration").map_err(|error| diagnostics.report(error))?;
                if let Some(sort) = self.named.get(name) {
                    return Ok(*sort);
                }
                // Some tools use the sort of dots without declaring it.
                if !name.eq_ignore_ascii_case("dot") {
                    return Err(unknown("sort", name, element.span, diagnostics));
                }
                Sort::Dot
            }
            "cyclicenumeration" | "finiteenumeration" => return self.enumeration(element, diagnostics),
            "finiteintrange" => {
                let mut end = |name: &str| {
                    let text = element.required(name).map_err(|error| diagnostics.report(error))?;
                    text.trim().parse::<i64>().map_err(|_| diagnostics.report(element.incomplete("a number")))
                };
                let (start, end) = (end("start")?, end("end")?);
                if end < start {
                    return Err(diagnostics.report(element.incomplete("any number between start and end")));
                }
                Sort::Range { start, end }
            }
            "productsort" => {
                let parts: Checked<Vec<SortId>> =
                    element.children.iter().map(|part| self.sort_of(part, diagnostics)).collect();
                Sort::Product(parts?)
            }
            _ => return Err(unsupported(element, "a sort", diagnostics)),
        };
        self.number(sort, element.span, diagnostics)
    }

    /// The product of sorts.
    pub(super) fn product(
        &mut self,
        parts: Vec<SortId>,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Checked<SortId> {
        self.number(Sort::Product(parts), span, diagnostics)
    }

    fn number(&mut self, sort: Sort, span: Span, diagnostics: &mut Diagnostics) -> Checked<SortId> {
        if let Some(known) = self.sorts.iter().position(|known| *known == sort) {
            return Ok(SortId(known));
        }
        let size = match &sort {
            Sort::Dot => Some(1),
            Sort::Enumeration(names) => Some(names.len() as u64),
            Sort::Range { start, end } => end.checked_sub(*start).map(|size| size.unsigned_abs() + 1),
            Sort::Product(parts) => {
                parts.iter().try_fold(1_u64, |size, part| size.checked_mul(self.size(*part)))
            }
        };
        let Some(size) = size.filter(|size| *size <= MOST_COLOURS) else {
            let message = format!("a sort with more than {MOST_COLOURS} colours");
            let error = Diagnostic::error(codes::NET_TOO_LARGE, span, message, "too many to be unfolded");
            return Err(diagnostics.report(error.help("take a smaller instance of the net")));
        };
        self.sorts.push(sort);
        self.sizes.push(size);
        Ok(SortId(self.sorts.len() - 1))
    }

    fn enumeration(&mut self, element: &Element, diagnostics: &mut Diagnostics) -> Checked<SortId> {
        let constants: Vec<&Element> =
            element.children.iter().filter(|one| one.name == "feconstant").collect();
        let mut ids = Vec::with_capacity(constants.len());
        for constant in &constants {
            ids.push(constant.required("id").map_err(|error| diagnostics.report(error))?.to_owned());
        }
        if ids.is_empty() {
            return Err(diagnostics.report(element.incomplete("any constant")));
        }
        // Names for people are used if they tell the colours apart.
        let mut names: Vec<String> = constants
            .iter()
            .zip(&ids)
            .map(|(one, id)| one.attribute("name").unwrap_or(id).to_owned())
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        if sorted.len() < names.len() {
            names.clone_from(&ids);
        }
        // Two enumerations are two sorts, even with the same names.
        self.sorts.push(Sort::Enumeration(names));
        self.sizes.push(ids.len() as u64);
        let sort = SortId(self.sorts.len() - 1);
        for (colour, id) in (0..).zip(ids) {
            self.constants.insert(id, (sort, colour));
        }
        Ok(sort)
    }

    fn named_sort(&mut self, element: &Element, diagnostics: &mut Diagnostics) -> Checked<()> {
        let id = element.required("id").map_err(|error| diagnostics.report(error))?;
        let [described] = element.children.as_slice() else {
            return Err(diagnostics.report(element.incomplete("exactly one sort inside")));
        };
        let sort = self.sort_of(described, diagnostics)?;
        self.named.insert(id.to_owned(), sort);
        Ok(())
    }

    fn variable_declaration(&mut self, element: &Element, diagnostics: &mut Diagnostics) -> Checked<()> {
        let id = element.required("id").map_err(|error| diagnostics.report(error))?;
        let Some(sort) = element.children.first() else {
            return Err(diagnostics.report(element.incomplete("a sort")));
        };
        let sort = self.sort_of(sort, diagnostics)?;
        self.variable_numbers.insert(id.to_owned(), self.variables.len());
        self.variables.push((id.to_owned(), sort));
        Ok(())
    }

    /// A partition: its elements are colours of a sort of their own.
    fn partition(&mut self, element: &Element, diagnostics: &mut Diagnostics) -> Checked<()> {
        let id = element.required("id").map_err(|error| diagnostics.report(error))?;
        let mut sort = None;
        let mut elements = Vec::new();
        for child in &element.children {
            if child.name != "partitionelement" {
                sort = Some(self.sort_of(child, diagnostics)?);
                continue;
            }
            let name = child.required("id").map_err(|error| diagnostics.report(error))?;
            elements.push((name.to_owned(), child));
        }
        let Some(sort) = sort else { return Err(diagnostics.report(element.incomplete("a sort"))) };
        let mut element_of = vec![0; self.size(sort) as usize];
        for (number, (_, part)) in (0..).zip(&elements) {
            for constant in &part.children {
                let name = constant.required("declaration").map_err(|error| diagnostics.report(error))?;
                match self.constant(name) {
                    Some((of, colour)) if of == sort => element_of[colour as usize] = number,
                    _ => return Err(unknown("constant", name, constant.span, diagnostics)),
                }
            }
        }
        let names: Vec<String> = elements.into_iter().map(|(name, _)| name).collect();
        self.sorts.push(Sort::Enumeration(names.clone()));
        self.sizes.push(names.len() as u64);
        let own = SortId(self.sorts.len() - 1);
        for (colour, name) in (0..).zip(names) {
            self.constants.insert(name, (own, colour));
        }
        self.partitions.insert(id.to_owned(), (own, element_of));
        Ok(())
    }
}

/// The single declarations inside their enclosing elements.
fn collect<'e>(element: &'e Element, found: &mut Vec<&'e Element>) {
    match element.name.as_str() {
        "declaration" | "structure" | "declarations" => {
            element.children.iter().for_each(|child| collect(child, found));
        }
        _ => found.push(element),
    }
}

/// Reports a name that is not declared.
pub(super) fn unknown(what: &str, name: &str, span: Span, diagnostics: &mut Diagnostics) -> Reported {
    let message = format!("the net declares no {what} `{name}`");
    let error = Diagnostic::error(codes::UNKNOWN_NAME, span, message, format!("unknown {what}"));
    diagnostics.report(error.help("declare it in the `declaration` of the net"))
}

/// Reports an element that is not allowed in its place.
pub(super) fn unsupported(element: &Element, expected: &str, diagnostics: &mut Diagnostics) -> Reported {
    let message = format!("`{}` is not supported here", element.name);
    let label = format!("expected {expected}");
    let error = Diagnostic::error(codes::UNSUPPORTED_NET, element.span, message, label);
    diagnostics.report(error.help("symmetric nets are read as the standard defines them"))
}
