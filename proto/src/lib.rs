//! The farm's wire types and their conversion to plan types.
