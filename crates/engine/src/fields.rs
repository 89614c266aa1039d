//! The list of the fields of results. Reports of runs and launches, lines of batches and their reader are made of it.

/// Calls a macro with the fields of results, in the order of the JSON. `optional` fields are absent where they are
/// `None`; its literal is the test for that. A type `field::T` is one that each kind of results defines for itself.
#[macro_export]
macro_rules! for_each_result_field {
    ($callback:ident) => {
        $callback! {
            /// Target id of the part of the file, if the file has parts.
            [optional "Option::is_none"] target: Option<String>,
            /// Index of that part in the file.
            [optional "Option::is_none"] bundle: Option<usize>,
            /// How it ended.
            outcome: field::Outcome,
            /// Where and why it ended, if there is more to say than the outcome.
            detail: field::Detail,
            /// The generation.
            arch: field::Generation,
            /// The chip, if it differs from its generation.
            [optional "Option::is_none"] chip: field::Chip,
            /// The engine asked for: `interp`, `jit` or `check`.
            engine: field::Engine,
            /// Address of the next instruction, which has not been executed. In results of launches it is that of the
            /// wave that stopped, as the file states addresses; none after `ended`.
            pc: field::Address,
            /// Number of completed instructions, in launches those of all waves.
            instructions: u64,
            /// Completed instructions by class, if they were counted.
            by_class: field::Classes,
            /// Number of regions entered.
            regions: u64,
            /// Nanoseconds of compiling.
            compile_ns: u64,
            /// Nanoseconds of checking.
            check_ns: u64,
            /// Nanoseconds of execution; the median, if there are samples.
            run_ns: u64,
            /// Number of slices checked against the interpreter.
            checks: u64,
            /// Codes of the simulator's own choices that the run depended on, sorted.
            notes: field::Codes,
            /// Hash of the final state, in launches that of the buffers, in synthetic runs that of `observed`: 16 hex
            /// digits.
            state_hash: field::Hash,
            /// World of a synthetic run, with its version.
            [optional "Option::is_none"] environment: Option<String>,
            /// Stage of a synthetic run.
            [optional "Option::is_none"] stage: field::Stage,
            /// What a synthetic run was observed to do.
            [optional "Option::is_none"] observed: field::Observed,
        }
    };
}
