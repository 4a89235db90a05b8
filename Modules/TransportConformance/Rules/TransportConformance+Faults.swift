import CausewayModels
import CausewayTransport

extension TransportConformance {
    /// A delivery under a fault, and its repetition without one.
    private static func requireDoubt(
        _ trial: Trial, _ fault: ServerFault, isApplied: Bool, seen expected: Int
    ) async throws {
        try await trial.with { transport in
            _ = try await transport.authenticate()
            let id = trial.messages(1)[0]
            try await trial.server.use(fault)
            let error = try await trial.error(ofDelivering: id, over: transport)
            guard case .inDoubt = error else { throw ConformanceFailure("the error is \(error)") }
            try await trial.server.use(.none)
            try requireEqual(
                try await trial.server.deliveriesSeen(), expected, "the number of requests that arrived for one call")
            try requireEqual(try await trial.server.stored(), isApplied ? [id] : [], "the channel")
            let operations = trial.chain([trial.send(id)])
            let outcomes = try await trial.deliver(operations, over: transport)
            try requireEqual(outcomes.positions.count, 1, "the number of accepted messages in the repeat")
            try requireEqual(try await trial.server.stored(), [id], "the channel after the repeat")
        }
    }

    static let faultRules: [Rule] = [
        Rule("a lost request is in doubt, and can be repeated", faults: [.loseRequest]) { trial in
            try await requireDoubt(trial, .loseRequest, isApplied: false, seen: 0)
        },
        Rule("a lost response is in doubt, and one call sends one request", faults: [.loseResponse]) { trial in
            try await requireDoubt(trial, .loseResponse, isApplied: true, seen: 1)
        },
        Rule("a response that does not follow the protocol is in doubt", faults: [.malformedResponse]) { trial in
            try await requireDoubt(trial, .malformedResponse, isApplied: false, seen: 1)
        },
        Rule("a busy server is a transient failure, and nothing is applied", faults: [.busy]) { trial in
            try await trial.with { transport in
                let id = trial.messages(1)[0]
                try await trial.server.use(.busy)
                let error = try await trial.error(ofDelivering: id, over: transport)
                guard case .transient = error else { throw ConformanceFailure("the error is \(error)") }
                try await trial.server.use(.none)
                try requireEqual(try await trial.server.stored(), [], "the channel")
            }
        },
        Rule("a request to wait is passed on with its time, and nothing is applied", faults: [.rateLimit]) { trial in
            try await trial.with { transport in
                let id = trial.messages(1)[0]
                try await trial.server.use(.rateLimit(.seconds(7)))
                let error = try await trial.error(ofDelivering: id, over: transport)
                guard case .rateLimited(let after, _) = error else {
                    throw ConformanceFailure("the error is \(error)")
                }
                try requireEqual(after, .seconds(7), "the time to wait")
                try await trial.server.use(.none)
                try requireEqual(try await trial.server.stored(), [], "the channel")
            }
        },
    ]
}
