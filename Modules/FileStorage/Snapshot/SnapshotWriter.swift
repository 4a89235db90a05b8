import CausewayModels
import CausewayStorage
import CausewaySystem

/// Writes a snapshot: under another name, synced, renamed, and the name synced, in this order.
///
/// The caller has synced the journal up to the snapshot's position.
struct SnapshotWriter {
    private let disk: any Disk
    private let names: StoreFiles
    private let file: any DiskFile
    private let store: UInt64
    private var buffer: FrameBuffer
    private var number: UInt64 = 1
    private var offset: Int64 = 0

    /// - Parameter isCancelled: asked before each frame; a cancelled snapshot leaves the former one in place.
    /// - Returns: the size of the snapshot; `nil` if it was cancelled.
    static func write(
        _ snapshot: Snapshot, _ disk: any Disk, _ names: StoreFiles, isCancelled: () -> Bool
    ) throws(StoreError) -> Int64? {
        var writer = try SnapshotWriter(disk, names, store: snapshot.store)
        guard try writer.write(snapshot, isCancelled) else {
            try? disk.remove(StoreFiles.newSnapshot)
            return nil
        }
        try writer.putInPlace()
        return writer.offset
    }

    private init(_ disk: any Disk, _ names: StoreFiles, store: UInt64) throws(StoreError) {
        self.disk = disk
        self.names = names
        self.store = store
        do throws(SystemError) {
            if try disk.names().contains(StoreFiles.newSnapshot) { try disk.remove(StoreFiles.newSnapshot) }
            file = try disk.open(StoreFiles.newSnapshot, isNew: true)
        } catch {
            throw names.failure(error, at: StoreFiles.newSnapshot)
        }
        buffer = FrameBuffer(file: 0, start: 0)
    }

    private mutating func write(_ snapshot: Snapshot, _ isCancelled: () -> Bool) throws(StoreError) -> Bool {
        _ = try buffer.append(.snapshotStart) { bytes in
            bytes.append(1, Int64(snapshot.position.file))
            bytes.append(2, snapshot.position.offset)
            bytes.append(3, Int64(clamping: snapshot.position.number))
            bytes.append(4, Int64(snapshot.oldestFile))
            bytes.append(5, 1)
        }
        for (number, account) in snapshot.accounts.enumerated() {
            guard try write(account, number, isCancelled) else { return false }
        }
        try RowCoding.write(snapshot.common, to: &buffer)
        try RowCoding.write(counter: snapshot.nextSequence, to: &buffer)
        _ = try buffer.append(.snapshotEnd) { bytes in
            bytes.append(1, Int64(snapshot.accounts.reduce(0) { $0 + $1.pages.reduce(0) { $0 + $1.count } }))
        }
        try flush(isLast: true)
        return true
    }

    private mutating func write(
        _ account: Snapshot.AccountPart, _ number: Int, _ isCancelled: () -> Bool
    ) throws(StoreError) -> Bool {
        try RowCoding.write(account.name, account.outbox, number, to: &buffer)
        for (sequence, marker) in account.markers {
            try RowCoding.write(marker, at: sequence, number, to: &buffer)
            try flushIfFull()
        }
        for (lane, sequence) in account.lanes { try RowCoding.write(lane, sequence, number, to: &buffer) }
        for channel in account.channels {
            _ = try buffer.append(.snapshotChannels) { bytes in
                bytes.append(1, Int64(number))
                bytes.append(2, text: channel.value)
            }
            try flushIfFull()
        }
        for (page, entries) in account.pages.enumerated() {
            if isCancelled() { return false }
            try write(entries, page, account.relations, number)
        }
        for (identity, entry) in account.records {
            _ = try buffer.append(.snapshotRecord) { bytes in
                bytes.append(1, Int64(number))
                bytes.append(2, text: identity.kind.value)
                bytes.append(3, text: identity.id)
                bytes.append(4, entry.version)
                bytes.append(6, bytes: RowCoding.entries(entry.entries))
                bytes.append(7, Int64(bitPattern: entry.location.packed))
                bytes.append(8, Int64(entry.location.length))
            }
            try flushIfFull()
        }
        for (sequence, entry) in account.deletions {
            _ = try buffer.append(.snapshotDeletion) { bytes in
                bytes.append(1, Int64(number))
                bytes.append(2, sequence)
                bytes.append(3, entry.message.value)
                bytes.append(7, Int64(bitPattern: entry.location.packed))
                bytes.append(8, Int64(entry.location.length))
            }
            try flushIfFull()
        }
        return !isCancelled()
    }

    private mutating func write(
        _ entries: [ItemTable.Entry], _ page: Int, _ relations: [ItemTable.Slot: MessageID], _ account: Int
    ) throws(StoreError) {
        var related: [UInt8] = []
        _ = try buffer.append(.snapshotItems) { bytes in
            bytes.append(1, Int64(account))
            var packed: [UInt8] = []
            packed.reserveCapacity(entries.count * SnapshotItem.bytesCount)
            for (index, entry) in entries.enumerated() where !entry.isFree {
                SnapshotItem.write(entry, to: &packed)
                guard entry.flags & ItemTable.Entry.related != 0 else { continue }
                let target = relations[ItemTable.Slot(page * ItemTable.pageEntries + index)]
                for id in [entry.id, target?.value ?? entry.id] {
                    related.append(bigEndian: id.high)
                    related.append(bigEndian: id.low)
                }
            }
            bytes.append(2, bytes: packed)
        }
        if !related.isEmpty {
            _ = try buffer.append(.snapshotRelations) { bytes in
                bytes.append(1, Int64(account))
                bytes.append(2, bytes: related)
            }
        }
        try flushIfFull()
    }

    private mutating func flushIfFull() throws(StoreError) {
        if buffer.bytes.count >= FileLimits.framePayloadBytes { try flush(isLast: false) }
    }

    private mutating func flush(isLast: Bool) throws(StoreError) {
        buffer.finish(store: store, number: number, synced: 0, isLast ? [.endsTransaction, .endsSnapshot] : [])
        let bytes = buffer.bytes
        var written = 0
        do throws(SystemError) {
            while written < bytes.count {
                let count = try file.write(bytes, from: written, at: offset + Int64(written))
                if count <= 0 { throw SystemError.full }
                written += count
            }
        } catch {
            try? disk.remove(StoreFiles.newSnapshot)
            throw names.failure(error, at: StoreFiles.newSnapshot)
        }
        offset += Int64(bytes.count)
        number += UInt64(buffer.frameCount)
        buffer = FrameBuffer(file: 0, start: offset)
    }

    private func putInPlace() throws(StoreError) {
        do throws(SystemError) {
            try file.sync()
            try disk.rename(StoreFiles.newSnapshot, to: StoreFiles.snapshot)
            try disk.syncNames()
        } catch {
            throw names.syncFailure(error, at: StoreFiles.snapshot)
        }
    }
}
