//! The machine code of a model: configuration of Cranelift, compilation of functions, and calls to
//! them.

use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};
use model::guarded_commands::GuardedCommands;
use model::state_layout::StateLayout;
use model::transition_system::{ExecutionError, StateFunctions, Truth};

use crate::expressions::{Tables, Translator};
use crate::successors::{Mode, sections};

/// Bytes of address space for the code of one model, and smaller sizes where a limit forbids that
/// much.
const CODE_SPACE: [usize; 3] = [1 << 30, 128 << 20, 16 << 20];

/// The reason why a model has no machine code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// Cranelift has no code generator for this processor.
    #[error("no machine code can be generated for this processor ({0})")]
    Machine(String),
    /// The system refused address space for the code.
    #[error("no address space is left for machine code ({0})")]
    NoMemory(String),
    /// The code generator failed, which is a defect of Sweepline.
    #[error("the code generator failed: {0}")]
    Generator(#[from] Box<ModuleError>),
}

impl From<CompileError> for ExecutionError {
    fn from(error: CompileError) -> Self {
        let text = error.to_string();
        match error {
            CompileError::Machine(_) => Self::NotSupported(text),
            CompileError::NoMemory(_) => Self::NoMemory(text),
            CompileError::Generator(_) => Self::Defect(text),
        }
    }
}

/// `(state, successors' words, successors' actions)`: returns the end of the actions, or null.
type SuccessorFunction = unsafe extern "C" fn(*const u64, *mut u64, *mut u32) -> *mut u32;
/// `(first state, end of states, truths)`: writes, for each state, the predicates that are true and
/// those that have no value.
type PredicateFunction = unsafe extern "C" fn(*const u64, *const u64, *mut Truth);
/// `(first state, end of states, values)`: writes the progress value of each state.
type ProgressFunction = unsafe extern "C" fn(*const u64, *const u64, *mut u64);

/// Machine code of one model. Dropping it frees the code.
pub struct CompiledFunctions {
    code: Code,
    successors: SuccessorFunction,
    predicates: PredicateFunction,
    progress: ProgressFunction,
    /// Positions of array elements and ranks of values, which the code reads by address.
    _tables: Tables,
}

/// The memory of the functions; `None` only while it is freed.
struct Code(Option<JITModule>);

// SAFETY: a shared reference gives no access to the module; the machine code in its memory does not
// change.
unsafe impl Sync for Code {}

impl std::fmt::Debug for CompiledFunctions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledFunctions").finish_non_exhaustive()
    }
}

impl Drop for CompiledFunctions {
    fn drop(&mut self) {
        if let Some(module) = self.code.0.take() {
            // SAFETY: the function pointers are private and go with this struct; no code runs while
            // it is dropped.
            unsafe { module.free_memory() };
        }
    }
}

impl CompiledFunctions {
    /// Writes the successors of a state and returns their number; `None` if the interpreter must
    /// expand it.
    ///
    /// # Safety
    /// `state` points to the words of a state of the layout this was compiled for. `words` and
    /// `actions` have space for as many successors as a state can have.
    #[inline(always)]
    pub unsafe fn successors(&self, state: *const u64, words: *mut u64, actions: *mut u32) -> Option<usize> {
        // SAFETY: the code reads the state's words and writes at most that many successors.
        let end = unsafe { (self.successors)(state, words, actions) };
        // SAFETY: the code returns `actions` advanced by the number of successors.
        (!end.is_null()).then(|| unsafe { end.offset_from_unsigned(actions) })
    }

    /// Writes which predicates are true in each of these states.
    ///
    /// # Safety
    /// `states` are whole states of the layout this was compiled for; `truths` has space for a
    /// truth of each.
    #[inline(always)]
    pub unsafe fn predicates(&self, states: &[u64], truths: *mut Truth) {
        let range = states.as_ptr_range();
        // SAFETY: the code reads the words of these states and writes the two words of one truth
        // for each.
        unsafe { (self.predicates)(range.start, range.end, truths) }
    }

    /// Writes the progress values of whole states.
    ///
    /// # Safety
    /// `states` are whole states of the layout this was compiled for; `values` has space for a
    /// value of each.
    #[inline(always)]
    pub unsafe fn progress(&self, states: &[u64], values: *mut u64) {
        let range = states.as_ptr_range();
        // SAFETY: the code reads the words of these states and writes one value for each.
        unsafe { (self.progress)(range.start, range.end, values) }
    }
}

/// Compiles the successor function of a model, its predicates and its measure.
pub fn compile(
    model: &GuardedCommands,
    layout: &StateLayout,
    functions: StateFunctions<'_>,
) -> Result<CompiledFunctions, CompileError> {
    let mut compiler = Compiler::new()?;
    let mut tables = Tables::default();
    let sections = sections(model);
    let mut ids = Vec::with_capacity(sections.len());
    for section in &sections {
        ids.push(compiler.define(3, 1, |_, builder| {
            Translator::new(model, layout, &mut tables, builder).translate_section(section);
        })?);
    }
    let whole = match (&sections[..], &ids[..]) {
        ([section], [id]) if section.mode == Mode::Always => *id,
        _ => compiler.define(3, 1, |module, builder| {
            let callees: Vec<_> =
                ids.iter().map(|id| module.declare_func_in_func(*id, builder.func)).collect();
            Translator::new(model, layout, &mut tables, builder).call_sections(&sections, &callees);
        })?,
    };
    let predicates_id = compiler.define(3, 0, |_, builder| {
        Translator::new(model, layout, &mut tables, builder).translate_predicates(functions.predicates);
    })?;
    let progress_id = compiler.define(3, 0, |_, builder| {
        Translator::new(model, layout, &mut tables, builder).translate_progress(functions.progress);
    })?;

    compiler.module.finalize_definitions().map_err(Box::new)?;
    let successors = compiler.module.get_finalized_function(whole);
    let predicates = compiler.module.get_finalized_function(predicates_id);
    let progress = compiler.module.get_finalized_function(progress_id);
    // SAFETY: all were compiled just now with the signatures that these types describe.
    let (successors, predicates, progress) = unsafe {
        (
            std::mem::transmute::<*const u8, SuccessorFunction>(successors),
            std::mem::transmute::<*const u8, PredicateFunction>(predicates),
            std::mem::transmute::<*const u8, ProgressFunction>(progress),
        )
    };
    Ok(CompiledFunctions {
        code: Code(Some(compiler.module)),
        successors,
        predicates,
        progress,
        _tables: tables,
    })
}

struct Compiler {
    module: JITModule,
    context: cranelift_codegen::Context,
    builder_context: FunctionBuilderContext,
}

/// Reserves address space for code. Pages take memory only when they are used.
fn code_space() -> Result<ArenaMemoryProvider, CompileError> {
    let mut refused = None;
    for bytes in CODE_SPACE {
        match ArenaMemoryProvider::new_with_size(bytes) {
            Ok(memory) => return Ok(memory),
            Err(error) => refused = Some(error.to_string()),
        }
    }
    Err(CompileError::NoMemory(refused.unwrap_or_default()))
}

impl Compiler {
    fn new() -> Result<Self, CompileError> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            // The verifier checks that functions are well-formed, and takes a third of the time to
            // compile a model. Tests, which compile every oracle model and random ones, run it.
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).map_err(|error| CompileError::Machine(error.to_string()))?;
        }
        let isa = cranelift_native::builder()
            .map_err(|error| CompileError::Machine(error.to_string()))?
            .finish(settings::Flags::new(flags))
            .map_err(|error| CompileError::Machine(error.to_string()))?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        // Calls between functions reach two gigabytes, so the code must be contiguous in the
        // address space.
        let memory = code_space()?;
        builder.memory_provider(Box::new(memory));
        let module = JITModule::new(builder);
        let context = module.make_context();
        Ok(Self { module, context, builder_context: FunctionBuilderContext::new() })
    }

    /// Compiles one function with this many 64-bit parameters and results.
    fn define(
        &mut self,
        parameters: usize,
        results: usize,
        translate: impl FnOnce(&mut JITModule, &mut FunctionBuilder<'_>),
    ) -> Result<FuncId, CompileError> {
        let mut signature = self.module.make_signature();
        signature.params.extend(std::iter::repeat_n(AbiParam::new(types::I64), parameters));
        signature.returns.extend(std::iter::repeat_n(AbiParam::new(types::I64), results));
        let id = self.module.declare_anonymous_function(&signature).map_err(Box::new)?;
        self.context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder_context);
        translate(&mut self.module, &mut builder);
        builder.seal_all_blocks();
        builder.finalize(self.module.target_config());
        self.module.define_function(id, &mut self.context).map_err(Box::new)?;
        self.module.clear_context(&mut self.context);
        Ok(id)
    }
}
