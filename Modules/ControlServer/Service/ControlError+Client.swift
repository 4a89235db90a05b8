package import Causeway
import CausewayControlAPI

/// Conversions of the errors of the layers below.
extension ControlError {
    package init(_ error: ClientError) {
        switch error {
        case .blob(let problem): self.init(problem)
        case .content(let problem): self.init(.messageInvalid, problem.description)
        case .credentials(let problem): self.init(.credentials, problem.description)
        case .store(let problem): self.init(problem)
        case .transport(let problem): self.init(problem)
        case .noSession: self.init(.noSession, error.description)
        case .sessionExists: self.init(.sessionExists, error.description)
        case .messageNotFound: self.init(.notFound, error.description)
        case .notAMessage, .typeDiffers, .tooManyOperations, .notSupported, .windowFull:
            self.init(.wrongState, error.description)
        case .notFailed, .overtaken: self.init(.wrongState, error.description)
        case .notAuthor: self.init(.notAuthor, error.description)
        case .closed: self.init(.stopping, error.description)
        }
    }

    package init(_ error: BlobError) {
        let code: Code =
            switch error {
            case .sourceMissing, .missing: .notFound
            case .sourceUnreadable, .sourceNotAFile, .sourceChanged: .badRequest
            case .fileTooLarge: .messageInvalid
            case .storageFull, .tooManyBlobs: .outboxFull
            case .busy: .busy
            case .full: .storeFull
            case .syncFailed, .damaged: .storeFailed
            case .notAccessible: .storeNotAccessible
            case .cancelled, .closed: .stopping
            }
        self.init(code, error.description)
    }

    package init(_ error: StoreError) {
        let code: Code =
            switch error {
            case .locked: .storeOwned
            case .newerSchema, .damaged: .storeUnusable
            case .notAccessible: .storeNotAccessible
            case .full: .storeFull
            case .syncFailed, .other: .storeFailed
            case .outboxFull: .outboxFull
            case .duplicate: .internalError
            case .otherAccount: .noSession
            case .closed: .stopping
            }
        self.init(code, error.description)
    }

    package init(_ error: TransportError) {
        let code: Code =
            switch error {
            case .unreachable, .inDoubt: .unreachable
            case .transient, .notSent, .serverFailed, .rateLimited, .storeForked, .historyChanged: .busy
            case .refused: .refused
            case .actionRequired(let actionRequired):
                switch actionRequired.cause {
                case .tokenRefused: .tokenRefused
                case .certificate: .certificate
                case .protocolMismatch: .protocolMismatch
                case .superseded: .superseded
                }
            }
        self.init(code, error.description)
    }
}
