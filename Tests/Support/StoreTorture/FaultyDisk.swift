package import CausewayFileStorage
package import CausewaySystem
import Synchronization

/// A disk in memory that knows what is durable: it counts its calls, fails those that it is told to, and can lose its
/// power.
package final class FaultyDisk: Disk {
    /// The kinds of calls that can fail.
    package enum Call: String, CaseIterable, Sendable { case open, write, truncate, sync, rename, remove, syncNames }

    /// A failure of the call with this number among those of its kind.
    package struct Fault: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable { case broken, full, short }

        package var call: Call
        package var number: Int
        package var kind: Kind
        /// Every later call of the kind fails, too.
        package var isLasting: Bool

        package init(call: Call, number: Int, kind: Kind, isLasting: Bool) {
            (self.call, self.number, self.kind, self.isLasting) = (call, number, kind, isLasting)
        }

        package var description: String { "\(call) \(number) \(kind)\(isLasting ? " for ever" : "")" }
    }

    /// A file: what it contains, what of that is durable, and what was done to it since.
    fileprivate struct Node {
        enum Change {
            case write(Int, [UInt8])
            case truncate(Int)
        }

        var content: [UInt8] = []
        var durable: [UInt8] = []
        var changes: [Change] = []
        /// True after a failed sync, until everything was written again.
        var isDropped = false

        mutating func drop(evicts: Bool) {
            changes = []
            isDropped = !evicts
            guard evicts else { return }
            let length = content.count
            content = durable
            content.cut(to: length)
            changes = [.truncate(length)]
        }
    }

    fileprivate struct State {
        var nodes: [Int: Node] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        /// The names after each change since they were durable.
        var nameChanges: [[String: Int]] = []
        var next = 0
        var counts: [Call: Int] = [:]
        var faults: [Fault] = []
        /// The kinds of calls that have failed.
        var hits: Set<Call> = []
        /// After this many calls the power fails: nothing reaches the disk any more.
        var callsLeft = Int.max
        /// Called once, before the next read.
        var atNextRead: (@Sendable () -> Void)?
        /// Called once, before the next sync.
        var atNextSync: (@Sendable () -> Void)?
        /// Called once when the power fails.
        var atPowerFailure: (@Sendable () -> Void)?
        var failsReads = false

        mutating func admit(_ call: Call) throws(SystemError) -> Fault.Kind? {
            if callsLeft == 0 {
                atPowerFailure.take()?()
                throw .broken
            }
            callsLeft -= 1
            let number = counts[call, default: 0] + 1
            counts[call] = number
            let found = faults.first { fault in
                fault.call == call && (number == fault.number || (fault.isLasting && number > fault.number))
            }
            guard let fault = found else { return nil }
            hits.insert(call)
            switch fault.kind {
            case .broken: throw .broken
            case .full: throw .full
            case .short: return .short
            }
        }
    }

    fileprivate let state = Mutex(State())
    /// The calls that report success and do nothing.
    fileprivate let ignored: Set<Call>
    /// See ``init(ignoring:evictsDropped:)``.
    fileprivate let evictsDropped: Bool

    /// - Parameters:
    ///   - ignored: calls that report success and do nothing: `sync` or `syncNames`.
    ///   - evictsDropped: whether the file shows what is durable after a failed sync, because the system has also
    ///     forgotten what it could not write. Otherwise it shows what was written.
    package init(ignoring ignored: Set<Call> = [], evictsDropped: Bool = false) {
        self.ignored = ignored
        self.evictsDropped = evictsDropped
    }

    package var counts: [Call: Int] { state.withLock { $0.counts } }
    package var hits: Set<Call> { state.withLock { $0.hits } }

    package func set(_ faults: [Fault]) { state.withLock { $0.faults = faults } }

    /// Makes the next calls of a kind fail, and none of another kind.
    package func failNext(_ count: Int, _ call: Call, _ kind: Fault.Kind = .broken) {
        state.withLock { state in
            let made = state.counts[call, default: 0]
            state.faults = (0..<count).map { Fault(call: call, number: made + 1 + $0, kind: kind, isLasting: false) }
        }
    }

    /// Makes every call of a kind fail from now on, and none of another kind.
    package func failAll(_ call: Call, _ kind: Fault.Kind = .broken) {
        state.withLock { state in
            let next = state.counts[call, default: 0] + 1
            state.faults = [Fault(call: call, number: next, kind: kind, isLasting: true)]
        }
    }

    /// - Parameter atFailure: called once when it fails; it may not use the disk.
    package func failPower(after calls: Int, _ atFailure: (@Sendable () -> Void)? = nil) {
        state.withLock { state in
            state.callsLeft = calls
            state.atPowerFailure = atFailure
        }
    }

    /// Makes every read fail from now on.
    package func failReads() { state.withLock { $0.failsReads = true } }

    /// - Parameter body: called once before the next read; it may not use the disk.
    package func beforeNextRead(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.atNextRead = body } }

    /// - Parameter body: called once before the next sync of a file; it may use the disk.
    package func beforeNextSync(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.atNextSync = body } }

    package var callCount: Int { counts.values.reduce(0, +) }

    // MARK: Contents

    package subscript(name: String) -> [UInt8]? {
        get { state.withLock { state in state.names[name].flatMap { state.nodes[$0]?.content } } }
        set {
            state.withLock { state in
                guard let newValue else {
                    state.names[name] = nil
                    state.durableNames[name] = nil
                    return
                }
                state.next += 1
                state.nodes[state.next] = Node(content: newValue, durable: newValue)
                state.names[name] = state.next
                state.durableNames[name] = state.next
            }
        }
    }

    /// The files and their contents.
    package var files: [String: [UInt8]] {
        state.withLock { state in state.names.compactMapValues { state.nodes[$0]?.content } }
    }

    /// A disk with the same files, all of them durable.
    package func copy() -> FaultyDisk {
        let copy = FaultyDisk()
        for (name, content) in files { copy[name] = content }
        return copy
    }

    /// The disk as the next process finds it when the one that used it was killed: everything is there, and durable is
    /// what was. Its calls do not fail.
    package func afterKill() -> FaultyDisk {
        let disk = FaultyDisk(ignoring: ignored, evictsDropped: evictsDropped)
        state.withLock { state in
            disk.state.withLock { next in
                next.nodes = state.nodes
                next.names = state.names
                next.durableNames = state.durableNames
                next.nameChanges = state.nameChanges
                next.next = state.next
            }
        }
        return disk
    }

    /// The disk after a power failure: of the changes that were not synced any subset, by pages, in their
    /// order; of the names those of some moment since they were synced.
    ///
    /// - Parameters:
    ///   - pageBytes: the unit that is written whole or not at all.
    ///   - keeps: draws whether a change survives.
    package func afterPowerFailure(pageBytes: Int = 512, _ keeps: () -> Bool) -> FaultyDisk {
        let disk = FaultyDisk(ignoring: ignored)
        state.withLock { state in
            var names = state.durableNames
            for later in state.nameChanges where keeps() { names = later }
            // In a fixed order, so that the same draws give the same disk.
            for (name, number) in names.sorted(by: { $0.key < $1.key }) {
                guard let node = state.nodes[number] else { continue }
                var content = node.durable
                for change in node.changes {
                    switch change {
                    case .truncate(let length): if keeps() { content.cut(to: length) }
                    case .write(let offset, let bytes):
                        var start = 0
                        while start < bytes.count {
                            // Up to the next boundary of a page.
                            let end = min(bytes.count, start + pageBytes - (offset + start) % pageBytes)
                            if keeps() { content.put(bytes[start..<end], at: offset + start) }
                            start = end
                        }
                    }
                }
                disk[name] = content
            }
        }
        return disk
    }

    // MARK: Disk

    package func makeFolder() throws(SystemError) {}

    package func names() throws(SystemError) -> [String] { state.withLock { Array($0.names.keys) } }

    package func open(_ name: String, isNew: Bool) throws(SystemError) -> any DiskFile {
        try state.withLock { state throws(SystemError) in
            _ = try state.admit(.open)
            if isNew {
                if state.names[name] != nil { throw .broken }
                state.next += 1
                state.nodes[state.next] = Node()
                state.names[name] = state.next
                state.nameChanges.append(state.names)
            }
            guard let number = state.names[name] else { throw .broken }
            return FaultyFile(disk: self, number: number)
        }
    }

    package func rename(_ name: String, to target: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            _ = try state.admit(.rename)
            guard let number = state.names.removeValue(forKey: name) else { throw .broken }
            state.names[target] = number
            state.nameChanges.append(state.names)
        }
    }

    package func remove(_ name: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            _ = try state.admit(.remove)
            state.names[name] = nil
            state.nameChanges.append(state.names)
        }
    }

    package func syncNames() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            _ = try state.admit(.syncNames)
            if ignored.contains(.syncNames) { return }
            state.durableNames = state.names
            state.nameChanges = []
        }
    }

    /// The note counts as no call: writing it cannot fail.
    package func note(_ name: String, wordsCount: Int) -> any DiskNote {
        state.withLock { state in
            if let number = state.names[name] { return FaultyNote(disk: self, number: number, wordsCount: wordsCount) }
            state.next += 1
            state.nodes[state.next] = Node()
            state.names[name] = state.next
            state.nameChanges.append(state.names)
            return FaultyNote(disk: self, number: state.next, wordsCount: wordsCount)
        }
    }
}

private struct FaultyNote: DiskNote {
    let disk: FaultyDisk
    let number: Int
    let wordsCount: Int

    var words: [UInt32] {
        let bytes = disk.state.withLock { $0.nodes[number]?.content ?? [] }
        return (0..<wordsCount).map { word in
            (0..<4).reduce(0) { $0 | UInt32(bytes.dropFirst(word * 4 + $1).first ?? 0) << ($1 * 8) }
        }
    }

    func write(_ words: [UInt32]) {
        let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        disk.state.withLock { state in
            // The power is gone.
            if state.callsLeft == 0 { return }
            state.nodes[number]?.content.put(bytes[...], at: 0)
            state.nodes[number]?.changes.append(.write(0, bytes))
            guard let changes = state.nodes[number]?.changes, changes.count > 4,
                case .write(_, let oldest)? = changes.first
            else { return }
            // The system has written an earlier one.
            state.nodes[number]?.durable.put(oldest[...], at: 0)
            state.nodes[number]?.changes.removeFirst()
        }
    }
}

private struct FaultyFile: DiskFile {
    let disk: FaultyDisk
    let number: Int

    private func change<Value>(
        _ body: (inout FaultyDisk.State, inout FaultyDisk.Node) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        try disk.state.withLock { state throws(SystemError) in
            // Taken out, so that changing its content does not copy it.
            var node = state.nodes.removeValue(forKey: number) ?? FaultyDisk.Node()
            defer { state.nodes[number] = node }
            return try body(&state, &node)
        }
    }

    func size() throws(SystemError) -> Int64 { try change { Int64($1.content.count) } }

    func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        let body = disk.state.withLock { $0.atNextRead.take() }
        body?()
        if disk.state.withLock({ $0.failsReads }) { throw .broken }
        return try change { Array($1.content.dropFirst(Int(offset)).prefix(count)) }
    }

    func write(_ bytes: [UInt8], from start: Int, at offset: Int64) throws(SystemError) -> Int {
        try change { state, node throws(SystemError) in
            let kind = try state.admit(.write)
            let part = kind == .short ? bytes[start...].prefix(max(1, (bytes.count - start) / 2)) : bytes[start...]
            node.content.put(part, at: Int(offset))
            node.changes.append(.write(Int(offset), Array(part)))
            // The disk takes a part, and nothing more the next time.
            if kind == .short, state.faults.contains(where: { $0.kind == .short && $0.isLasting }) { throw .full }
            return part.count
        }
    }

    func truncate(to length: Int64) throws(SystemError) {
        try change { state, node throws(SystemError) in
            _ = try state.admit(.truncate)
            node.content.cut(to: Int(length))
            node.changes.append(.truncate(Int(length)))
        }
    }

    func sync() throws(SystemError) {
        let body = disk.state.withLock { $0.atNextSync.take() }
        body?()
        try change { state, node throws(SystemError) in
            do throws(SystemError) {
                _ = try state.admit(.sync)
            } catch {
                // As Linux does: what could not be written is dropped, and the next sync reports success.
                node.drop(evicts: disk.evictsDropped)
                throw error
            }
            if disk.ignored.contains(.sync) { return }
            if node.isDropped {
                // Bytes that an earlier sync dropped are not on the disk; the file shows them until it is closed.
                var durable = node.durable
                for case .write(let offset, let bytes) in node.changes { durable.put(bytes[...], at: offset) }
                durable.cut(to: node.content.count)
                node.durable = durable
                node.isDropped = durable != node.content
            } else {
                node.durable = node.content
            }
            node.changes = []
        }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if count < offset { append(contentsOf: repeatElement(0, count: offset - count)) }
        let overlap = Swift.min(count - offset, bytes.count)
        replaceSubrange(offset..<offset + overlap, with: bytes.prefix(overlap))
        append(contentsOf: bytes.dropFirst(overlap))
    }

    fileprivate mutating func cut(to length: Int) {
        if count > length {
            removeSubrange(length...)
        } else {
            append(contentsOf: repeatElement(0, count: length - count))
        }
    }
}
