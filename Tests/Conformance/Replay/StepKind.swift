/// The kinds of steps that a sample of scenarios must have.
enum StepKind: String, CaseIterable {
    case create, refusedChannel, reply, edit, addReaction, removeReaction, delete, resend, resendAll, deleteAllFailed
    case slow, slices, cut, mute, blackHole
    case restartResuming, restartFailing, restartHub, relogin
    case answer503, answer400, rateLimited, lostAnswer, cutBefore, captivePortal
    case refusedToken, repeated, lateCopy

    /// `nil` for the step that restores the line.
    init?(_ step: Scenario.Step) {
        switch step {
        case .create(let new): self = new.parent != nil ? .reply : new.room == .nowhere ? .refusedChannel : .create
        case .delete: self = .delete
        case .edit: self = .edit
        case .react(_, name: _, let isAdded): self = isAdded ? .addReaction : .removeReaction
        case .resend: self = .resend
        case .resendAll: self = .resendAll
        case .deleteAllFailed: self = .deleteAllFailed
        case .line(let line): self.init(rawValue: line.rawValue)
        case .restart(let resumes): self = resumes ? .restartResuming : .restartFailing
        case .restartHub: self = .restartHub
        case .relogin: self = .relogin
        case .trouble(let trouble, times: _, _): self.init(trouble)
        case .refusedToken: self = .refusedToken
        case .repeated: self = .repeated
        case .lateCopy: self = .lateCopy
        }
    }

    private init(_ trouble: Scenario.Trouble) {
        switch trouble {
        case .respond(let status, code: _): self = status < 500 ? .answer400 : .answer503
        case .rateLimited: self = .rateLimited
        case .lostAnswer: self = .lostAnswer
        case .cutBefore: self = .cutBefore
        case .captivePortal: self = .captivePortal
        }
    }
}
