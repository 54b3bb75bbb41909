//! The farm's wire types and their conversion to plan types.
//!
//! Generated types stay in [`v1`]; everything else of the farm speaks in the types of `plan`. [`convert`] is the only
//! place where one becomes the other, and nothing gets through it that breaks [`limits`].

pub mod convert;
pub mod limits;
pub mod retry;

/// Messages and services of `farm.v1`, generated from the `.proto` files.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated; documented in the .proto files"
)]
pub mod v1 {
    tonic::include_proto!("farm.v1");
}

/// Version of the protocol between workers and coordinators; both must have the same.
pub const PROTOCOL: u32 = 1;
