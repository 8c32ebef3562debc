//! Atomic file replacement: after a crash or on a full disk, the file holds the old text or the new one, never a part.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// Permissions of a written file.
#[derive(Debug, Clone, Copy)]
pub enum Readers<'m> {
    /// The owner only, whatever the old file's permissions.
    Owner,
    /// As the umask allows; an existing file keeps its permissions.
    All,
    /// Owner and permissions of another file.
    Of(&'m Metadata),
}

/// Replaces a file, or makes it. One that was there keeps its owner, group and permissions, as far as this process may
/// give them. A symbolic link stays one: what it points to is replaced. A pipe or device is written
/// to directly.
///
/// # Errors
/// IO errors; the old file is then unchanged. A file that is read-only, or that has further names (hard links),
/// is refused: replacing it would change one name only.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers<'_>) -> io::Result<()> {
    let path = &target(path)?;
    let before = match fs::metadata(path) {
        Ok(there) if !there.is_file() => return fs::write(path, bytes),
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // A copy is this program's own.
    if let (Some(before), Readers::Owner | Readers::All) = (&before, readers) {
        refuse_if_kept(path, before)?;
    }
    let mut new = match (readers, &before) {
        (Readers::All, None) => NewFile::with_mode(path, 0o666)?,
        _ => NewFile::create_beside(path)?,
    };
    new.file().write_all(bytes)?;
    match (readers, &before) {
        (Readers::Of(other), _) | (Readers::All, Some(other)) => new.belong_as(other)?,
        (Readers::Owner, _) | (Readers::All, None) => {}
    }
    new.take_place()
}

/// A temporary file in the target folder. Dropping it deletes it.
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl NewFile {
    /// Creates an empty temporary file next to `path`, with permissions 0600.
    ///
    /// # Errors
    /// IO errors.
    pub fn create_beside(path: &Path) -> io::Result<Self> {
        Self::with_mode(path, 0o600)
    }

    /// The same with these permissions, less those that the umask takes away.
    fn with_mode(path: &Path, mode: u32) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        set_mode(&mut builder, mode);
        Ok(Self {
            file: builder.tempfile_in(folder_of(path))?,
            path: path.to_owned(),
        })
    }

    /// The file, to be written.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Takes the place of the file, and is there after a power cut.
    ///
    /// # Errors
    /// IO errors. The old file is unchanged, unless only syncing the folder failed.
    pub fn take_place(self) -> io::Result<()> {
        // The new name must not be on the disk before the text is.
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path)?;
        sync_folder(&self.path)
    }

    /// Gives it owner, group and permissions of another file. Only root may give a file away: where that fails it stays this
    /// user's, and another group may do no more than everybody.
    ///
    /// # Errors
    /// IO errors.
    #[cfg(unix)]
    pub fn belong_as(&self, other: &Metadata) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
        let file = self.file.as_file();
        let own = file.metadata()?;
        let mut mode = other.mode() & 0o777;
        // The group first: after changing the owner it may not be changed any more.
        if own.gid() != other.gid() && fchown(file, None, Some(other.gid())).is_err() {
            mode = narrowed(mode);
        }
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        if own.uid() != other.uid() && fchown(file, Some(other.uid()), None).is_err() {
            tracing::debug!("{} is this user's from now on", self.path.display());
        }
        Ok(())
    }

    /// Gives it the permissions of another file.
    ///
    /// # Errors
    /// IO errors.
    #[cfg(not(unix))]
    pub fn belong_as(&self, other: &Metadata) -> io::Result<()> {
        self.file.as_file().set_permissions(other.permissions())
    }
}

#[cfg(unix)]
fn set_mode(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
}

/// Changes nothing: Windows gives a file the rights of its folder.
#[cfg(not(unix))]
fn set_mode(_: &mut tempfile::Builder<'_, '_>, _: u32) {}

/// The permissions with which another group gets nothing that everybody has not.
#[cfg(unix)]
fn narrowed(mode: u32) -> u32 {
    mode & !0o070 | (mode & 0o070 & ((mode & 0o007) << 3))
}

/// Syncs a folder, so that a new name survives a power cut.
///
/// # Errors
/// IO errors. File systems without support and folders without permission are skipped.
pub fn sync_folder(of: &Path) -> io::Result<()> {
    let synced = File::open(folder_of(of)).and_then(|folder| folder.sync_all());
    synced.or_else(|error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    })
}

/// The folder that a file is in. The empty path is the folder we are in.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Where symbolic links lead to, whether or not there is something.
fn target(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("the symbolic links lead in a circle"))
}

/// Refuses files that must not be replaced.
fn refuse_if_kept(path: &Path, there: &Metadata) -> io::Result<()> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if there.permissions().readonly() || !may_write(path) {
        return refused(
            "the file is read-only for this user: change its permissions, or name another".to_owned(),
        );
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let names = there.nlink();
        if names > 1 {
            return refused(format!(
                "the file has {names} names (hard links), and only this one would have the new text: copy it, or make \
                 symbolic links of the others"
            ));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::WRITE_OK) != Err(rustix::io::Errno::ACCESS)
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs::Permissions,
        os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink},
    };

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_is_for_whom_it_is_meant_and_an_old_one_keeps_its_permissions_but_for_secrets() {
        let folder = folder();
        let path = folder.path().join("a");
        // As the umask of this process has it.
        let usual = folder.path().join("usual");
        File::create(&usual).unwrap();
        for (readers, expected) in [(Readers::Owner, 0o600), (Readers::All, mode(&usual))] {
            replace(&path, b"one", readers).unwrap();
            assert_eq!(mode(&path), expected);
            for kept in [0o640, 0o664, 0o600, 0o755] {
                fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
                replace(&path, b"two", readers).unwrap();
                let expected = if matches!(readers, Readers::Owner) {
                    0o600
                } else {
                    kept
                };
                assert_eq!((mode(&path), &*fs::read(&path).unwrap()), (expected, &b"two"[..]));
            }
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(files(folder.path()), 1, "nothing half written is left");
    }

    #[test]
    fn owner_and_group_stay_where_this_user_may_give_them() {
        let folder = folder();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        // Only root can change the owner of a file.
        let given = std::os::unix::fs::chown(&path, Some(10_001), Some(10_002)).is_ok();
        fs::set_permissions(&path, Permissions::from_mode(0o660)).unwrap();
        let before = fs::metadata(&path).unwrap();
        replace(&path, b"two", Readers::All).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_ne!(before.ino(), after.ino(), "another file has taken its place");
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
        assert_eq!(after.mode() & 0o777, 0o660);
        assert_eq!(given, after.uid() == 10_001);
    }

    #[test]
    fn a_copy_is_for_whom_its_original_is() {
        let folder = folder();
        let [original, copy] = ["a", "a~"].map(|name| folder.path().join(name));
        fs::write(&original, "mine").unwrap();
        fs::set_permissions(&original, Permissions::from_mode(0o640)).unwrap();
        for _ in 0..2 {
            replace(&copy, b"mine", Readers::Of(&fs::metadata(&original).unwrap())).unwrap();
            assert_eq!(mode(&copy), 0o640);
            fs::set_permissions(&copy, Permissions::from_mode(0o444)).unwrap();
        }
    }

    #[test]
    fn another_group_gets_nothing_that_everybody_has_not() {
        for (mode, expected) in [
            (0o660, 0o600),
            (0o664, 0o644),
            (0o640, 0o600),
            (0o644, 0o644),
            (0o606, 0o606),
        ] {
            assert_eq!(narrowed(mode), expected, "{mode:o}");
        }
    }

    #[test]
    fn links_stay_links_wherever_they_lead_and_pipes_pipes() {
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("below")).unwrap();
        fs::write(path("below/a"), "one").unwrap();
        symlink("below/a", path("link")).unwrap();
        symlink("link", path("link-to-link")).unwrap();
        symlink("below/new", path("ahead")).unwrap();
        for link in ["link", "link-to-link", "ahead"] {
            replace(&path(link), b"two", Readers::All).unwrap();
            assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
        }
        assert_eq!(fs::read(path("below/a")).unwrap(), b"two");
        assert_eq!(fs::read(path("below/new")).unwrap(), b"two");
        symlink("circle", path("circle")).unwrap();
        assert!(replace(&path("circle"), b"", Readers::All).is_err());
        replace(Path::new("/dev/null"), b"two", Readers::All).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn what_must_stay_as_it_is_is_refused_with_a_sentence() {
        let folder = folder();
        let [one, other] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&one, "mine").unwrap();
        fs::hard_link(&one, &other).unwrap();
        let refused = replace(&one, b"new", Readers::All).unwrap_err().to_string();
        assert!(refused.contains("2 names (hard links)"), "{refused}");
        fs::remove_file(&other).unwrap();
        fs::set_permissions(&one, Permissions::from_mode(0o444)).unwrap();
        let refused = replace(&one, b"new", Readers::All).unwrap_err().to_string();
        assert!(refused.contains("read-only"), "{refused}");
        assert!(replace(folder.path(), b"new", Readers::All).is_err());
        assert!(replace(&folder.path().join("no/a"), b"new", Readers::All).is_err());
        assert_eq!(fs::read(&one).unwrap(), b"mine");
        assert_eq!(files(folder.path()), 1);
    }

    #[test]
    fn what_cannot_be_written_to_its_end_leaves_the_old_file() {
        let folder = folder();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut new = NewFile::create_beside(&path).unwrap();
        new.file().write_all(b"half of the n").unwrap();
        assert_eq!(files(folder.path()), 2);
        drop(new);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(files(folder.path()), 1);
    }

    #[test]
    fn a_name_without_a_folder_is_in_the_one_we_are_in() {
        assert_eq!(folder_of(Path::new("a")), Path::new("."));
        sync_folder(Path::new("a")).unwrap();
    }
}
