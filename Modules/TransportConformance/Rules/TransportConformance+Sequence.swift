import CausewayModels
import CausewayTransport

extension TransportConformance {
    /// The promises of a server that keeps lanes as chains.
    static let sequenceRules: [Rule] = [
        Rule("a gap is answered with the mark, and nothing from there on is applied", on: .sequenced) { trial in
            try await trial.with { transport in
                let ids = trial.messages(4)
                _ = try await trial.deliver(trial.chain([trial.send(ids[0])]), over: transport)
                let later = trial.chain([trial.send(ids[2]), trial.send(ids[3])], from: 3)
                let outcomes = try await trial.deliver(later, over: transport)
                try requireEqual(outcomes.first, .gap(mark: 1), "the outcome of the first operation")
                try requireEqual(try await trial.server.stored(), [ids[0]], "the channel")
            }
        },
        Rule("a fenced operation is never applied", on: .sequenced) { trial in
            try await trial.with { transport in
                let ids = trial.messages(2)
                let fence = trial.chain([.fence(ids[0])])
                try requireEqual(try await trial.deliver(fence, over: transport), [.fenced], "the outcome of the fence")
                let late = try await trial.deliver(trial.chain([trial.send(ids[0])]), over: transport)
                try requireEqual(late, [.late(mark: 1)], "the outcome of the late copy")
                let next = trial.chain([trial.send(ids[1])], from: 2)
                let positions = try await trial.deliver(next, over: transport).positions
                try requireEqual(positions.count, 1, "the number of accepted messages")
                try requireEqual(try await trial.server.stored(), [ids[1]], "the channel")
            }
        },
        Rule("lanes keep their marks apart", on: .sequenced) { trial in
            try await trial.with { transport in
                let ids = trial.messages(3)
                let first = trial.chain([trial.send(ids[0]), trial.send(ids[1])])
                _ = try await trial.deliver(first, lane: .text, over: transport)
                let second = trial.chain([trial.send(ids[2])])
                let outcomes = try await trial.deliver(second, lane: .media, over: transport)
                try requireEqual(outcomes.positions.count, 1, "the number of accepted messages")
            }
        },
    ]
}
