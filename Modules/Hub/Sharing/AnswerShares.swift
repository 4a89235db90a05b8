internal import Hummingbird

/// The bytes of answers, counted from before they are made until the client has taken them: those who read slowly, or
/// not at all, hold what is theirs and nothing of the others.
struct AnswerShares: Sendable {
    private let bytes = ByteShares(
        totalMax: HubLimits.answerBytesInFlightMax, perAccountMax: HubLimits.answerBytesPerAccountMax,
        perPeerMax: HubLimits.answerBytesPerPeerMax)
    /// Few are made at a time, in turns between accounts.
    private let gate = FairGate(slots: HubLimits.pagesMax)

    /// Makes an answer when it is the account's turn.
    ///
    /// - Parameter reserved: bytes that it may come to; without them it counts as soon as it is made.
    /// - Throws: 503 `busy` when there is no room, or too many wait; what `make` throws.
    func answer(
        _ context: HubRequestContext, reserving reserved: Int = 0, _ make: () async throws -> AnswerParts
    ) async throws -> Response {
        let (lease, parts) = try await gate.run(for: context.requireAccount()) {
            let lease = try reserve(reserved, context)
            let parts = try await make()
            if reserved == 0, !parts.isSmall { try lease.add(parts.count) }
            return (lease, parts)
        }
        return Self.answer(parts, holding: lease, context)
    }

    /// - Throws: 503 `busy` when the bytes have no room.
    func reserve(_ reserved: Int, _ context: HubRequestContext) throws -> ByteLease {
        let lease = ByteLease(bytes, for: try context.requireOwner())
        if reserved > 0 { try lease.add(reserved) }
        return lease
    }

    static func answer(_ parts: AnswerParts, holding lease: ByteLease, _ context: HubRequestContext) -> Response {
        guard !parts.isSmall else { return HubAnswer.json(parts) }
        lease.correct(to: parts.count)
        return HubAnswer.json(parts, holding: lease, on: context.channel)
    }
}
