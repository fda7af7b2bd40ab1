//! Text for training: files or the corpus inside the program, split into tokens, numbered, and cut into sequences.

mod error;
mod source;
mod tokenisation;
mod vocabulary;
mod windows;

pub use error::TextError;
pub use source::Text;
pub use tokenisation::Tokenisation;
pub use vocabulary::{END, UNKNOWN, Vocabulary};
pub use windows::{Order, Windows, spread};
