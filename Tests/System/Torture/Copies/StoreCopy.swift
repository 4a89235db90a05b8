import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayTestSupport
import Foundation
import GRDB

/// One copy of a store, and the daemon that runs on it at times.
actor StoreCopy {
    struct Failed: Error, CustomStringConvertible { let description: String }

    nonisolated let folder: String
    private let socket: String
    private let log: String
    private let environment: [String: String]
    private var daemon: RunningProgram?

    private(set) var timeline: CopyTimeline
    /// The messages that the running daemon has accepted, and those of them in a backup that was taken meanwhile.
    private var createdInThisRun: Set<MessageID> = []
    private var backedUpInThisRun: Set<MessageID> = []

    /// - Parameters:
    ///   - number: distinguishes its paths.
    ///   - world: has the hub of the store's session.
    init(_ number: Int, in world: ProcessWorld, holding timeline: CopyTimeline = CopyTimeline()) {
        folder = number == 0 ? world.store : world.folder + "/store\(number)"
        socket = number == 0 ? world.socket : world.folder + "/run\(number)/c.sock"
        log = world.folder + "/daemon\(number).log"
        environment = world.environment.merging(Self.settings) { $1 }
            .merging(["CAUSEWAY_STORE": folder, "CAUSEWAY_SOCKET": socket]) { $1 }
        self.timeline = timeline
    }

    /// The same rules as usual, in a fraction of the time.
    private static let settings = [
        "CAUSEWAY_SETTLING_TIME": "5ms", "CAUSEWAY_RETRY_INTERVAL": "50ms", "CAUSEWAY_LOG_LEVEL": "notice",
    ]

    var isRunning: Bool { daemon != nil }

    // MARK: - The daemon

    func start() async throws {
        guard daemon == nil else { return }
        createdInThisRun = []
        backedUpInThisRun = []
        let started = try Program.causewayd.start(
            ["--restart", "resume"], environment: environment, errors: .file(log))
        daemon = started
        try await Eventually.holds("the daemon of \(folder) answers", lookingEvery: .milliseconds(5)) {
            guard !started.isOver else {
                throw Failed(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
            }
            guard FileManager.default.fileExists(atPath: socket) else { return false }
            let client = try ControlClient(socketPath: socket)
            let answered = (try? await client.status()) != nil
            await client.close()
            return answered
        }
    }

    func end(_ signal: Int32) async {
        await daemon?.stop(signal)
        daemon = nil
    }

    // MARK: - Its user

    /// - Returns: the ids, in the order of the texts.
    func send(_ texts: [String], in channel: ChannelID) async throws -> [MessageID] {
        try await start()
        let report = try await ask { client throws(ControlError) in
            try await client.send(texts.map { OutgoingMessage(channel: channel, text: $0) })
        }
        guard report.ids.count == texts.count else { throw Failed(description: "\(report) for \(texts)") }
        timeline.create(report.ids)
        createdInThisRun.formUnion(report.ids)
        return report.ids
    }

    func edit(_ id: MessageID, to text: String) async throws {
        try await start()
        _ = try await ask { client throws(ControlError) in try await client.edit(id, EditRequest(text: text)) }
        timeline.edit(id, to: text)
    }

    func delete(_ id: MessageID) async throws {
        try await start()
        _ = try await ask { client throws(ControlError) in try await client.delete([id], by: .api) }
        // The daemon cannot know that a copy of itself was taken while it ran: a message that was never sent disappears
        // here, and the copy may deliver it.
        timeline.delete(id, mayReturn: backedUpInThisRun.contains(id))
    }

    /// Waits until none of its messages is in flight or waits; needs the hub.
    func drained() async throws {
        try await start()
        try await Eventually.holds("everything of \(folder) is delivered", lookingEvery: .milliseconds(50)) {
            let status = try await ask { client throws(ControlError) in
                try await client.probe()
                return try await client.status()
            }
            return status.counts.waiting == 0 && status.lanes.allSatisfy { $0.depth == 0 }
        }
    }

    func failed() async throws -> Set<MessageID> {
        let page = try await ask { client throws(ControlError) in
            try await client.failed(in: nil, PageRange(limit: 500))
        }
        return Set(page.messages.map(\.id))
    }

    /// True when one of its daemons reported that another copy had delivered.
    func hasNoticedACopy() async throws -> Bool {
        // The log has it from the former daemons, the status from the running one.
        let said = try String(contentsOfFile: log, encoding: .utf8).contains("storeCopied")
        let status = try await ask { client throws(ControlError) in try await client.status() }
        return said || status.notices?.contains { $0.kind == .storeCopied } ?? false
    }

    private func ask<Answer: Sendable>(
        _ question: (ControlClient) async throws(ControlError) -> Answer
    ) async throws -> Answer {
        let client = try ControlClient(socketPath: socket)
        do throws(ControlError) {
            let answer = try await question(client)
            await client.close()
            return answer
        } catch {
            await client.close()
            throw error
        }
    }

    // MARK: - Copies of it

    /// Copies the store into a new folder.
    func backUp(to other: String) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let isLive = daemon != nil
        for name in try files.contentsOfDirectory(atPath: folder) where !(isLive && name.hasPrefix("store.sqlite")) {
            try files.copyItem(atPath: folder + "/" + name, toPath: other + "/" + name)
        }
        guard isLive else { return }
        backedUpInThisRun.formUnion(createdInThisRun)
        // The same as `sqlite3 store.sqlite ".backup …"`, while the program writes.
        let source = try DatabaseQueue(path: folder + "/store.sqlite")
        let target = try DatabaseQueue(path: other + "/store.sqlite")
        try source.backup(to: target)
        try source.close()
        try target.close()
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other + "/store.sqlite")
    }

    /// Replaces the store by a backup; its daemon must have ended.
    ///
    /// - Returns: the timeline of the replaced store.
    func restore(from backup: String, holding former: CopyTimeline) throws -> CopyTimeline {
        precondition(daemon == nil)
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: backup, toPath: folder)
        defer { timeline = former }
        return timeline
    }
}
