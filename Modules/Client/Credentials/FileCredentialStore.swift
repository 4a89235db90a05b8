public import CausewayModels
import CausewaySystem
import Foundation

/// Stores each session's token in a file of its own beside the store, readable by the owner only.
///
/// The file `token-<session>` is created with mode 0600 and replaced atomically. A file that other users can read or
/// change is refused. No error text contains the token. Thread-safe.
public struct FileCredentialStore: CredentialStore {
    private let folder: String

    /// - Parameter folder: the store's folder; must exist when a token is saved.
    public init(folder: String) { self.folder = folder }

    public func token(for session: Session) async throws(CredentialError) -> AccessToken? {
        let content: [UInt8]?
        do throws(PrivateFile.Problem) {
            content = try file(for: session).read(bytesMax: 8192)
        } catch {
            throw CredentialError("the token file \(error.description)")
        }
        guard let content else { return nil }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token = AccessToken(text) else {
            throw CredentialError("the token file \(file(for: session).path) contains no token; log in again")
        }
        return token
    }

    public func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {
        do throws(PrivateFile.Problem) {
            try file(for: session).write(Array((token.text + "\n").utf8))
        } catch {
            throw CredentialError("the token file \(error.description)")
        }
    }

    public func remove(for session: Session) async throws(CredentialError) {
        do throws(PrivateFile.Problem) {
            try file(for: session).remove()
        } catch {
            throw CredentialError("the token file \(error.description)")
        }
    }

    private func file(for session: Session) -> PrivateFile { PrivateFile(path: "\(folder)/token-\(session.id)") }
}
