import CausewayModels
import CausewayStorage

/// Reading: the changes that a record of the journal makes in the index.
extension RowCoding {
    static func changes(
        _ kind: Record.Kind, _ reader: FieldReader, at location: RecordLocation, _ index: FileIndex
    ) throws(FieldReader.Malformed) -> [IndexChange] {
        switch kind {
        case .item:
            let fields = try ItemFields(reader)
            let entry = try ItemEntry(fields, at: location)
            return [.item(account: fields.account, MessageID(entry.id), entry)]
        case .record:
            let (account, record) = (try account(reader), try record(reader))
            let entry = RecordIndex.Entry(version: record.version, entries: record.entries, location: location)
            return [.record(account: account, .init(kind: record.kind, id: record.id), entry)]
        case .file: return []
        case .common: return [.common(try common(try Fields(reader)))]
        case .counter: return [.counter(try Fields(reader).required(1))]
        case .account: return [try account(try Fields(reader))]
        case .itemRemoval, .marker, .lane, .chainsRemoval, .recordRemoval, .recordVersionsReset, .deletion,
            .deletionRemoval:
            return try changes(kind, try Fields(reader), at: location, index)
        case .snapshotStart, .snapshotChannels, .snapshotItems, .snapshotRelations, .snapshotRecord,
            .snapshotDeletion, .snapshotEnd:
            throw .init(detail: "a record of a snapshot")
        }
    }

    private static func account(_ reader: FieldReader) throws(FieldReader.Malformed) -> Int {
        var reader = reader
        guard let (tag, value) = try reader.next(), tag == 1, case .number(let account) = value else {
            throw .init(detail: "the account is missing")
        }
        return Int(clamping: account)
    }

    private static func changes(
        _ kind: Record.Kind, _ fields: Fields, at location: RecordLocation, _ index: FileIndex
    ) throws(FieldReader.Malformed) -> [IndexChange] {
        let account = Int(clamping: try fields.required(1))
        switch kind {
        case .itemRemoval: return [.item(account: account, MessageID(try fields.requiredID(2)), nil)]
        case .marker:
            let sequence = try fields.required(2)
            return [.marker(account: account, sequence, try marker(fields, sequence))]
        case .lane:
            let lane = LaneID(rawValue: try fields.requiredText(4))
            return [.lane(account: account, lane, try fields.required(2))]
        case .chainsRemoval: return [.chains(account: account, [:], [:])]
        case .recordRemoval:
            let identity = RecordIndex.Identity(kind: try self.kind(fields), id: try fields.requiredText(3))
            return [.record(account: account, identity, nil)]
        case .recordVersionsReset:
            guard index.accounts.indices.contains(account) else { throw .init(detail: "account \(account)") }
            return index.accounts[account].records.versionResets(in: account)
        case .deletion:
            let entry = DeletionIndex.Entry(message: MessageID(try fields.requiredID(3)), location: location)
            return [.deletion(account: account, try fields.required(2), entry)]
        case .deletionRemoval: return [.deletion(account: account, try fields.required(2), nil)]
        default: return []
        }
    }

    /// `nil` for a removal.
    private static func marker(_ fields: Fields, _ sequence: Int64) throws(FieldReader.Malformed) -> ChainMarker? {
        guard let code = fields.number(3) else { return nil }
        guard let kind = UInt8(exactly: code).flatMap(OutboxEntry.Kind.init), kind != .send else {
            throw .init(detail: "control entry of kind \(code)")
        }
        return ChainMarker(
            kind: kind, lane: LaneID(rawValue: try fields.requiredText(4)), sequence: sequence,
            previous: fields.number(5), message: MessageID(try fields.requiredID(6)))
    }

    private static func account(_ fields: Fields) throws(FieldReader.Malformed) -> IndexChange {
        var name: Account?
        if let server = fields.text(2) {
            guard let user = UserID(try fields.requiredText(3)) else { throw .init(detail: "the user is malformed") }
            name = Account(server: server, user: user)
        }
        var outbox = OutboxRecord(id: fields.id(4).map(OutboxID.init))
        outbox.lineage.opening = fields.id(5).map(OpeningID.init)
        var ancestors = fields.bytes(6) ?? []
        while let id = UUIDv7(bytes: ancestors.prefix(16)) {
            outbox.lineage.ancestors.append(OpeningID(id))
            ancestors = ancestors.dropFirst(16)
        }
        outbox.history = try fields.bytes(7).map { bytes throws(FieldReader.Malformed) in
            try StoredJSON.decode(ServerHistory.self, bytes)
        }
        outbox.eventCursor = fields.text(8).flatMap(EventCursor.init)
        return .account(Int(clamping: try fields.required(1)), name, outbox)
    }

    private static func common(_ fields: Fields) throws(FieldReader.Malformed) -> StoreState {
        StoreState(
            current: Int(clamping: try fields.required(1)), epoch: try fields.required(2),
            openedAt: try fields.required(3), sharedBelow: try fields.required(4),
            session: try fields.bytes(5).map { bytes throws(FieldReader.Malformed) in
                try StoredJSON.decode(Session.self, bytes)
            })
    }
}

extension RecordIndex {
    /// The changes that set the version of every record to 0.
    func versionResets(in account: Int) -> [IndexChange] {
        stored.map { identity, entry in
            var reset = entry
            reset.version = 0
            return .record(account: account, identity, reset)
        }
    }
}
