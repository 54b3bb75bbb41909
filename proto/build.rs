//! Compiles the service definitions without `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["farm/v1/types.proto", "farm/v1/farm.proto", "farm/v1/worker.proto"];
    for file in files {
        println!("cargo:rerun-if-changed={file}");
    }
    let descriptors = protox::compile(files, ["."])?;
    // Maps in order of key, so that equal values have equal bytes.
    tonic_prost_build::configure().build_transport(false).btree_map(".").compile_fds(descriptors)?;
    Ok(())
}
