package import CausewayModels
package import CausewayRecords

/// The records that a transaction has loaded, with all changes so far; free of I/O.
///
/// A record is decoded when it is first used and coded once, for ``changes``, however often it changes. Each change
/// gives it the next version: above its former one, also when it was deleted meanwhile, and above the floor of the
/// present history, so that a version that a lost history assigned is not assigned again.
package struct RecordTransaction: Sendable {
    private struct Slot: Sendable {
        /// The last value, also of a deleted record.
        var record: any Record
        var isDeleted: Bool
        /// The lists in which the storage has it.
        let storedEntries: [ListEntry]
        /// Whether the storage has it, and not deleted.
        let isStored: Bool
        var isChanged = false

        var entries: [ListEntry] { isDeleted ? [] : record.entries }
    }

    private var state: RecordState
    private var slots: [RecordKey: Slot] = [:]
    private var decoded: DecodedRecords

    /// - Parameter decoded: those that earlier transactions have decoded or changed.
    package init(_ state: RecordState, decoded: DecodedRecords = DecodedRecords()) {
        self.state = state
        self.decoded = decoded
    }

    // MARK: - Reading

    /// Returns the record; `nil` when it does not exist, or its kind or id was not among the keys.
    package mutating func record<Value: Record>(_ type: Value.Type, _ id: Value.ID) -> Value? {
        guard let slot = slot(type, id), !slot.isDeleted else { return nil }
        return slot.record as? Value
    }

    /// Returns the last value of a deleted record; `nil` when it exists, or never did.
    package mutating func deletedRecord<Value: Record>(_ type: Value.Type, _ id: Value.ID) -> Value? {
        guard let slot = slot(type, id), slot.isDeleted else { return nil }
        return slot.record as? Value
    }

    /// Returns the length of a list that was among the keys, at most ``RecordState/countMax`` of what is stored.
    package func count(of list: RecordList) -> Int { state.counts[list] ?? 0 }

    /// Whether an account has this name; only for names among the keys.
    package func isUser(_ user: UserID) -> Bool { state.users.contains(user) }

    private mutating func slot<Value: Record>(_ type: Value.Type, _ id: Value.ID) -> Slot? {
        let key = RecordKey(type, id)
        if let slot = slots[key] { return slot }
        // A row that cannot be read was not written by this hub; its version is kept by the storage.
        guard let row = state.rows[key], let text = row.value, let record = decode(type, row, text) else { return nil }
        let slot = Slot(
            record: record, isDeleted: row.isDeleted, storedEntries: row.isDeleted ? [] : record.entries,
            isStored: !row.isDeleted)
        slots[key] = slot
        return slot
    }

    private mutating func decode<Value: Record>(_ type: Value.Type, _ row: RecordRow, _ text: String) -> Value? {
        if var record = decoded.record(type, row.key, text) {
            record.version = row.version
            return record
        }
        guard let record = try? RecordCoding.decode(type, from: Array(text.utf8), version: row.version) else {
            return nil
        }
        decoded.keep(record, as: row.key, text)
        return record
    }

    // MARK: - Changing

    /// Creates or replaces a record.
    ///
    /// - Returns: its new version.
    @discardableResult
    package mutating func put(_ record: some Record) -> Int64 { set(record, isDeleted: false) }

    /// Deletes a record, or changes the last value of a deleted one.
    ///
    /// - Returns: its new version.
    @discardableResult
    package mutating func delete(_ record: some Record) -> Int64 { set(record, isDeleted: true) }

    private mutating func set<Value: Record>(_ record: Value, isDeleted: Bool) -> Int64 {
        let key = RecordKey(Value.self, record.id)
        let former = slot(Value.self, record.id)
        let version = max(former?.record.version ?? state.rows[key]?.version ?? 0, state.floor) + 1
        var record = record
        record.version = version
        let slot = Slot(
            record: record, isDeleted: isDeleted, storedEntries: former?.storedEntries ?? [],
            isStored: former?.isStored ?? false, isChanged: true)
        if !state.counts.isEmpty {
            count(former?.entries ?? [], of: key.kind, by: -1)
            count(slot.entries, of: key.kind, by: 1)
        }
        slots[key] = slot
        return version
    }

    private mutating func count(_ entries: [ListEntry], of kind: RecordKind, by step: Int) {
        for entry in entries {
            let list = RecordList(kind: kind, name: entry.name, scope: entry.scope)
            if let count = state.counts[list] { state.counts[list] = max(0, count + step) }
        }
    }

    // MARK: - Result

    /// The changed records, each once, in their final state.
    ///
    /// - Parameter kinds: the rules that name the topics of the changes.
    package func changes(_ kinds: HubKinds) -> [RecordKey: RecordChange] {
        slots.filter(\.value.isChanged).mapValues { slot in
            Self.change(slot.record, slot, kinds)
        }
    }

    /// Returns the decoded records for the next transaction. They are taken and not copied: this one keeps none.
    ///
    /// - Parameter changes: the result of ``changes(_:)``.
    package mutating func takeDecoded(after changes: [RecordKey: RecordChange]) -> DecodedRecords {
        var taken = DecodedRecords()
        swap(&taken, &decoded)
        for (key, change) in changes {
            guard let record = slots[key]?.record, let text = change.row.value else { continue }
            taken.keep(record, as: key, text)
        }
        return taken
    }

    private static func change(_ record: some Record, _ slot: Slot, _ kinds: HubKinds) -> RecordChange {
        guard let value = try? RecordCoding.encode(record) else {
            preconditionFailure("The rules admit only values that JSON can represent.")
        }
        let row = RecordRow(
            key: RecordKey(type(of: record), record.id), version: record.version,
            value: String(decoding: value, as: UTF8.self), isDeleted: slot.isDeleted)
        return RecordChange(
            row: row, entries: slot.entries == slot.storedEntries ? nil : slot.entries,
            topics: kinds.topics(of: record), isNew: !slot.isStored && !slot.isDeleted)
    }
}

extension RecordKey {
    package init<Value: Record>(_ type: Value.Type, _ id: Value.ID) {
        self.init(kind: Value.kind, id: id.description)
    }
}
