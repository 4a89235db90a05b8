import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// A storage with one fault, to show that the suite detects it.
final class FaultyHubStorage: HubStorage {
    enum Fault: CaseIterable, Sendable {
        case keepsOldTokens, reusesNames, forgetsOnRestart
        case keepsLists, repeatsRecords, forgetsDeletions, losesRecords, losesRights, inventsUsers
        case reusesCommits, hidesCommits, endsOpeningsEarly, beginsTwice, keepsPositions
        case loadsTooMuch, losesLanes, losesReactions, keepsEarlyDeletions, losesKeys, confirmsWithoutStoring
        case losesEditEvents, losesReactionEvents, losesDeletionEvents, losesMemberEvents, losesOperatorEvents
        case knowsEveryHistory, knowsEveryOpening, keepsTooLittle, keepsDroppedCursors, repeatsEvents, endsEarly
        case leaksAccounts, leaksChannels, staysMember, hidesCrowds, hidesTopics
        case sharesRights, sharesReactions, sharesPositions, sharesTopics, sharesLimits
        case forgetsPendingUploads, completesUnknownUploads, keepsUploads, repeatsUploads, countsPendingFilesOnly
        case listsCompleteUploads
        case leaksBlobs, ignoresTheMessage, knowsEveryBlob, hidesUnattachedBlobs, removesBlobsEarly
        case losesAttachments, keepsAttachments, loadsEveryBlob, keepsMissingTypes
        case pageWithDeleted, pageWithoutEnd, pageBackwards, knowsEveryCursor, losesChanges, worksAfterClose
        case ignoresParents, searchesForEver, endsSearchesEarly
        case alwaysListsDeleted, losesDeleted, losesDeletedTypes, losesTombstones
    }

    let fault: Fault
    let base: MemoryHubStorage

    init(_ fault: Fault, _ base: MemoryHubStorage) {
        self.fault = fault
        self.base = base
    }

    func restarted() -> FaultyHubStorage {
        fault == .forgetsOnRestart
            ? FaultyHubStorage(
                fault, MemoryHubStorage(hub: [UInt8](repeating: 1, count: 16), sealKey: [2], history: [3]))
            : FaultyHubStorage(fault, base.restarted())
    }

    var isHealthy: Bool { base.isHealthy }
    var activity: Int { base.activity }
    func rest() async -> Bool { await base.rest() }
    func close() { if fault != .worksAfterClose { base.close() } }

    // MARK: - Accounts

    func account(tokenDigest: [UInt8]) async throws(HubStorageError) -> HubAccount? {
        try await base.account(tokenDigest: tokenDigest)
    }

    func accounts() async throws(HubStorageError) -> [HubAccount] { try await base.accounts() }

    func addAccount(_ user: UserID, tokenDigest: [UInt8], at time: Timestamp) async throws(HubStorageError) {
        do throws(HubStorageError) {
            try await base.addAccount(user, tokenDigest: tokenDigest, at: time)
        } catch {
            guard fault == .reusesNames, case .taken = error else { throw error }
            try await base.renewAccount(user, tokenDigest: tokenDigest)
        }
    }

    func renewAccount(_ user: UserID, tokenDigest: [UInt8]) async throws(HubStorageError) {
        if fault != .keepsOldTokens { try await base.renewAccount(user, tokenDigest: tokenDigest) }
    }

    func removeAccount(_ user: UserID, at time: Timestamp) async throws(HubStorageError) {
        try await base.removeAccount(user, at: time)
    }

    // MARK: - Records

    func records(_ keys: RecordKeys) async throws(HubStorageError) -> RecordState {
        var state = try await base.records(keys)
        if fault == .forgetsDeletions { state.rows = state.rows.filter { !$0.value.isDeleted } }
        if fault == .inventsUsers { state.users = keys.users }
        return state
    }

    func records(
        in list: RecordList, _ range: RecordRange, limit: PageLimit
    ) async throws(HubStorageError) -> RecordPage {
        var range = range
        if fault == .repeatsRecords { range.after?.id = "" }
        return try await base.records(in: list, range, limit: limit)
    }

    func changeRecords<Value: Sendable>(
        loading keys: RecordKeys, _ decide: @escaping @Sendable (RecordState) -> RecordDecision<Value>
    ) async throws(HubStorageError) -> Value {
        try await base.changeRecords(loading: keys) { [fault] state in
            var decision = decide(state)
            if fault == .losesOperatorEvents {
                for key in decision.changes.keys { decision.changes[key]?.topics = [] }
            }
            guard fault == .keepsLists else { return decision }
            for (key, change) in decision.changes where state.rows[key] != nil && change.entries != nil {
                decision.changes[key]?.entries = nil
            }
            return decision
        }
    }

    // MARK: - Messages

    func message(_ id: MessageID, for reader: Int64) async throws(HubStorageError) -> MessageLookUp {
        try await base.message(id, for: reader)
    }

    func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> MessagePage {
        var filter = filter
        if fault == .ignoresParents { filter.parent = nil }
        var page = try await base.page(
            of: channel, range, matching: filter, includesDeleted: includesDeleted || fault == .alwaysListsDeleted,
            limit: limit, for: reader)
        switch fault {
        case .losesDeleted: page.messages.removeAll { $0.deletion != nil }
        case .losesDeletedTypes:
            for index in page.messages.indices { page.messages[index].deletion?.type = nil }
        case .searchesForEver: page.lastExamined = nil
        case .endsSearchesEarly where page.lastExamined != nil: page.hasMore = false
        case .pageWithoutEnd: page.hasMore = true
        case .pageBackwards: page.messages.reverse()
        case .pageWithDeleted: page.lastPosition = page.messages.map(\.position).max() ?? 0
        default: break
        }
        return page
    }

    func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> ChannelChanges {
        var query = query
        if fault == .knowsEveryCursor, let opening = base.opening {
            query.since = ChangesCursor(opening: opening.id, commit: min(query.since.commit, opening.lastCommit))
        }
        var changes = try await base.changes(of: channel, query, limit: limit, for: reader)
        if fault == .losesChanges { changes.changed?.gone = [] }
        return changes
    }

    // MARK: - Histories and deliveries

    var opening: HubOpening? {
        var opening = base.opening
        if fault == .hidesCommits { opening?.lastCommit = 0 }
        return opening
    }

    func beginOpening(_ id: [UInt8]) async throws(HubStorageError) { try await base.beginOpening(id) }

    func lastCommit(ofOpening id: [UInt8]) async throws(HubStorageError) -> Int64? {
        try await base.lastCommit(ofOpening: id).map { fault == .endsOpeningsEarly ? $0 - 1 : $0 }
    }

    func beginHistory(
        _ id: [UInt8], above floor: Int64, after present: [UInt8], at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        let known = fault == .beginsTwice ? base.opening?.history ?? present : present
        return try await base.beginHistory(
            id, above: fault == .keepsPositions ? 0 : floor, after: known, at: time)
    }

    func marks(of outbox: OutboxKey) async throws(HubStorageError) -> [String: LaneMark] {
        try await base.marks(of: outbox)
    }

    func transact<Value: Sendable>(
        loading keys: DeliveryKeys, _ decide: @escaping @Sendable (DeliveryState) -> DeliveryDecision<Value>
    ) async throws(HubStorageError) -> Value {
        var keys = keys
        if fault == .loadsTooMuch {
            keys.lanes.formUnion(keys.lanes.map { LaneKey(outbox: $0.outbox, lane: .text) })
        }
        if fault == .losesRights { keys.rights = [] }
        if fault == .losesKeys, keys.messages.count > 256 { keys.messages = Set(keys.messages.prefix(256)) }
        return try await base.transact(loading: keys) { [fault, keys] state in
            var state = state
            if fault == .loadsEveryBlob {
                for key in keys.blobs { state.blobs[key] = 100 }
            }
            var decision = decide(state)
            switch fault {
            case .reusesCommits: decision.changes.lastCommit = 1
            case .losesLanes: decision.changes.lanes = [:]
            case .losesRecords: decision.changes.records = [:]
            case .losesReactions: decision.changes.reactions = [:]
            case .losesMemberEvents:
                for key in decision.changes.records.keys { decision.changes.records[key]?.topics.removeLast() }
            case .staysMember:
                for key in decision.changes.records.keys { decision.changes.records[key]?.row.isDeleted = false }
            case .losesAttachments:
                for index in decision.changes.newMessages.indices {
                    decision.changes.newMessages[index].attachment = nil
                }
            case .keepsAttachments:
                decision.changes.messages = decision.changes.messages.filter { _, change in
                    if case .deleted = change { false } else { true }
                }
            case .keepsEarlyDeletions: decision.changes.takenDeletions = []
            case .confirmsWithoutStoring where decision.changes.lastCommit > 20:
                decision.changes = DeliveryChanges(lastCommit: state.lastCommit)
            default: break
            }
            return decision
        }
    }
}
