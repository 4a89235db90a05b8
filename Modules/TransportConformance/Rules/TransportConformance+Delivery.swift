import CausewayModels
import CausewayTransport

extension TransportConformance {
    /// A channel that no server of a harness has.
    private static func nowhere() throws(ConformanceFailure) -> ChannelID {
        guard let channel = ChannelID("no-such-channel") else { throw ConformanceFailure("an invalid name") }
        return channel
    }

    static let deliveryRules: [Rule] = [
        Rule("what was accepted is on the server, in order, at its position") { trial in
            try await trial.with { transport in
                let ids = trial.messages(25)
                let outcomes = try await trial.deliver(trial.chain(ids.map { trial.send($0) }), over: transport)
                let positions = outcomes.positions
                try requireEqual(positions.count, ids.count, "the number of accepted messages")
                try requireEqual(positions, positions.sorted(), "the order of positions")
                try requireEqual(Set(positions).count, ids.count, "the number of different positions")
                try requireEqual(try await trial.server.stored(), ids, "the channel")
                for (id, position) in zip(ids, positions) {
                    try requireEqual(try await transport.lookup(id)?.position, position, "the position of a message")
                }
            }
        },
        Rule("a repeat gets the same outcomes and stores nothing") { trial in
            try await trial.with { transport in
                let ids = trial.messages(5)
                let operations = trial.chain(ids.map { trial.send($0) })
                let outcomes = try await trial.deliver(operations, over: transport)
                try requireEqual(
                    try await trial.deliver(operations, over: transport), outcomes, "the outcome of the repeat")
                try requireEqual(try await trial.server.stored(), ids, "the channel")
            }
            // Another transport to the same account knows nothing of the first.
            let id = trial.messages(1)[0]
            let operations = [DeliveryOperation(sequence: 6, previous: 5, body: trial.send(id))]
            let first = try await trial.with { try await trial.deliver(operations, over: $0) }
            let second = try await trial.with { try await trial.deliver(operations, over: $0) }
            try requireEqual(second, first, "the outcome of the repeat over another transport")
        },
        Rule("a refused operation is an outcome, and those behind it are applied") { trial in
            let nowhere = try nowhere()
            try await trial.with { transport in
                let ids = trial.messages(3)
                let operations = trial.chain([
                    trial.send(ids[0]), trial.send(ids[1], to: nowhere), trial.send(ids[2]),
                ])
                let outcomes = try await trial.deliver(operations, over: transport)
                guard case .refused(let code, _) = outcomes[1] else {
                    throw ConformanceFailure("the outcome is \(outcomes[1])")
                }
                try require(!code.isEmpty, "the refusal has no code")
                try requireEqual(outcomes.positions.count, 2, "the number of accepted messages")
                try requireEqual(try await trial.server.stored(), [ids[0], ids[2]], "the channel")
            }
        },
        Rule("a deleted message is not on the server") { trial in
            try await trial.with { transport in
                guard transport.capabilities.operations.contains(.delete) else { return }
                let ids = trial.messages(2)
                let operations = trial.chain([trial.send(ids[0]), trial.send(ids[1]), .delete(ids[0])])
                let outcomes = try await trial.deliver(operations, over: transport)
                try requireEqual(outcomes[2], .deleted, "the outcome of the deletion")
                try requireEqual(try await trial.server.stored(), [ids[1]], "the channel")
                try requireEqual(try await transport.lookup(ids[0]), nil, "the deleted message")
                let again = DeliveryOperation(sequence: 4, previous: 3, body: .delete(ids[0]))
                try requireEqual(
                    try await trial.deliver([again], over: transport), [.deleted], "the outcome of another deletion")
            }
        },
        Rule("a question finds what the server has") { trial in
            try await trial.with { transport in
                let ids = trial.messages(2)
                let accepted = try await trial.deliver(trial.chain([trial.send(ids[0])]), over: transport)
                let operations = trial.chain([.fence(ids[0]), .fence(ids[1])], from: 2)
                let outcomes = try await trial.deliver(operations, over: transport)
                try requireEqual(outcomes, [accepted[0], .fenced], "the outcomes")
                try requireEqual(try await transport.lookup(ids[1]), nil, "an unknown message")
            }
        },
        Rule("calls at the same time get their own responses") { trial in
            try await trial.with { transport in
                let lanes = (1...12).map { (LaneID(rawValue: "lane\($0)"), trial.messages(3)) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (lane, ids) in lanes {
                        group.addTask {
                            let operations = trial.chain(ids.map { trial.send($0) })
                            let outcomes = try await trial.deliver(operations, lane: lane, over: transport)
                            try requireEqual(outcomes.positions.count, ids.count, "the number of accepted messages")
                            for (id, position) in zip(ids, outcomes.positions) {
                                try requireEqual(
                                    try await transport.lookup(id)?.position, position, "the position of a message")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let stored = try await trial.server.stored()
                try requireEqual(stored.count, 36, "the number of stored messages")
                for (_, ids) in lanes { try requireEqual(stored.filter(ids.contains), ids, "the order of a lane") }
            }
        },
    ]
}
