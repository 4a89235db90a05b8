internal import CausewaySystem

/// PEM files on disk.
enum PEMFile {
    static let bytesMax = 1024 * 1024
    private static let chunkBytes = 16 * 1024

    /// Creates a new file with these bytes and syncs it to disk. An existing file is refused: its permissions may be
    /// wider than `permissions`, and its content may be the only copy.
    static func write(_ bytes: [UInt8], to path: String, permissions: FilePermissions) throws(TLSError) {
        do throws(SystemError) {
            let file = try OpenFile(
                path, for: .writing, [.create, .exclusive, .noLink], permissions: permissions)
            do throws(SystemError) {
                try file.write(bytes)
                try file.sync()
                try file.close()
            } catch {
                try? FileSystem.remove(path)
                throw error
            }
        } catch {
            throw problem("written", path, error)
        }
    }

    static func read(_ path: String) throws(TLSError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try OpenFile(path, for: .reading)
            while bytes.count <= bytesMax {
                let chunk = try file.read(upTo: chunkBytes)
                if chunk.isEmpty { return bytes }
                bytes += chunk
            }
        } catch {
            throw problem("read", path, error)
        }
        throw .configuration("\(path) is larger than \(bytesMax) bytes; a PEM file is smaller")
    }

    private static func problem(_ what: String, _ path: String, _ error: SystemError) -> TLSError {
        .configuration("\(path) cannot be \(what): \(error)")
    }
}
