//! The jobs themselves: one pure function per kind.
