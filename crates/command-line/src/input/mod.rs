//! What a run reads: text files, models, progress measures.

pub mod chosen_measure;
pub mod model_file;
pub mod text_file;
