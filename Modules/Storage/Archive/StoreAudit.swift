package import CausewayModels

/// Verifies the invariants of a store's content, entry by entry: those between the entries, whatever the kind of store.
///
/// A value that is fed a whole stream in the order of ``StoreEntry``; ``finish()`` returns what only the end of it can
/// show. Memory: some 60 bytes for each message of the account that is being read.
package struct StoreAudit: Sendable {
    /// The file of a message, which must be among the store's blobs until the server has it.
    package struct NeededFile: Sendable, Hashable {
        package var message: MessageID
        package var account: Account
        package var sha256: String
        package var size: Int64
    }

    package private(set) var counts = StoreEntryCounts()
    /// Messages and operations by their state.
    package private(set) var states: [SyncState: Int] = [:]
    /// The files of undelivered messages, in the order of the stream.
    package private(set) var files: [NeededFile] = []

    private var header: StoreHeader?
    private var accounts: Set<Account?> = []
    private var current = Contents()
    /// Over all accounts.
    private var ordinals: Set<Int64> = []
    private var found: [StoreProblem] = []

    /// The part of an account that later entries are compared with.
    private struct Contents: Sendable {
        var account: Account?
        var isUndelivered: [MessageID: Bool] = [:]
        var operations: Set<OperationID> = []
        var sequences: Set<Int64> = []
        /// Messages that display a change, and messages with a change in the queue.
        var overlaid: Set<MessageID> = []
        var pendingTargets: Set<MessageID> = []
        /// Items that wait, and the messages that they wait for.
        var parkedFor: [(OperationID, MessageID)] = []
        var records: Set<[UInt8]> = []
    }

    package init() {}

    /// Verifies an entry.
    ///
    /// - Returns: the violations that it shows.
    package mutating func add(_ entry: StoreEntry) -> [StoreProblem] {
        found = []
        counts.count(entry)
        switch entry {
        case .header(let header):
            self.header = header
            if header.epoch < 0 || header.nextSequence < 1 || header.sharedBelow > header.nextSequence {
                report("header", at: "header", "the numbers of the store are impossible")
            }
        case .account(let account): begin(account)
        case .lane: break  // a server may name any mark
        case .marker(let marker): requireAssigned(marker.sequence, "control entry \(marker.sequence)")
        case .item(let item): add(item)
        case .record(let record):
            // By its bytes: equal texts may differ in them.
            if !current.records.insert(Array(record.kind.value.utf8) + [0] + Array(record.id.utf8)).inserted {
                report("id", at: "\(record.kind.value) \(record.id)", "the record appears twice")
            }
            if record.version < 0 {
                report("version", at: "\(record.kind.value) \(record.id)", "the version is negative")
            }
        case .deletion(let action): requireAssigned(action.sequence, "deletion of \(action.message)")
        }
        return found
    }

    /// - Returns: the violations that only the end of the stream shows.
    package mutating func finish() -> [StoreProblem] {
        found = []
        endAccount()
        if let header, !accounts.contains(header.current) {
            report("account", at: "header", "the current account has no outbox")
        }
        if let header, let session = header.session, session.account != header.current {
            report("account", at: "header", "the session is not that of the current account")
        }
        if header == nil { report("header", at: "header", "the numbers of the store are missing") }
        return found
    }

    private mutating func report(_ rule: String, at place: String, _ detail: String) {
        found.append(StoreProblem(rule, at: place, detail))
    }

    private mutating func requireAssigned(_ number: Int64, _ place: String) {
        if let header, number >= header.nextSequence {
            report("sequence", at: place, "the number \(number) was never assigned")
        }
    }

    // MARK: Accounts

    private mutating func begin(_ entry: AccountEntry) {
        endAccount()
        current = Contents(account: entry.account)
        let place = entry.account?.description ?? "the account without a name"
        if !accounts.insert(entry.account).inserted { report("account", at: place, "the account appears twice") }
    }

    private mutating func endAccount() {
        for target in current.overlaid.subtracting(current.pendingTargets) {
            report("displayed", at: "message \(target)", "it displays a change that is not in the queue")
        }
        for (id, target) in current.parkedFor where current.isUndelivered[target] == false {
            report("parked", at: "operation \(id)", "it waits for message \(target), which the server has")
        }
    }

    // MARK: Items

    private mutating func add(_ item: StoredItem) {
        let place = "\(item.createsMessage ? "message" : "operation") \(item.id)"
        if !ordinals.insert(item.ordinal).inserted { report("ordinal", at: place, "its ordinal is used twice") }
        requireAssigned(item.ordinal, place)
        states[item.syncState, default: 0] += 1
        switch item {
        case .message(let message): add(message, place)
        case .operation(let operation): add(operation, place)
        }
        guard item.isUndelivered else { return }
        // A damaged item that a compaction has replaced may have lost its lane: it can only be failed or deleted.
        if item.lane == nil, item.failure?.isUnreadable != true { report("lane", at: place, "it waits in no lane") }
        if item.attempts < 0 { report("attempts", at: place, "the number of attempts is negative") }
        if item.syncState == .error { return }
        if item.laneSequence == 0 {
            if item.syncState != .created { report("parked", at: place, "it is under way without a position") }
            if let related = item.related { current.parkedFor.append((item.id, related)) }
            return
        }
        requireAssigned(item.laneSequence, place)
        if !current.sequences.insert(item.laneSequence).inserted {
            report("sequence", at: place, "its lane sequence \(item.laneSequence) is used twice")
        }
    }

    private mutating func add(_ message: Message, _ place: String) {
        if current.isUndelivered.updateValue(message.isUndelivered, forKey: message.id) != nil {
            report("id", at: place, "its id is used twice")
        }
        if (message.syncState == .synced) != (message.serverPosition != nil) {
            report("position", at: place, "its state is \(message.syncState.rawValue), its position contradicts it")
        }
        if message.confirmed != nil { current.overlaid.insert(message.id) }
        guard message.isUndelivered, let attachment = message.sentContent.attachment else { return }
        guard message.upload?.isPending == true, let account = current.account else { return }
        files.append(
            NeededFile(
                message: message.id, account: account, sha256: attachment.sha256, size: attachment.size))
    }

    private mutating func add(_ operation: QueuedOperation, _ place: String) {
        if !current.operations.insert(operation.id).inserted || current.isUndelivered[operation.id] != nil {
            report("id", at: place, "its id is used twice")
        }
        if operation.syncState == .synced { report("state", at: place, "it is kept although the server has it") }
        guard let target = operation.target else {
            return report("state", at: place, "it changes no message")
        }
        if operation.isPending { current.pendingTargets.insert(target) }
    }
}
