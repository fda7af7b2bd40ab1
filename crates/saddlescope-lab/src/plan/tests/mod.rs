//! What plans accept, refuse, and become.
