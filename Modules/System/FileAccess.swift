#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Checks whether other users could read or change files that belong to this process's user.
///
/// Each problem is the end of a sentence that begins with the path: it describes the problem and its remedy. A missing
/// file is not a problem here: opening it reports the error.
package enum FileAccess {
    /// The problem with a folder that only its user may change: it belongs to another user, or others may write to it.
    package static func problem(ofFolder path: String) -> String? {
        guard let status = status(path), status.kind == .folder else { return nil }
        if !status.isOwn {
            return "belongs to another user (\(status.owner)); run as that user, or name another folder"
        }
        if status.permissions.isWritableByOthers { return "can be written by others; run chmod go-w on it" }
        return nil
    }

    /// The problem with a file that contains a key: it belongs to another user than this one and root, it is readable
    /// by everyone, or others may write to it. Read access for its group is allowed, as a decision of the
    /// administrator.
    package static func problem(ofSecretFile path: String) -> String? {
        guard let status = status(path), status.kind == .file else { return nil }
        if !status.isOwn, status.owner != 0 {
            return "belongs to another user (\(status.owner)); run chown on it"
        }
        if status.permissions.isOpenBeyondGroup { return "can be read or written by others; run chmod 600 on it" }
        return nil
    }

    /// The problem with a socket that is to be sent a secret: another user than this one and root could listen there.
    ///
    /// Root may also use the socket of a service's user, in a folder that only root can have given to that user
    /// (`/run/causeway`).
    package static func problem(ofSocket path: String) -> String? {
        guard let status = status(path) else { return nil }
        let folder = self.folder(of: path)
        let isTrusted = status.isOwn || status.owner == 0 || (geteuid() == 0 && isHandedOutByRoot(folder))
        guard isTrusted else { return "belongs to another user (\(status.owner)), who would receive every request" }
        guard let place = self.status(folder) else { return nil }
        guard [status.owner, geteuid(), 0].contains(place.owner) else {
            return "is in a folder of another user (\(place.owner)), who could replace it"
        }
        // In a folder like /tmp other users can add names, but not replace those of others.
        if place.permissions.isWritableByOthers, !place.permissions.isSticky {
            return "is in a folder that others can write to; run chmod go-w on \(folder)"
        }
        return nil
    }

    /// True if everything above the folder belongs to root, and no other user can write there.
    private static func isHandedOutByRoot(_ folder: String) -> Bool {
        guard let resolved = unsafe realpath(folder, nil) else { return false }
        defer { unsafe free(resolved) }
        var path = unsafe String(cString: resolved)
        while path != "/" {
            path = self.folder(of: path)
            guard let status = status(path), status.owner == 0, !status.permissions.isWritableByOthers else {
                return false
            }
        }
        return true
    }

    private static func folder(of path: String) -> String {
        let folder = FileSystem.parent(of: path)
        return folder.isEmpty ? "." : folder
    }

    private static func status(_ path: String) -> FileStatus? { try? FileStatus(of: path) }
}
