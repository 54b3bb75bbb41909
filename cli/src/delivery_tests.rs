use super::*;

type Written<'a> = (&'a str, String);

fn put(folder: &Path, files: &[Written]) -> bool {
    let named = named(files);
    deliver(folder.parent().unwrap(), folder, "m.report.json", &named, &|file| fetch(files, file)).unwrap()
}

fn named(files: &[Written]) -> Vec<File> {
    let named =
        |(path, text): &Written| File { path: (*path).to_owned(), blob: BlobRef::of(text.as_bytes()) };
    files.iter().map(named).collect()
}

fn fetch(files: &[Written], file: &File) -> Result<Arc<[u8]>, String> {
    Ok(files.iter().find(|(path, _)| *path == file.path).unwrap().1.as_bytes().into())
}

fn file<'a>(path: &'a str, text: &str) -> Written<'a> {
    (path, text.to_owned())
}

fn report(listed: &[&str]) -> Written<'static> {
    let digests: serde_json::Map<String, serde_json::Value> =
        listed.iter().map(|p| ((*p).to_owned(), "x".into())).collect();
    ("m.report.json", serde_json::json!({"digests": digests}).to_string())
}

fn listing(folder: &Path) -> Vec<String> {
    let name = |(path, kind): (PathBuf, FileType)| {
        format!("{}{}", path.display(), if kind.is_dir() { "/" } else { "" })
    };
    let mut all: Vec<String> = entries(folder, Path::new("")).unwrap().into_iter().map(name).collect();
    all.sort();
    all
}

#[test]
fn own_files_are_replaced_and_a_users_are_kept() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("deep/m");
    let first = [file("m.model3.json", "1"), file("old/a.png", "a"), report(&["m.model3.json", "old/a.png"])];
    assert!(put(&folder, &first));
    assert!(!put(&folder, &first), "nothing changed");
    fs::write(folder.join("mine.vtube.json"), b"user").unwrap();
    fs::create_dir(folder.join("motions")).unwrap();
    fs::write(folder.join("motions/mine.motion3.json"), b"user").unwrap();
    let second =
        [file("m.model3.json", "2"), file("new/b.png", "b"), report(&["m.model3.json", "new/b.png"])];
    assert!(put(&folder, &second));
    assert_eq!(
        listing(&folder),
        [
            "m.model3.json",
            "m.report.json",
            "mine.vtube.json",
            "motions/",
            "motions/mine.motion3.json",
            "new/",
            "new/b.png"
        ]
    );
    assert_eq!(fs::read(folder.join("m.model3.json")).unwrap(), b"2");
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn moving_one_by_one_gives_the_same_folder() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("m");
    put(&folder, &[file("m.model3.json", "1"), file("a", "a")]);
    let files = [file("m.model3.json", "2"), file("b/c", "c")];
    let aside = write_aside(&folder, &named(&files), &BTreeSet::new(), &|f| fetch(&files, f)).unwrap();
    move_one_by_one(&folder, &aside, &named(&files), &BTreeSet::from(["a".to_owned()])).unwrap();
    assert_eq!(listing(&folder), ["b/", "b/c", "m.model3.json"]);
}

#[test]
fn a_report_that_lies_removes_nothing_outside() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("m");
    fs::write(root.path().join("precious"), b"x").unwrap();
    put(&folder, &[report(&["../precious", "/etc/hostname"])]);
    put(&folder, &[file("m.model3.json", "1")]);
    assert!(root.path().join("precious").exists());
}

#[test]
fn a_users_file_in_the_way_is_never_replaced() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("m");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("m.model3.json"), b"mine").unwrap();
    let files = [file("m.model3.json", "1"), report(&["m.model3.json"])];
    let told = deliver(root.path(), &folder, "m.report.json", &named(&files), &|f| fetch(&files, f));
    assert!(told.unwrap_err().to_string().contains("move it away"));
    assert_eq!(fs::read(folder.join("m.model3.json")).unwrap(), b"mine");
}

#[test]
fn empty_folders_and_links_of_a_user_are_kept() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("m");
    put(&folder, &[file("m.model3.json", "1"), file("old/a", "a"), report(&["m.model3.json", "old/a"])]);
    for name in ["empty", "nested/empty", "old/empty"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("/nowhere", folder.join("link")).unwrap();
    put(&folder, &[file("m.model3.json", "2"), report(&["m.model3.json"])]);
    let expected = ["empty/", "link", "m.model3.json", "m.report.json", "nested/", "nested/empty/", "old/"];
    assert_eq!(listing(&folder), [&expected[..], &["old/empty/"]].concat());
}

#[test]
fn a_folder_goes_with_the_last_file_of_ours() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("m");
    put(
        &folder,
        &[file("m.model3.json", "1"), file("m.4096/a", "a"), report(&["m.model3.json", "m.4096/a"])],
    );
    put(
        &folder,
        &[file("m.model3.json", "1"), file("m.2048/a", "a"), report(&["m.model3.json", "m.2048/a"])],
    );
    assert_eq!(listing(&folder), ["m.2048/", "m.2048/a", "m.model3.json", "m.report.json"]);
}

#[test]
fn a_link_in_the_place_of_the_folder_is_followed() {
    let root = tempfile::tempdir().unwrap();
    let (folder, target) = (root.path().join("out/m"), root.path().join("elsewhere/m"));
    fs::create_dir_all(&target).unwrap();
    fs::create_dir(folder.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&target, &folder).unwrap();
    fs::write(target.join("mine"), "mine").unwrap();
    for text in ["1", "2"] {
        put(&folder, &[file("m.model3.json", text), report(&["m.model3.json"])]);
        assert!(fs::symlink_metadata(&folder).unwrap().is_symlink());
        assert_eq!(listing(&target), ["m.model3.json", "m.report.json", "mine"]);
        assert_eq!(fs::read_to_string(target.join("m.model3.json")).unwrap(), text);
    }
}

#[test]
fn what_stands_in_the_place_of_a_folder_of_ours_is_named() {
    let root = tempfile::tempdir().unwrap();
    let (folder, elsewhere) = (root.path().join("m"), root.path().join("elsewhere"));
    let files = [file("m.model3.json", "1"), file("m.4096/a", "a"), report(&["m.model3.json", "m.4096/a"])];
    for target in [elsewhere.as_path(), Path::new("/nowhere")] {
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        std::os::unix::fs::symlink(target, folder.join("m.4096")).unwrap();
        let told = deliver(root.path(), &folder, "m.report.json", &named(&files), &|f| fetch(&files, f))
            .unwrap_err();
        assert!(told.to_string().contains("m.4096: stands where"), "{told}");
        assert_eq!(listing(&folder), ["m.4096"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn files_are_written_through_links_and_to_devices() {
    let root = tempfile::tempdir().unwrap();
    let (file, link) = (root.path().join("file"), root.path().join("link"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_file(&link, b"new").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_file(Path::new("/dev/null"), b"gone").unwrap();
    assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
    assert!(write_file(root.path(), b"in the way").is_err());
}
