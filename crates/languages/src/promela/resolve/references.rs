//! References, `x[i].f[j]`, and what they stand for: a scalar, a structure, or a channel.

use super::super::program::{Expression, LeafId, LeafKind, Place, ProctypeId};
use super::super::syntax::{self, Reference};
use super::expressions::Expressions;
use super::names::{Named, guess};
use super::scopes::{Owner, Variable};
use super::types::{ArrayOfStructures, DEEPEST, Shape};
use crate::codes;
use crate::diagnostic::{Checked, Diagnostic, Reported};

/// The most values that a structure stands for in a message or a list of arguments.
pub(super) const LONGEST_LIST: u64 = 4_096;

/// What a reference stands for.
pub(super) struct Access {
    /// The first of its leaves, and the indices that are given.
    pub(super) place: Place,
    pub(super) shape: Shape,
    /// The length of the array, if its last part is one and has no index.
    pub(super) whole: Option<u32>,
}

impl Expressions<'_, '_> {
    /// What a reference to a variable stands for.
    pub(super) fn access(&mut self, reference: &Reference) -> Checked<Access> {
        let name = &reference.parts[0].name;
        match self.names.find(&name.text, &self.scope) {
            Some(Named::Variable(variable)) => self.follow(variable?, reference),
            Some(Named::Message(_)) => {
                let message = format!("`{}` is the name of a message, and no variable", name.text);
                let error = Diagnostic::error(codes::NOT_ASSIGNABLE, name.span, message, "a constant");
                Err(self.diagnostics.report(error.help("use a variable of type `mtype`")))
            }
            None if is_predefined(&name.text) => {
                let message = format!("`{}` cannot be assigned", name.text);
                let error = Diagnostic::error(codes::NOT_ASSIGNABLE, name.span, message, "predefined");
                Err(self.diagnostics.report(error.help("use a variable that is declared")))
            }
            None => {
                let proctype = self.proctype();
                let (names, scope, diagnostics) = (self.names, &self.scope, &mut *self.diagnostics);
                let report = || names.unknown(&name.text, name.span, scope, diagnostics);
                Err(self.usage.unknown(proctype, &name.text, report))
            }
        }
    }

    /// Follows the fields and indices of a reference from its variable on.
    pub(super) fn follow(&mut self, variable: Variable, reference: &Reference) -> Checked<Access> {
        let Variable { leaf, mut shape, mut length } = variable;
        let mut place = Place { leaf, indices: Vec::new(), span: reference.span };
        for (number, part) in reference.parts.iter().enumerate() {
            if number > 0 {
                let (first, field_shape, field_length) = self.field(shape, &part.name)?;
                place.leaf = match place.leaf {
                    LeafId::Global(leaf) => LeafId::Global(leaf + first),
                    LeafId::Local(leaf) => LeafId::Local(leaf + first),
                };
                (shape, length) = (field_shape, field_length);
            }
            let is_last = number + 1 == reference.parts.len();
            match (&part.index, length) {
                (Some(index), Some(_)) => {
                    let index = self.value(index)?;
                    place.indices.push(index);
                }
                (Some(_), None) => return Err(self.not_an_array(&part.name)),
                (None, Some(_)) if is_last => return Ok(Access { place, shape, whole: length }),
                (None, Some(_)) => self.first_element(&part.name, &mut place),
                (None, None) => {}
            }
        }
        Ok(Access { place, shape, whole: None })
    }

    /// The place of a field below a structure, its shape and its length.
    fn field(&mut self, shape: Shape, name: &syntax::Name) -> Checked<(usize, Shape, Option<u32>)> {
        let Shape::Structure(id) = shape else {
            let message = format!("`{}` is a field of something that is no structure", name.text);
            let error = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message, "no structure");
            return Err(self.diagnostics.report(error.help("only variables of a typedef have fields")));
        };
        let structure = self.names.types.structure(id);
        if let Some(field) = structure.field(&name.text) {
            return Ok((field.first, field.declared.shape, field.declared.length));
        }
        let message = format!("`{}` has no field `{}`", structure.name, name.text);
        let help = guess(
            self.diagnostics,
            &name.text,
            structure.fields.iter().map(|field| field.declared.name.as_str()),
        );
        let error = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, message, "unknown field");
        Err(self.diagnostics.report(error.help_if_any(help)))
    }

    pub(super) fn not_an_array(&mut self, name: &syntax::Name) -> Reported {
        let message = format!("`{}` is not an array", name.text);
        let error = Diagnostic::error(codes::NOT_AN_ARRAY, name.span, message, "has no elements");
        self.diagnostics.report(error.help("remove the index"))
    }

    /// Reads an array without an index as its first element, as SPIN does.
    fn first_element(&mut self, name: &syntax::Name, place: &mut Place) {
        let message = format!("the array `{0}` has no index, and is read as `{0}[0]`", name.text);
        let warning = Diagnostic::warning(codes::BARE_ARRAY, name.span, message, "means the first element");
        self.diagnostics.warn_once(warning.help(format!("write `{}[0]`", name.text)));
        place.indices.push(Expression::number(0, name.span));
    }

    /// The scalar that a reference stands for.
    pub(super) fn place(&mut self, reference: &Reference) -> Checked<(Place, LeafKind)> {
        let access = self.access(reference)?;
        self.single(access, reference)
    }

    pub(super) fn single(&mut self, access: Access, reference: &Reference) -> Checked<(Place, LeafKind)> {
        let Access { mut place, shape, whole } = access;
        let last = &reference.parts[reference.parts.len() - 1].name;
        match shape {
            Shape::Leaf(kind) => {
                if whole.is_some() {
                    self.first_element(last, &mut place);
                }
                Ok((place, kind))
            }
            Shape::Structure(id) => {
                let structure = self.names.types.structure(id);
                let message = format!("`{}` is a structure, and a single value is needed here", last.text);
                let error =
                    Diagnostic::error(codes::STRUCTURE_AS_VALUE, reference.span, message, "a structure");
                let help = match structure.fields.first() {
                    Some(field) => {
                        let (name, field) = (&last.text, &field.declared.name);
                        format!("name a field, as in `{name}.{field}`; assign and compare field by field")
                    }
                    None => "assign and compare structures field by field".to_owned(),
                };
                Err(self.diagnostics.report(error.help(help)))
            }
        }
    }

    /// The scalar that a statement assigns.
    pub(super) fn target(&mut self, reference: &Reference) -> Checked<(Place, LeafKind)> {
        let (place, kind) = self.place(reference)?;
        self.assigned(&place);
        Ok((place, kind))
    }

    /// Notes that a leaf is assigned.
    pub(super) fn assigned(&mut self, place: &Place) {
        self.usage.assign(self.proctype(), place.leaf);
    }

    /// The proctype to which locals belong.
    pub(super) fn proctype(&self) -> Option<ProctypeId> {
        match self.scope.owner {
            Owner::Process(proctype) => Some(proctype),
            Owner::Start | Owner::Claim | Owner::Formula => None,
        }
    }

    /// The channel that a reference stands for.
    pub(super) fn channel(&mut self, reference: &Reference) -> Checked<Place> {
        let name = &reference.parts[0].name;
        let what = match self.names.find(&name.text, &self.scope) {
            Some(Named::Message(_)) => "the name of a message",
            None if is_predefined(&name.text) => "a predefined variable",
            _ => match self.access(reference)? {
                access @ Access { shape: Shape::Leaf(LeafKind::Channel), .. } => {
                    return Ok(self.single(access, reference)?.0);
                }
                Access { shape: Shape::Leaf(_), .. } => "a number",
                Access { shape: Shape::Structure(_), .. } => "a structure",
            },
        };
        let message = format!("a channel is needed here, and this is {what}");
        let error = Diagnostic::error(codes::NOT_A_CHANNEL, reference.span, message, "not a channel");
        let help = format!("channels are declared like `chan {} = [1] of {{ byte }};`", name.text);
        Err(self.diagnostics.report(error.help(help)))
    }

    /// The value of a reference that is the name of a message.
    pub(super) fn message_name(&self, reference: &Reference) -> Option<i64> {
        let [part] = reference.parts.as_slice() else { return None };
        match self.names.find(&part.name.text, &self.scope)? {
            Named::Message(value) if part.index.is_none() => Some(value),
            Named::Message(_) | Named::Variable(_) => None,
        }
    }

    /// What a reference stands for, if it is a structure.
    pub(super) fn structure(&mut self, reference: &Reference) -> Checked<Option<Access>> {
        let name = &reference.parts[0].name.text;
        match self.names.find(name, &self.scope) {
            // A field may be a structure, too. A scalar needs no second look at its indices.
            Some(Named::Variable(Ok(Variable { shape: Shape::Structure(_), .. }))) => {}
            _ => return Ok(None),
        }
        // Most references end in a scalar field, and are resolved as any value.
        if !self.ends_in_structure(reference) {
            return Ok(None);
        }
        let mut access = self.access(reference)?;
        if access.whole.take().is_some() {
            let last = &reference.parts[reference.parts.len() - 1].name;
            self.first_element(last, &mut access.place);
        }
        Ok(Some(access))
    }

    /// Whether the last part of a reference is a structure. Errors in it are found later.
    fn ends_in_structure(&self, reference: &Reference) -> bool {
        let root = self.names.find(&reference.parts[0].name.text, &self.scope);
        let Some(Named::Variable(Ok(variable))) = root else { return false };
        let mut shape = variable.shape;
        for part in &reference.parts[1..] {
            let Shape::Structure(id) = shape else { return false };
            let Some(field) = self.names.types.structure(id).field(&part.name.text) else {
                return false;
            };
            shape = field.declared.shape;
        }
        matches!(shape, Shape::Structure(_))
    }

    /// The scalars of a structure, in the order of messages.
    pub(super) fn elements(&mut self, access: &Access) -> Checked<Vec<Place>> {
        let Shape::Structure(id) = access.shape else { return Ok(vec![access.place.clone()]) };
        let structure = self.names.types.structure(id);
        debug_assert!(structure.size.depth <= DEEPEST);
        let problem = if structure.size.elements > LONGEST_LIST {
            format!("`{}` has more than {LONGEST_LIST} elements", structure.name)
        } else {
            let mut places = Vec::new();
            match self.names.types.elements(id, &access.place, &mut places) {
                Ok(()) => return Ok(places),
                Err(ArrayOfStructures(field)) => {
                    format!("`{}` has the field `{field}`, an array of structures", structure.name)
                }
            }
        };
        let message = format!("{problem}, and cannot be passed as a whole");
        let error = Diagnostic::error(codes::STRUCTURE_AS_VALUE, access.place.span, message, "a structure");
        Err(self.diagnostics.report(error.help("pass the fields that are needed one by one")))
    }
}

fn is_predefined(name: &str) -> bool {
    matches!(name, "_" | "_pid" | "_nr_pr" | "_last" | "_priority")
}
