import CausewayModels
import CausewayTransport

extension TransportConformance {
    static let sessionRules: [Rule] = [
        Rule("the capabilities are constant and allow a delivery") { trial in
            try await trial.with { transport in
                let capabilities = transport.capabilities
                try require(capabilities.deliveriesInFlightMax >= 1, "no batch of a lane may be under way")
                try require(
                    capabilities.deliveriesInFlightTotalMax >= capabilities.deliveriesInFlightMax,
                    "fewer batches of all lanes than of one")
                try require(capabilities.batchOperationsMax >= 1, "no operation fits into a batch")
                try require(capabilities.batchBytesMax >= 1, "no byte fits into a batch")
                if case .idempotent(let window) = capabilities.ordering {
                    try require(window > .zero, "the window is empty")
                    try requireEqual(capabilities.deliveriesInFlightMax, 1, "the number of batches under way")
                    try requireEqual(capabilities.batchOperationsMax, 1, "the number of operations in a batch")
                }
                _ = try await transport.authenticate()
                _ = try await trial.deliver(trial.chain(trial.messages(1).map { trial.send($0) }), over: transport)
                try requireEqual(transport.capabilities, capabilities, "the description after a delivery")
            }
        },
        Rule("authentication returns the owner of the token") { trial in
            try await trial.with { transport in
                let info = try await transport.authenticate()
                try requireEqual(info.user, trial.server.user, "the user")
                try require(!info.server.isEmpty, "the server has no name")
            }
        },
        Rule("a refused token requires action, and no error contains it") { trial in
            try await trial.with(.withWrongToken) { transport in
                let calls: [(String, @Sendable (any Transport) async throws(TransportError) -> Void)] = [
                    ("authenticate", { transport throws(TransportError) in _ = try await transport.authenticate() }),
                    (
                        "messages",
                        { transport throws(TransportError) in
                            let query = RemoteQuery(channel: trial.server.channel, range: .newest, limit: 1)
                            _ = try await transport.messages(query)
                        }
                    ),
                    (
                        "lookup",
                        { transport throws(TransportError) in _ = try await transport.lookup(trial.messages(1)[0]) }
                    ),
                    (
                        "deliver",
                        { transport throws(TransportError) in
                            let operations = trial.chain(trial.messages(1).map { trial.send($0) })
                            _ = try await transport.deliver(trial.delivery(operations))
                        }
                    ),
                ]
                for (name, call) in calls {
                    let error = try await trial.error(of: call, over: transport, name)
                    guard case .actionRequired(let action) = error, action.cause == .tokenRefused else {
                        throw ConformanceFailure("the error of \(name) is \(error)")
                    }
                }
            }
            try requireEqual(try await trial.server.stored(), [], "the channel")
        },
        Rule("an address without a server is unreachable") { trial in
            try await trial.with(.withoutServer) { transport in
                let error = try await trial.error(
                    of: { transport throws(TransportError) in _ = try await transport.authenticate() },
                    over: transport, "authentication")
                guard case .unreachable = error else { throw ConformanceFailure("the error is \(error)") }
                let other = try await trial.error(ofDelivering: trial.messages(1)[0], over: transport)
                guard case .unreachable = other else { throw ConformanceFailure("the delivery's error is \(other)") }
            }
        },
    ]
}
