//! When to try again: a `google.rpc.RetryInfo` in the details of a status, as other gRPC services send it.

use std::time::Duration;

use prost::Message;
use tonic::{Code, Status};

const TYPE: &str = "type.googleapis.com/google.rpc.RetryInfo";

#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    delay: Option<Delay>,
}

#[derive(Clone, PartialEq, Message)]
struct Delay {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

/// A status that tells when to try again.
pub fn status(code: Code, message: impl Into<String>, after: Duration) -> Status {
    let message = message.into();
    let seconds = i64::try_from(after.as_secs()).unwrap_or(i64::MAX);
    // Less than 10^9.
    let delay = Delay { seconds, nanos: after.subsec_nanos() as i32 };
    let info = RetryInfo { delay: Some(delay) };
    let details = vec![Any { type_url: TYPE.into(), value: info.encode_to_vec() }];
    let details = RpcStatus { code: code.into(), message: message.clone(), details };
    Status::with_details(code, message, details.encode_to_vec().into())
}

/// After how long the server would be asked again, if it said so.
pub fn after(status: &Status) -> Option<Duration> {
    let details = RpcStatus::decode(status.details()).ok()?.details;
    let info = details.into_iter().find(|any| any.type_url == TYPE)?;
    let delay = RetryInfo::decode(info.value.as_slice()).ok()?.delay?;
    Some(Duration::new(u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_survives_the_wire_and_nonsense_is_none() {
        let delay = Duration::from_millis(1_500);
        let told = status(Code::Unavailable, "later", delay);
        assert_eq!((told.code(), told.message(), after(&told)), (Code::Unavailable, "later", Some(delay)));
        assert_eq!(after(&Status::unavailable("later")), None);
        assert_eq!(after(&Status::with_details(Code::Unavailable, "", b"\xff\x01".as_slice().into())), None);
    }
}
