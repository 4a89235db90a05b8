package import CausewayControlAPI
import CausewaySystem
package import Foundation

/// Small files named by a user: read in full, bounded, with an error that names the file.
package enum TextFile {
    /// - Parameter code: the error code when the file cannot be read.
    package static func read(
        _ path: String, bytesMax: Int, as code: ControlError.Code
    ) throws(ControlError) -> Data {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw ControlError(code, isThere ? "\(path) cannot be read" : "there is no file \(path)")
        }
        defer { try? handle.close() }
        let data: Data?
        do {
            data = try handle.read(upToCount: bytesMax + 1)
        } catch {
            throw ControlError(code, "\(path) cannot be read")
        }
        guard let data else { return Data() }
        guard data.count <= bytesMax else { throw ControlError(code, "\(path) is larger than \(bytesMax) bytes") }
        return data
    }

    /// Reads a file with a secret, and refuses one that other users can read or change.
    ///
    /// - Parameters:
    ///   - code: the error code when the file cannot be read.
    ///   - exposedCode: the error code when others have access to it.
    package static func readSecret(
        _ path: String, bytesMax: Int, as code: ControlError.Code, exposedAs exposedCode: ControlError.Code
    ) throws(ControlError) -> Data {
        if let problem = FileAccess.problem(ofSecretFile: path) {
            throw ControlError(exposedCode, "\(path) \(problem)")
        }
        return try read(path, bytesMax: bytesMax, as: code)
    }
}
