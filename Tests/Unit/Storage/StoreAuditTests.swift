import CausewayModels
import CausewayStorage
import Testing

/// Each rule of the audit, with a store that breaks only this one.
struct StoreAuditTests {
    private static func sound() throws -> [StoreEntry] {
        try EntryLineTests.golden.compactMap { line in
            guard case .entry(let entry) = try EntryLine(Array(line.utf8)) else { return nil }
            return entry
        }
    }

    private static func problems(_ entries: [StoreEntry]) -> Set<String> {
        var audit = StoreAudit()
        var found = entries.flatMap { audit.add($0) }
        found += audit.finish()
        return Set(found.map(\.rule))
    }

    /// Changes the messages and operations.
    private static func items(
        _ entries: [StoreEntry], _ change: (inout DeliveryProgress, StoredItem) -> Void
    ) -> [StoreEntry] {
        entries.map { entry in
            guard case .item(var item) = entry else { return entry }
            change(&item.delivery, item)
            return .item(item)
        }
    }

    @Test func aSoundStoreHasNoProblems() throws {
        let entries = try Self.sound()
        #expect(Self.problems(entries) == [])
        var audit = StoreAudit()
        for entry in entries { _ = audit.add(entry) }
        #expect(audit.files.map(\.size) == [6])
        #expect(audit.states[.error] == 1)
        #expect(audit.counts.total == entries.count - 1)
    }

    @Test func eachBrokenRuleIsNamed() throws {
        let sound = try Self.sound()
        let header = StoreHeader(epoch: 1, nextSequence: 600, sharedBelow: 0, session: nil, current: nil)
        let cases: [(String, [StoreEntry])] = [
            ("header", Array(sound.dropFirst())),
            ("account", [.header(header)] + sound.dropFirst()),
            ("sequence", [.header(header)] + sound.dropFirst()),
            ("account", sound + [sound[1]]),
            ("id", sound + sound.filter { if case .record = $0 { true } else { false } }),
            ("id", sound + sound.filter { if case .item(.message) = $0 { true } else { false } }),
            ("ordinal", sound + sound.filter { if case .item(.operation) = $0 { true } else { false } }),
            ("lane", Self.items(sound) { delivery, item in if item.isUndelivered { delivery.lane = nil } }),
            (
                "sequence",
                Self.items(sound) { delivery, item in if item.isPending { delivery.laneSequence = 515 } }
            ),
            (
                "parked",
                Self.items(sound) { delivery, item in if item.isParked { delivery.syncState = .syncing } }
            ),
            (
                "parked",
                Self.items(sound) { delivery, item in
                    if item.target?.description.hasSuffix("601") == true { delivery.laneSequence = 0 }
                }
            ),
            (
                "position",
                Self.items(sound) { delivery, item in if item.syncState == .synced { delivery.syncState = .error } }
            ),
            (
                "displayed",
                sound.filter { entry in
                    if case .item(.operation(let operation)) = entry { operation.payload.name != "edit" } else { true }
                }
            ),
            (
                "state",
                Self.items(sound) { delivery, item in if !item.createsMessage { delivery.syncState = .synced } }
            ),
        ]
        for (index, (rule, entries)) in cases.enumerated() {
            #expect(Self.problems(entries).contains(rule), "case \(index): \(rule)")
        }
    }

    /// Its place in the outbox may be all that is known of it.
    @Test func anUnreadableItemNeedsNoLane() throws {
        let entries = Self.items(try Self.sound()) { delivery, item in
            guard item.isUndelivered else { return }
            delivery.lane = nil
            delivery.failure = Failure.unreadable(at: Timestamp(milliseconds: 1))
        }
        #expect(Self.problems(entries) == [])
    }

    @Test func equalStreamsHaveEqualFingerprints() throws {
        let entries = try Self.sound()
        func fingerprint(_ entries: [StoreEntry]) -> StoreFingerprint {
            entries.reduce(into: StoreFingerprint()) { $0.add($1) }
        }
        #expect(fingerprint(entries) == fingerprint(entries))
        for index in entries.indices {
            var fewer = entries
            fewer.remove(at: index)
            #expect(fingerprint(fewer) != fingerprint(entries))
        }
        #expect(fingerprint(Array(entries.reversed())) != fingerprint(entries))
    }
}
