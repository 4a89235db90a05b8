import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayWire
import Testing

/// Random deliveries over real HTTP, compared with a model that shares no code with the hub.
@Suite struct RandomDeliveryTests {
    /// The expected results, computed as plainly as possible.
    private struct Model {
        struct Lane: Hashable {
            let account: String
            let outbox: UInt64
            let name: String
        }
        struct Kept {
            let account: String
            let position: Int64
            var isDeleted = false
            var said: UInt64 = 0
            var reactions: [String: Set<String>] = [:]
        }

        var marks: [Lane: Int64] = [:]
        var kept: [MessageID: Kept] = [:]
        /// The messages that each account deleted, whether they had arrived or not.
        var deleted: [String: Set<MessageID>] = [:]
        /// Edits and reactions that were accepted.
        var done: [MessageID: Kept] = [:]
        var last: Int64 = 0

        mutating func expect(_ operations: [WireOperation], on lane: Lane) -> [String] {
            var isStopped = false
            return operations.map { operation in
                if isStopped { return "notAttempted" }
                let mark = marks[lane] ?? 0
                let isNew = operation.sequence > mark
                if isNew, operation.previous != mark {
                    isStopped = true
                    return "gap \(mark)"
                }
                if isNew { marks[lane] = operation.sequence }
                return expect(operation, isNew: isNew, on: lane)
            }
        }

        private mutating func expect(_ operation: WireOperation, isNew: Bool, on lane: Lane) -> String {
            let there = kept[operation.id]
            switch operation.kind {
            case .edit, .addReaction, .removeReaction:
                return expectChange(operation, isNew: isNew, on: lane)
            case .write: return "never generated"
            case .delete:
                // `me` owns the channel.
                if let there, there.account != lane.account, lane.account != "me" { return "refused notYours" }
                kept[operation.id]?.isDeleted = true
                deleted[lane.account, default: []].insert(operation.id)
                return "deleted"
            case .fence:
                if let there = there ?? done[operation.id], there.account == lane.account {
                    return "accepted \(there.position)"
                }
                return "fenced"
            case .send:
                if let there {
                    return there.account == lane.account ? "accepted \(there.position)" : "refused idTaken"
                }
                if operation.channel?.value != "general" { return "refused channelNotFound" }
                if let parent = operation.parent, kept[parent] == nil { return "unrelated" }
                guard isNew else { return "late \(marks[lane] ?? 0)" }
                last += 1
                kept[operation.id] = Kept(
                    account: lane.account, position: last,
                    isDeleted: deleted[lane.account]?.contains(operation.id) ?? false,
                    said: operation.id.value.low - 0x8000_0000_0000_0000)
                return "accepted \(last)"
            }
        }

        private mutating func expectChange(_ operation: WireOperation, isNew: Bool, on lane: Lane) -> String {
            if let there = done[operation.id] {
                return there.account == lane.account ? "accepted \(there.position)" : "refused idTaken"
            }
            if deleted[lane.account]?.contains(operation.id) == true { return "refused operationDeleted" }
            guard let target = operation.target, let there = kept[target] else { return "unrelated" }
            if there.isDeleted { return "refused messageDeleted" }
            if operation.kind == .edit, there.account != lane.account { return "refused notYours" }
            guard isNew else { return "late \(marks[lane] ?? 0)" }
            done[operation.id] = Kept(account: lane.account, position: there.position)
            switch (operation.kind, operation.reaction) {
            case (.addReaction, let name?): kept[target]?.reactions[name, default: []].insert(lane.account)
            case (.removeReaction, let name?): kept[target]?.reactions[name]?.remove(lane.account)
            default: kept[target]?.said = operation.id.value.low - 0x8000_0000_0000_0000
            }
            return "accepted \(there.position)"
        }
    }

    private static func text(_ result: WireResult) -> String {
        switch result.kind {
        case .accepted: "accepted \(result.position ?? -1)"
        case .gap, .late: "\(result.kind.rawValue) \(result.mark ?? -1)"
        case .refused: "refused \(result.code ?? "")"
        default: result.kind.rawValue
        }
    }

    /// Returns one lane's operations as its client would transmit them, now and then with an id of another account, or
    /// one used before.
    private static func chain(_ lane: Int, _ random: inout SplitMix64) -> [WireOperation] {
        var previous: Int64 = 0
        return (0..<40).map { index in
            let sequence = previous + Int64.random(in: 1...2, using: &random)
            defer { previous = sequence }
            let own = UInt64(lane * 1000 + index)
            let any = UInt64(Int.random(in: 0..<8, using: &random) * 1000 + Int.random(in: 0..<40, using: &random))
            switch Int.random(in: 0..<26, using: &random) {
            case 0: return fence(sequence, after: previous, own)
            case 4: return send(sequence, after: previous, own, parent: any)
            case 5, 6: return change(.edit, sequence, after: previous, own, on: any)
            case 7, 8: return change(.addReaction, sequence, after: previous, own, on: any)
            case 9: return change(.removeReaction, sequence, after: previous, own, on: any)
            case 1: return delete(sequence, after: previous, any)
            case 2: return send(sequence, after: previous, any)
            case 3: return send(sequence, after: previous, own, channel: "nowhere")
            default: return send(sequence, after: previous, own)
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64], HubFixture.StorageKind.allCases)
    func everyAnswerIsTheModels(seed: UInt64, kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            var random = SplitMix64(seed: seed)
            let clients = ["me": hub.client, "other": try await hub.client(of: "other")]
            let lanes = ["me", "other"].flatMap { account in
                [1, 2].flatMap { outbox in
                    ["text", "media"].map { Model.Lane(account: account, outbox: outbox, name: $0) }
                }
            }
            let chains = lanes.indices.map { Self.chain($0, &random) }
            var model = Model()
            for _ in 0..<400 {
                let index = Int.random(in: lanes.indices, using: &random)
                let lane = lanes[index]
                // Usually the next operations, otherwise any past or future part.
                let mark = model.marks[lane] ?? 0
                let next = chains[index].firstIndex { $0.sequence > mark } ?? 0
                let start = Bool.random(using: &random) ? next : Int.random(in: chains[index].indices, using: &random)
                let end = min(start + Int.random(in: 0...10, using: &random), chains[index].count)
                let operations = Array(chains[index][start..<end])
                guard let client = clients[lane.account] else { continue }
                let report = try await client.report(
                    delivery(operations, outbox: lane.outbox, lane: LaneID(rawValue: lane.name)))
                #expect(report.results.map(Self.text) == model.expect(operations, on: lane))
                #expect(report.mark == model.marks[lane] ?? 0)
            }
            let shown = model.kept.filter { !$0.value.isDeleted }.sorted { $0.value.position < $1.value.position }
            let messages = try await hub.client.messages(pageSize: 7)
            #expect(messages.map(\.id) == shown.map(\.key))
            #expect(messages.map(\.sender.value) == shown.map(\.value.account))
            #expect(messages.map(\.content) == shown.map { .text("message \($0.value.said)") })
            #expect(messages.contains { $0.editedAt != nil } && messages.contains { $0.parent != nil })
            let reactions = shown.map { $0.value.reactions.mapValues(\.count).filter { $0.value > 0 } }
            #expect(messages.map { $0.reactions ?? [:] } == reactions)
            #expect(
                messages.map { $0.myReactions ?? [] }
                    == shown.map { kept in
                        kept.value.reactions.filter { $0.value.contains("me") }.keys.sorted()
                    })
            #expect(reactions.contains { !$0.isEmpty })
            #expect(shown.count > 100)
            let channel = try await hub.channel("general")
            #expect(channel.messageCount == Int64(shown.count))
            #expect(channel.lastPosition == model.last)
        }
    }

    /// Many connections race with overlapping parts of one lane. Whichever arrives first: one copy of each, in order.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func racingConnectionsKeepTheLaneInOrder(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let count: Int64 = 300
            try await withThrowingTaskGroup(of: Void.self) { group in
                for racer in UInt64(0)..<8 {
                    group.addTask {
                        var random = SplitMix64(seed: racer)
                        var mark: Int64 = 0
                        while mark < count {
                            let start = max(1, mark + Int64.random(in: -20...10, using: &random))
                            let end = min(start + Int64.random(in: 0...30, using: &random), count)
                            guard start <= end else { continue }
                            mark = try await hub.client.report(delivery((start...end).map { send($0) })).mark
                        }
                    }
                }
                try await group.waitForAll()
            }
            let messages = try await hub.client.messages()
            #expect(messages.map(\.id) == (1...UInt64(count)).map { id($0) })
            #expect(messages.map(\.position) == Array(1...count))
        }
    }

    /// Many accounts share transactions; a refused or superseded delivery does not affect the others.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func deliveriesOfManyAccountsDoNotDisturbEachOther(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let senders = 12
            var clients: [HubClient] = []
            for number in 0..<senders { clients.append(try await hub.client(of: "sender\(number)")) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, client) in clients.enumerated() {
                    group.addTask {
                        _ = try await client.report(delivery([], epoch: 2))
                        for sequence in Int64(1)...25 {
                            let one = send(sequence, UInt64(number * 100) + UInt64(sequence))
                            let report = try await client.report(delivery([one], epoch: 2))
                            #expect(report.kinds == [.accepted])
                            #expect(try await client.deliver(delivery([one], epoch: 1)).status == 409)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let messages = try await hub.client.messages()
            #expect(messages.map(\.position) == Array(1...Int64(senders * 25)))
            for number in 0..<senders {
                let own = messages.filter { $0.sender.value == "sender\(number)" }.map(\.id)
                #expect(own == (1...25).map { id(UInt64(number * 100 + $0)) })
            }
        }
    }
}
