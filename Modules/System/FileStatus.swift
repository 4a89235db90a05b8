#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The permissions of a file or folder: three bits each for its owner, its group and all others.
package struct FilePermissions: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A file that only its owner may read and write.
    package static let owner = FilePermissions(rawValue: 0o600)
    /// A folder that only its owner may enter.
    package static let ownerFolder = FilePermissions(rawValue: 0o700)
    /// A file that only its owner may write, and everyone may read.
    package static let everyoneReads = FilePermissions(rawValue: 0o644)

    /// No access for the group or others.
    package var isOwnerOnly: Bool { rawValue & 0o077 == 0 }
    /// The group or others may write.
    package var isWritableByOthers: Bool { rawValue & 0o022 != 0 }
    /// Others, or the group by writing, have access.
    package var isOpenBeyondGroup: Bool { rawValue & 0o007 != 0 || rawValue & 0o020 != 0 }
    /// In a folder: only the owner of a name may replace it (`/tmp`).
    package var isSticky: Bool { rawValue & 0o1000 != 0 }
}

/// The kind, owner, permissions and size of a file.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable { case file, folder, socket, link, pipe, device, other }

    /// The state of a file's content: two readings differ if it was written to between them.
    package struct Version: Sendable, Hashable {
        let bytesCount: Int64
        let seconds: Int
        let nanoseconds: Int

        /// The time of the change, in milliseconds since 1970.
        package var milliseconds: Int64 { Int64(seconds) * 1000 + Int64(nanoseconds) / 1_000_000 }

        /// Whether it is that of an earlier change.
        package func isBefore(_ other: Version) -> Bool {
            (seconds, nanoseconds) < (other.seconds, other.nanoseconds)
        }
    }

    /// The file behind a name.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let number: UInt64
    }

    package let kind: Kind
    /// The number of the user.
    package let owner: UInt32
    package let permissions: FilePermissions
    package let bytesCount: Int64
    /// The names that the file has, on all paths together.
    package let linksCount: UInt64
    package let identity: Identity
    package let version: Version

    /// - Parameter followsLink: whether a link is the file that it names.
    package init(of path: String, followsLink: Bool = true) throws(SystemError) {
        var found = stat()
        guard unsafe (followsLink ? stat(path, &found) : lstat(path, &found)) == 0 else { throw .last }
        self.init(found)
    }

    init(_ found: stat) {
        kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFCHR, S_IFBLK: .device
            default: .other
            }
        owner = found.st_uid
        permissions = FilePermissions(rawValue: UInt32(found.st_mode & 0o7777))
        bytesCount = Int64(found.st_size)
        linksCount = UInt64(found.st_nlink)
        identity = Identity(
            device: UInt64(truncatingIfNeeded: found.st_dev), number: UInt64(truncatingIfNeeded: found.st_ino))
        #if canImport(Darwin)
            let modified = found.st_mtimespec
        #else
            let modified = found.st_mtim
        #endif
        version = Version(bytesCount: Int64(found.st_size), seconds: modified.tv_sec, nanoseconds: modified.tv_nsec)
    }

    /// True if the file belongs to the user with whose rights this process runs.
    package var isOwn: Bool { owner == geteuid() }
}
