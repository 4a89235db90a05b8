import CausewayModels

/// An independent model of the hub's histories for checking them: written from the contract alone, without sharing code
/// with `HistoryRules`.
///
/// It records what no hub can know: every commit ever made, even when it was lost, and the content of every response. A
/// restored backup removes commits from the present data, but nothing from the chronicle.
///
/// 1. A claim names a commit. While that commit is in the present data, and the claim is of the present history, it is
///   current; in every other case it is not.
/// 2. A history begins when a claim of this hub names a commit that is gone, and is of the present history, or of one
///   that assigned positions which the present one can assign again; and when an operator restores the data. It begins
///   at no other time, and no two have the same name.
/// 3. Every change is a commit; so is a start of the hub, and the beginning of a history. A delivery that names another
///   history, or something that was told before the last start, changes nothing.
/// 4. After a hub was told of a loss, it never assigns a position of a lost history to another message.
struct HubChronicle: Sendable {
    /// The records about the hub's present data; rolled back with them.
    struct Present: Sendable {
        var commits: Set<Int> = [0]
        var last = 0
        /// The histories in which the hub was told that data is missing.
        var lost: Set<String> = []
    }

    private struct Told: Sendable {
        var server: String
        var history: String
        var commit: Int
    }

    private struct PositionKey: Hashable, Sendable {
        var server: String
        var position: Int64
    }

    private struct Given: Sendable {
        var message: MessageID
        var history: String
    }

    private struct History: Sendable {
        var beganAt: Int
        var floor: Int64
        /// The highest position assigned.
        var highest: Int64 = 0
    }

    private(set) var present = Present()
    private(set) var name: ServerHistory
    private var commits = 0
    /// The number of the last start.
    private var startedAt = 0
    /// The number of rollbacks and replacements of the data.
    private var age = 0
    /// The age at which a commit was last lost from the data.
    private var lostAt: [Int: Int] = [:]
    private var told: [String: Told] = [:]
    private var histories: [String: History] = [:]
    private var given: [PositionKey: Given] = [:]
    private var serverPositions: [MessageID: Set<ServerPosition>] = [:]

    init(_ name: ServerHistory) {
        self.name = name
        histories[name.id] = History(beganAt: 0, floor: 0)
    }

    // MARK: - The content of responses

    /// Records a response.
    mutating func tell(_ named: ServerHistory) {
        if told[named.claim] == nil {
            told[named.claim] = Told(server: named.server, history: named.id, commit: present.last)
        }
    }

    /// True while everything that a claim names is in the present data.
    func holds(_ claim: ServerHistory) -> Bool {
        guard let told = told[claim.claim] else { return false }
        return told.server == name.server && present.commits.contains(told.commit)
    }

    /// Checks the hub's response to a claim: whether the claim is current, and the history that the hub then names.
    mutating func objection(
        to isCurrent: Bool, _ claim: ServerHistory?, floor: Int64, _ named: ServerHistory
    ) -> String? {
        let hasStarted = named.id != name.id
        defer {
            if hasStarted { begin(named, floor: floor) }
            tell(named)
        }
        guard let claim else { return isCurrent && !hasStarted ? nil : "the hub finds fault with no claim" }
        guard let told = told[claim.claim] else { return "a claim was made up: \(claim.claim)" }
        let isHere = holds(claim)
        if isCurrent != (isHere && told.history == name.id) {
            return "the hub calls claim \(claim.claim) \(isCurrent ? "current" : "outdated"), and it is not"
        }
        guard told.server == name.server, !isHere else {
            return hasStarted ? "the hub begins a history, and what claim \(claim.claim) tells of is there" : nil
        }
        present.lost.insert(told.history)
        let own = histories[name.id]
        let floor = own?.floor ?? 0
        let lost = histories[told.history]
        if told.history == name.id, !hasStarted {
            return "the hub goes on in its history after a loss that it was told of"
        }
        if !hasStarted, floor < lost?.highest ?? 0 {
            return "the hub goes on in a history whose positions a lost one has given away"
        }
        let isNoted = own.map { $0.beganAt >= lostAt[told.commit, default: .max] } ?? false
        return isNoted && hasStarted && floor > lost?.floor ?? 0
            ? "the hub begins a history for a loss that the present one follows on" : nil
    }

    private mutating func begin(_ named: ServerHistory, floor: Int64) {
        name = named
        commit()
        histories[named.id] = History(beganAt: age, floor: floor)
    }

    // MARK: - Operations of the hub

    private mutating func commit() {
        commits += 1
        present.last = commits
        present.commits.insert(commits)
    }

    /// Records a start of the hub.
    mutating func start() {
        commit()
        startedAt = commits
    }

    /// True for a claim that was told before the last start.
    func isBeforeStart(_ claim: ServerHistory) -> Bool { told[claim.claim].map { $0.commit < startedAt } ?? true }

    /// Checks the commit of a delivery.
    mutating func objection(toCommit named: ServerHistory, hasChanged: Bool) -> String? {
        let hasCounted = named.commit != (lastNamed ?? 0)
        lastNamed = named.commit
        if hasCounted { commit() }
        return hasChanged && !hasCounted ? "the hub counts no commit for what it has done" : nil
    }

    private var lastNamed: Int64?

    mutating func objection(toPlacing message: MessageID, at serverPosition: ServerPosition) -> String? {
        let place = PositionKey(server: name.server, position: serverPosition.position)
        defer {
            given[place] = Given(message: message, history: name.id)
            serverPositions[message, default: []].insert(serverPosition)
            let highest = histories[name.id]?.highest ?? 0
            histories[name.id]?.highest = max(highest, serverPosition.position)
        }
        guard let before = given[place], before.message != message else { return nil }
        return present.lost.contains(before.history)
            ? "the hub gives position \(serverPosition.position) to \(message.value.low), which another message has"
            : nil
    }

    /// True for a position that a hub assigned to the message at some time.
    func wasGiven(_ serverPosition: ServerPosition, to message: MessageID) -> Bool {
        serverPositions[message]?.contains(serverPosition) ?? false
    }

    // MARK: - Rollbacks and replacements

    /// Rolls the data back to `backup`, by a plain copy or by the hub's own command.
    mutating func goBack(to backup: HubChronicle, _ named: ServerHistory, floor: Int64, isRestore: Bool) -> String? {
        age += 1
        for commit in present.commits.subtracting(backup.present.commits) { lostAt[commit] = age }
        let replaced = name
        present = backup.present
        name = backup.name
        lastNamed = named.commit
        start()
        defer { if named.id != name.id { begin(named, floor: floor) } }
        guard isRestore else { return named.id == name.id ? nil : "a hub begins a history by itself" }
        present.lost.insert(replaced.id)
        if named.server != name.server { return "a hub changes its name when it is restored" }
        if histories[named.id] != nil { return "a restored hub goes on in an old history" }
        let used = max(histories[replaced.id]?.highest ?? 0, histories[name.id]?.highest ?? 0)
        return floor < used ? "a restored hub gives positions away again" : nil
    }

    /// Records that another hub responds from now on.
    mutating func replace(by named: ServerHistory) -> String? {
        age += 1
        for commit in present.commits { lostAt[commit] = age }
        let isNew = named.server != name.server && histories[named.id] == nil
        present = Present()
        present.commits = []
        lastNamed = named.commit
        begin(named, floor: 0)
        startedAt = commits
        return isNew ? nil : "another hub has the names of the one before"
    }
}
