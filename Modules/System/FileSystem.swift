#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The names of files and folders: creation, renaming, removal, and when they are on the disk.
package enum FileSystem {
    /// Bytes of the longest name of a file, on every file system in common use.
    package static let nameBytesMax = 255

    /// True if there is something of that name; a link counts if its target exists.
    package static func exists(_ path: String) -> Bool { (try? FileStatus(of: path)) != nil }

    /// True if there is nothing of that name, not even a link. Throws if the disk fails to tell: a file that cannot be
    /// looked at is not missing.
    package static func isMissing(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try FileStatus(of: path, followsLink: false)
            return false
        } catch {
            guard error.isNotFound || error.isNotFolder else { throw error }
            return true
        }
    }

    /// True if this process may pass through the folder.
    package static func canEnter(_ folder: String) -> Bool { unsafe access(folder, X_OK) == 0 }

    /// The path of the folder that contains a file: `/` for `/a`, and empty for a plain name.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a folder that only its owner may enter.
    package static func makeFolder(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, mode_t(FilePermissions.ownerFolder.rawValue)) == 0 else { throw .last }
    }

    /// Creates a folder and its missing parents, each of which only its owner may enter.
    ///
    /// A folder on the path that cannot be created, such as one below a read-only root, is acceptable as long as it can
    /// be entered.
    ///
    /// - Parameters:
    ///   - created: called after each folder that was created, with the folder that contains it.
    ///   - failed: the error for a folder that cannot be created.
    package static func makeFolders<Failure: Error>(
        _ path: String, created: (_ parent: String) throws(Failure) -> Void = { _ in },
        failed: (_ folder: String, SystemError) -> Failure
    ) throws(Failure) {
        var made = ""
        var parent = path.hasPrefix("/") ? "/" : "."
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            if !made.isEmpty {
                var problem: SystemError?
                do throws(SystemError) { try makeFolder(made) } catch { problem = error }
                if let problem {
                    guard problem.isExisting || canEnter(made) else { throw failed(made, problem) }
                } else {
                    try created(parent)
                }
                parent = made
            }
            made += "/"
        }
    }

    /// Creates a folder of a name that nothing else has, which only its owner may enter.
    ///
    /// - Returns: its path.
    package static func makeUniqueFolder(in folder: String) throws(SystemError) -> String {
        var template = Array((folder + "/.XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else { throw .last }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Gives a file another name, in one step, and replaces the file that has it.
    package static func rename(_ path: String, to target: String) throws(SystemError) {
        guard systemRename(path, target) == 0 else { throw .last }
    }

    /// Gives a file another name, which nothing may have.
    ///
    /// On a disk without second names for files the name is looked for first, and one that another process creates
    /// between the two steps is replaced.
    package static func renameReplacingNothing(_ path: String, to target: String) throws(SystemError) {
        do throws(SystemError) {
            try link(path, to: target)
        } catch {
            guard !error.isExisting, (try? isMissing(target)) == true else { throw error }
            return try rename(path, to: target)
        }
        try removeIfPresent(path)
    }

    /// Gives a file a second name.
    package static func link(_ path: String, to target: String) throws(SystemError) {
        guard systemLink(path, target) == 0 else { throw .last }
    }

    /// Removes the name of a file.
    package static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .last }
    }

    /// Removes the name of a file; does nothing if there is none.
    package static func removeIfPresent(_ path: String) throws(SystemError) {
        do throws(SystemError) { try remove(path) } catch { if !error.isNotFound { throw error } }
    }

    /// Removes an empty folder.
    package static func removeFolder(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 else { throw .last }
    }

    /// Sets the permissions of a file.
    package static func setPermissions(_ permissions: FilePermissions, of path: String) throws(SystemError) {
        guard unsafe chmod(path, mode_t(permissions.rawValue)) == 0 else { throw .last }
    }

    /// Returns when the names in a folder are on the disk.
    package static func syncFolder(_ path: String) throws(SystemError) {
        try OpenFile(path, for: .reading, .folder).sync()
    }

    /// True if both are names of one file.
    package static func isSameFile(_ path: String, _ other: String) -> Bool {
        guard let first = try? FileStatus(of: path), let second = try? FileStatus(of: other) else { return false }
        return first.identity == second.identity
    }
}

/// The system's calls, which methods of the same name hide.
private func systemRename(_ path: String, _ target: String) -> Int32 { unsafe rename(path, target) }
private func systemLink(_ path: String, _ target: String) -> Int32 { unsafe link(path, target) }
