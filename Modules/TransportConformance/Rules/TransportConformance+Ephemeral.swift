import CausewayModels
import CausewayTransport

extension TransportConformance {
    private static func signal(
        _ isTyping: Bool, _ sequence: Int64, _ trial: Trial, in channel: ChannelID? = nil
    ) -> TypingSignal {
        TypingSignal(
            channel: channel ?? trial.server.channel, isTyping: isTyping, device: "conformance", sequence: sequence)
    }

    private static func setTyping(
        _ signal: TypingSignal, over transport: any Transport
    ) async throws(TransportError) {
        try await transport.ephemeral?.setTyping(signal)
    }

    private static func open(_ transport: any Transport) async throws -> any EventStream {
        guard let source = transport.events else { throw ConformanceFailure("the transport has no events") }
        return try await source.open(from: try await source.currentCursor(knowing: nil).cursor, knowing: nil)
    }

    /// Reads the first batch of a stream at the end of the log; what it has of ephemeral events is complete.
    private static func first(_ stream: any EventStream) async throws {
        guard case .batch(let batch) = try await stream.next(knowing: nil) else {
            throw ConformanceFailure("a valid cursor leads to a reset")
        }
        try require(batch.ephemeral?.isComplete ?? true, "the first ephemeral events of a stream are not complete")
    }

    /// Reads a stream until the account of the trial is typing.
    private static func awaitTyping(_ stream: any EventStream, _ trial: Trial) async throws {
        let (channel, user) = (trial.server.channel, trial.server.user)
        let call = BoundedCall(trial) { () throws(TransportError) in
            while true {
                guard case .batch(let batch) = try await stream.next(knowing: nil) else { return }
                guard batch.isUpToDate || batch.ephemeral == nil else { return }
                let states = batch.ephemeral?.channels.filter { $0.channel == channel } ?? []
                // Success is no error, and errors are what a bounded call returns.
                if states.contains(where: { $0.typing.contains { $0.user == user && $0.remaining > .zero } }) {
                    throw .refused(code: "found", detail: "")
                }
            }
        }
        try requireEqual(try await call.error(), .refused(code: "found", detail: ""), "the end of the wait")
        await stream.close()
    }

    static let ephemeralRules: [Rule] = [
        Rule("typing reaches a stream that waits, and one that is opened later", needsEphemeral: true) { trial in
            try await trial.with { transport in
                let stream = try await open(transport)
                try await first(stream)
                try await setTyping(signal(true, 1, trial), over: transport)
                try await awaitTyping(stream, trial)
                try await awaitTyping(try await open(transport), trial)
            }
        },
        Rule("an older typing signal changes nothing", needsEphemeral: true) { trial in
            try await trial.with { transport in
                try await setTyping(signal(true, 2, trial), over: transport)
                try await setTyping(signal(false, 1, trial), over: transport)
                try await awaitTyping(try await open(transport), trial)
            }
        },
        Rule("typing is not in the log", needsEphemeral: true) { trial in
            try await trial.with { transport in
                let source = transport.events
                let before = try await source?.currentCursor(knowing: nil).cursor
                try await setTyping(signal(true, 1, trial), over: transport)
                let after = try await source?.currentCursor(knowing: nil).cursor
                try requireEqual(after, before, "the end of the log")
            }
        },
        Rule("typing in a channel that the account cannot write to is refused", needsEphemeral: true) { trial in
            try await trial.with { transport in
                guard let channel = ChannelID("no-such-channel") else { return }
                let error = try await trial.error(
                    of: { transport throws(TransportError) in
                        try await setTyping(signal(true, 1, trial, in: channel), over: transport)
                    }, over: transport, "the signal")
                guard case .refused = error else { throw ConformanceFailure("the error is \(error)") }
            }
        },
        Rule("typing over a closed transport is unreachable", needsEphemeral: true) { trial in
            let transport = try await trial.server.makeTransport(.working)
            await transport.close()
            let error = try await trial.error(
                of: { transport throws(TransportError) in
                    try await setTyping(signal(true, 1, trial), over: transport)
                }, over: transport, "the signal")
            guard case .unreachable = error else { throw ConformanceFailure("the error is \(error)") }
        },
    ]
}
