import CausewayModels
import CausewayStorage
import Foundation

/// Records other than messages, and past deletions.
extension FileRows {
    func record(_ kind: RecordKind, _ id: String) throws(StoreError) -> StoredRecord? {
        try stored(RecordIndex.Identity(kind: kind, id: id))
    }

    func records(_ query: RecordListQuery) throws(StoreError) -> [StoredRecord] {
        var found: [StoredRecord] = []
        for id in index.current.records.ids(query, limit: query.limit) {
            if let record = try stored(RecordIndex.Identity(kind: query.list.kind, id: id)) { found.append(record) }
        }
        return found
    }

    private func stored(_ identity: RecordIndex.Identity) throws(StoreError) -> StoredRecord? {
        guard let entry = index.current.records[identity] else { return nil }
        let location = entry.location
        guard let body = buffer.body(at: location) else { return try reader.record(identity, entry) }
        do throws(FieldReader.Malformed) {
            var record = try RowCoding.record(FieldReader(buffer.bytes, in: body.lowerBound + 1..<body.upperBound))
            record.version = entry.version
            return record
        } catch {
            throw reader.damage(location, error.detail)
        }
    }

    mutating func setRecord(_ record: StoredRecord?, over old: StoredRecord?) throws(StoreError) {
        let account = accountNumber
        if let record {
            let location = try RowCoding.write(record, account, to: &buffer)
            let entry = RecordIndex.Entry(version: record.version, entries: record.entries, location: location)
            apply(.record(account: account, .init(kind: record.kind, id: record.id), entry))
        } else if let old {
            try remove(RecordIndex.Identity(kind: old.kind, id: old.id))
        }
    }

    mutating func remove(_ identity: RecordIndex.Identity) throws(StoreError) {
        let account = accountNumber
        _ = try buffer.append(.recordRemoval) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, text: identity.kind.value)
            bytes.append(3, text: identity.id)
        }
        apply(.record(account: account, identity, nil))
    }

    mutating func resetRecordVersions() throws(StoreError) {
        let account = accountNumber
        _ = try buffer.append(.recordVersionsReset) { bytes in bytes.append(1, Int64(account)) }
        for change in index.current.records.versionResets(in: account) { apply(change) }
    }

    // MARK: Past deletions

    func hasDeletion(of id: MessageID) -> Bool { index.current.deletions.contains(id) }

    mutating func insert(_ action: DeleteAction, keeping limit: Int) throws(StoreError) {
        let account = accountNumber
        let location = try RowCoding.write(action, account, to: &buffer)
        let entry = DeletionIndex.Entry(message: action.message, location: location)
        apply(.deletion(account: account, action.sequence, entry))
        guard index.current.deletions.stored.count > limit, let oldest = index.current.deletions.order.first else {
            return
        }
        try removeDeletion(oldest)
    }

    mutating func removeDeletion(_ sequence: Int64) throws(StoreError) {
        let account = accountNumber
        _ = try buffer.append(.deletionRemoval) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, sequence)
        }
        apply(.deletion(account: account, sequence, nil))
    }
}

extension RecordReader {
    /// A record other than a message, or what stands in for it if it is damaged: it has the lists of the index, no
    /// fields, and a version below every other one, so that the next event or page of the server replaces it.
    ///
    /// - Throws: errors of the disk.
    func record(
        _ identity: RecordIndex.Identity, _ entry: RecordIndex.Entry
    ) throws(StoreError) -> StoredRecord {
        do throws(StoreError) {
            let record = try stored(entry)
            if record.kind == identity.kind, record.id == identity.id { return record }
        } catch {
            guard case .damaged = error else { throw error }
        }
        return StoredRecord(
            kind: identity.kind, id: identity.id, version: 0, value: Data(), entries: entry.entries)
    }

    /// A record other than a message, with the version that the index has.
    func stored(_ entry: RecordIndex.Entry) throws(StoreError) -> StoredRecord {
        let (kind, fields) = try record(at: entry.location)
        guard kind == .record else { throw damage(entry.location, "a record is of another kind") }
        do throws(FieldReader.Malformed) {
            var record = try RowCoding.record(fields)
            record.version = entry.version
            return record
        } catch {
            throw damage(entry.location, error.detail)
        }
    }

    /// A past deletion; `nil` if its record was damaged, and compaction has replaced it by one without details.
    func deletion(_ entry: DeletionIndex.Entry) throws(StoreError) -> DeleteAction? {
        let (kind, fields) = try record(at: entry.location)
        guard kind == .deletion else { throw damage(entry.location, "a record is of another kind") }
        do throws(FieldReader.Malformed) { return try RowCoding.deletion(fields) } catch {
            throw damage(entry.location, error.detail)
        }
    }
}
