/// A small file that only its owner may read and write from its creation on, replaced atomically.
package struct PrivateFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The reason why the file cannot be used; contains the path and never the content.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
        /// True if the disk is full.
        package let isFull: Bool

        init(_ description: String, isFull: Bool = false) {
            self.description = description
            self.isFull = isFull
        }
    }

    /// Returns the content; `nil` when there is no file.
    ///
    /// Throws when other users may read the file, because the secret is then exposed; when the file exceeds `bytesMax`;
    /// and when it cannot be read.
    package func read(bytesMax: Int) throws(Problem) -> [UInt8]? {
        let result: Result<[UInt8], Problem>
        do throws(SystemError) {
            result = try read(OpenFile(path, for: .reading, .noLink), bytesMax)
        } catch {
            if error.isNotFound { return nil }
            throw problem("cannot be read", error)
        }
        return try result.get()
    }

    private func read(_ file: OpenFile, _ bytesMax: Int) throws(SystemError) -> Result<[UInt8], Problem> {
        let status = try file.status()
        guard status.permissions.isOwnerOnly else {
            return .failure(Problem("\(path) can be read by others; run chmod 600 on it"))
        }
        guard status.bytesCount <= bytesMax else {
            return .failure(Problem("\(path) is larger than \(bytesMax) bytes"))
        }
        var content: [UInt8] = []
        while content.count < status.bytesCount {
            let part = try file.read(upTo: Int(status.bytesCount) - content.count)
            if part.isEmpty { break }
            content += part
        }
        return .success(content)
    }

    /// Replaces the content durably and atomically, also across a power failure.
    package func write(_ content: [UInt8]) throws(Problem) {
        let temporary = path + ".new"
        try? FileSystem.remove(temporary)
        do throws(SystemError) {
            let file = try OpenFile(temporary, for: .writing, [.create, .exclusive, .noLink])
            do throws(SystemError) {
                try file.write(content)
                try file.sync()
                try FileSystem.rename(temporary, to: path)
            } catch {
                try? FileSystem.remove(temporary)
                throw error
            }
        } catch {
            throw problem("cannot be written", error)
        }
        try syncFolder()
    }

    /// Removes the file durably; does nothing when there is none.
    package func remove() throws(Problem) {
        do throws(SystemError) {
            try FileSystem.remove(path)
        } catch {
            if error.isNotFound { return }
            throw problem("cannot be removed", error)
        }
        try syncFolder()
    }

    private func syncFolder() throws(Problem) {
        let folder = FileSystem.parent(of: path)
        do throws(SystemError) {
            try FileSystem.syncFolder(folder.isEmpty ? "." : folder)
        } catch {
            throw problem("cannot be made durable", error)
        }
    }

    private func problem(_ what: String, _ error: SystemError) -> Problem {
        Problem("\(path) \(what): \(error)", isFull: error.isFull)
    }
}
