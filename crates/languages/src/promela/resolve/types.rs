//! Typedefs, and how variables of a structure become leaves.
//!
//! A structure is kept as its fields, with the place of each field among the leaves. Only variables
//! are flattened. So a chain of typedefs that doubles its size at each step costs nothing until a
//! variable of it is declared, and that is where the size is checked.

use std::collections::BTreeMap;

use model::guarded_commands::Span;

use super::super::program::{Expression, Initial, Leaf, LeafId, LeafKind, Place};
use crate::diagnostic::{Checked, Reported};
use model::guarded_commands::IntegerType;

/// The most levels of structures in structures. Recursion over fields is no deeper.
pub(super) const DEEPEST: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StructureId(usize);

/// The type of a variable, a field or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Leaf(LeafKind),
    Structure(StructureId),
}

/// A variable or a field as it is declared.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) shape: Shape,
    /// The length of an array.
    pub(super) length: Option<u32>,
    pub(super) initial: Initial,
    pub(super) hidden: bool,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) declared: Declared,
    /// The place of its first leaf among the leaves of the structure.
    pub(super) first: usize,
}

#[derive(Debug, Default)]
pub(super) struct Structure {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    by_name: BTreeMap<String, usize>,
    pub(super) size: Size,
}

/// How large something becomes when it is flattened. Sums and products saturate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) leaves: usize,
    pub(super) elements: u64,
    /// Bytes of the names of its leaves.
    pub(super) letters: u64,
    /// Levels of structures.
    pub(super) depth: usize,
}

/// An array of structures in something that is used as a list of values.
pub(super) struct ArrayOfStructures<'types>(pub(super) &'types str);

#[derive(Debug, Default)]
pub(super) struct Types<'file> {
    structures: Vec<Structure>,
    /// A broken typedef is known, so that its uses are no errors of their own.
    names: BTreeMap<&'file str, Checked<StructureId>>,
}

impl<'file> Types<'file> {
    pub(super) fn find(&self, name: &str) -> Option<Checked<StructureId>> {
        self.names.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'file str> {
        self.names.keys().copied()
    }

    pub(super) fn structure(&self, id: StructureId) -> &Structure {
        &self.structures[id.0]
    }

    pub(super) fn insert(&mut self, name: &'file str, fields: Vec<Declared>) {
        let mut structure = Structure { name: name.to_owned(), ..Structure::default() };
        for declared in fields {
            let first = structure.size.leaves;
            structure.size = structure.size.beside(self.size(&declared));
            structure.by_name.insert(declared.name.clone(), structure.fields.len());
            structure.fields.push(Field { declared, first });
        }
        structure.size.depth += 1;
        self.names.insert(name, Ok(StructureId(self.structures.len())));
        self.structures.push(structure);
    }

    pub(super) fn insert_broken(&mut self, name: &'file str, reported: Reported) {
        self.names.insert(name, Err(reported));
    }

    /// The size of a variable or a field.
    pub(super) fn size(&self, declared: &Declared) -> Size {
        let one = match declared.shape {
            Shape::Leaf(_) => Size { leaves: 1, elements: 1, letters: 0, depth: 0 },
            Shape::Structure(id) => self.structure(id).size,
        };
        let letters = (declared.name.len() as u64 + 1).saturating_mul(one.leaves as u64);
        Size {
            elements: one.elements.saturating_mul(u64::from(declared.length.unwrap_or(1))),
            letters: one.letters.saturating_add(letters),
            ..one
        }
    }

    /// Appends the leaves of a variable. The caller has checked its size.
    pub(super) fn flatten(&self, variable: &Declared, leaves: &mut Vec<Leaf>) {
        self.flatten_below("", &[], variable, variable, leaves);
    }

    fn flatten_below(
        &self,
        path: &str,
        outer: &[u32],
        variable: &Declared,
        declared: &Declared,
        leaves: &mut Vec<Leaf>,
    ) {
        let name = format!("{path}{}", declared.name);
        let mut dimensions = outer.to_vec();
        dimensions.extend(declared.length);
        match declared.shape {
            Shape::Structure(id) => {
                for field in &self.structure(id).fields {
                    self.flatten_below(&format!("{name}."), &dimensions, variable, &field.declared, leaves);
                }
            }
            Shape::Leaf(kind) => leaves.push(Leaf {
                name,
                kind: stored_kind(kind, declared.length),
                initial: repeated(&declared.initial, outer, declared.length),
                dimensions,
                hidden: variable.hidden,
                span: variable.span,
            }),
        }
    }

    /// Appends the elements of a structure in the order of messages: field by field, and arrays
    /// element by element.
    pub(super) fn elements(
        &self,
        id: StructureId,
        base: &Place,
        places: &mut Vec<Place>,
    ) -> Result<(), ArrayOfStructures<'_>> {
        for field in &self.structure(id).fields {
            let leaf = match base.leaf {
                LeafId::Global(leaf) => LeafId::Global(leaf + field.first),
                LeafId::Local(leaf) => LeafId::Local(leaf + field.first),
            };
            let place = Place { leaf, ..base.clone() };
            match (field.declared.shape, field.declared.length) {
                (Shape::Leaf(_), None) => places.push(place),
                (Shape::Leaf(_), Some(length)) => {
                    for index in 0..length {
                        let mut element = place.clone();
                        element.indices.push(Expression::number(i64::from(index), base.span));
                        places.push(element);
                    }
                }
                (Shape::Structure(inner), None) => self.elements(inner, &place, places)?,
                (Shape::Structure(_), Some(_)) => return Err(ArrayOfStructures(&field.declared.name)),
            }
        }
        Ok(())
    }

    /// Appends the kinds of what [`elements`](Self::elements) gives.
    pub(super) fn kinds(
        &self,
        id: StructureId,
        kinds: &mut Vec<LeafKind>,
    ) -> Result<(), ArrayOfStructures<'_>> {
        for field in &self.structure(id).fields {
            match (field.declared.shape, field.declared.length) {
                (Shape::Leaf(kind), length) => {
                    kinds.extend(std::iter::repeat_n(kind, length.unwrap_or(1) as usize));
                }
                (Shape::Structure(inner), None) => self.kinds(inner, kinds)?,
                (Shape::Structure(_), Some(_)) => return Err(ArrayOfStructures(&field.declared.name)),
            }
        }
        Ok(())
    }
}

impl Structure {
    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.by_name.get(name).map(|number| &self.fields[*number])
    }
}

impl Size {
    /// The size of two things beside each other.
    pub(super) fn beside(self, other: Self) -> Self {
        Self {
            leaves: self.leaves.saturating_add(other.leaves),
            elements: self.elements.saturating_add(other.elements),
            letters: self.letters.saturating_add(other.letters),
            depth: self.depth.max(other.depth),
        }
    }
}

/// The initial values of a field, for all elements of the arrays around it.
fn repeated(initial: &Initial, outer: &[u32], length: Option<u32>) -> Initial {
    let Initial::List(values) = initial else { return initial.clone() };
    let times: u32 = outer.iter().product();
    if times == 1 {
        return initial.clone();
    }
    let mut one = values.clone();
    let span = values.first().map_or(Span::new(0, 0), |value| value.span);
    one.resize(length.unwrap_or(1) as usize, Expression::number(0, span));
    let length = one.len();
    Initial::List(one.into_iter().cycle().take(length * times as usize).collect())
}

/// The kind that a variable is stored as. SPIN makes bytes of bits in arrays, which shows:
/// `bit b[2]` can hold 3. As fields of a message they are bits again.
pub(super) fn stored_kind(kind: LeafKind, length: Option<u32>) -> LeafKind {
    match (kind, length) {
        (LeafKind::Integer(IntegerType { bits: 1, .. }), Some(_)) => LeafKind::Integer(IntegerType::BYTE),
        _ => kind,
    }
}
