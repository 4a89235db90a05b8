import Causeway
import CausewayModels
import CausewayTestSupport
import Foundation

/// A hub, and copies of one store that all continue: plays one history on the real programs and checks its end.
actor CopiesWorld {
    private struct Backup {
        let folder: String
        let timeline: CopyTimeline
    }

    /// Counts of the events.
    struct Tally: Sendable {
        var restores = 0
        var copies = 0
        /// Backups of a store while its daemon ran.
        var liveBackups = 0
        var messages = 0
        var edits = 0
        var deletions = 0
        /// Copies that detected another one.
        var notices = 0

        static func += (left: inout Tally, right: Tally) {
            left.restores += right.restores
            left.copies += right.copies
            left.liveBackups += right.liveBackups
            left.messages += right.messages
            left.edits += right.edits
            left.deletions += right.deletions
            left.notices += right.notices
        }
    }

    struct Outcome: Sendable {
        let seed: UInt64
        let verdicts: [CopyVerdict]
        let tally: Tally
        /// The steps that were taken, one line each.
        let history: [String]
    }

    /// More daemons at once would only slow each other down.
    private static let copiesMax = 3

    private let processes: ProcessWorld
    private let channel: ChannelID
    private var copies: [StoreCopy]
    private var backups: [Backup] = []
    private var isHubRunning = true
    private var evidence = CopyEvidence()
    private var tally = Tally()
    private var history: [String] = []
    /// Messages that were edited or deleted: never touched a second time, so that their end is certain.
    private var touched: Set<MessageID> = []

    private init(_ processes: ProcessWorld, _ channel: ChannelID) {
        self.processes = processes
        self.channel = channel
        copies = [StoreCopy(0, in: processes)]
    }

    static func run(seed: UInt64) async throws -> Outcome {
        guard let channel = ChannelID("general") else { preconditionFailure("a fixed name is a name") }
        return try await ProcessWorld.run { processes in
            try await processes.startHub()
            let world = CopiesWorld(processes, channel)
            do {
                let outcome = try await world.play(CopyStep.history(seed: seed), seed)
                await world.endAll()
                return outcome
            } catch {
                await world.endAll()
                throw error
            }
        }
    }

    private func play(_ steps: [CopyStep], _ seed: UInt64) async throws -> Outcome {
        try await copies[0].start()
        try await processes.login()
        for step in steps {
            history.append("\(step)")
            try await take(step)
        }
        if !isHubRunning { try await toggleHub(SIGTERM) }
        for copy in copies { try await copy.drained() }
        try await gather()
        return Outcome(seed: seed, verdicts: CopyVerdict.all(evidence), tally: tally, history: history)
    }

    private func endAll() async {
        for copy in copies { await copy.end(SIGKILL) }
    }

    // MARK: - Steps

    private func take(_ step: CopyStep) async throws {
        switch step {
        case .send(let index, let count): try await send(count, by: chosen(index))
        case .edit(let index, let place): try await edit(place, by: chosen(index))
        case .delete(let index, let place): try await delete(place, by: chosen(index))
        case .drain(let index):
            if isHubRunning { try await chosen(index).drained() }
        case .start(let index): try await chosen(index).start()
        case .stop(let index, let byKill): await chosen(index).end(byKill ? SIGKILL : SIGTERM)
        case .backUp(let index): try await backUp(chosen(index))
        case .restore(let index, let backup): try await restore(chosen(index), from: backup)
        case .copy(let backup): await copy(from: backup)
        case .toggleHub(let byKill): try await toggleHub(byKill ? SIGKILL : SIGTERM)
        case .pass(let time): await Eventually.pass(time)
        }
    }

    private func chosen(_ index: Int) -> StoreCopy { copies[index % copies.count] }

    private func send(_ count: Int, by copy: StoreCopy) async throws {
        let texts = (0..<count).map { "message \(tally.messages + $0)" }
        history.append("  \(texts)")
        tally.messages += count
        for (id, text) in zip(try await copy.send(texts, in: channel), texts) { evidence.texts[id] = text }
    }

    private func edit(_ place: Int, by copy: StoreCopy) async throws {
        guard let id = await copy.timeline.message(fromNewest: place), touched.insert(id).inserted else { return }
        history.append("  edits \(evidence.texts[id] ?? "") \(id)")
        try await copy.edit(id, to: "edit \(tally.edits)")
        tally.edits += 1
    }

    private func delete(_ place: Int, by copy: StoreCopy) async throws {
        guard let id = await copy.timeline.message(fromNewest: place), touched.insert(id).inserted else { return }
        history.append("  deletes \(evidence.texts[id] ?? "") \(id)")
        try await copy.delete(id)
        tally.deletions += 1
    }

    private func backUp(_ copy: StoreCopy) async throws {
        let folder = processes.folder + "/backup\(backups.count)"
        if await copy.isRunning { tally.liveBackups += 1 }
        try await copy.backUp(to: folder)
        backups.append(Backup(folder: folder, timeline: await copy.timeline))
    }

    private func restore(_ copy: StoreCopy, from index: Int) async throws {
        let backup = backups[index % backups.count]
        await copy.end(index.isMultiple(of: 2) ? SIGKILL : SIGTERM)
        evidence.replaced.append(try await copy.restore(from: backup.folder, holding: backup.timeline))
        tally.restores += 1
    }

    private func copy(from index: Int) async {
        guard copies.count < Self.copiesMax else { return }
        let backup = backups[index % backups.count]
        let copy = StoreCopy(copies.count, in: processes, holding: backup.timeline)
        do {
            try FileManager.default.copyItem(atPath: backup.folder, toPath: copy.folder)
        } catch {
            preconditionFailure("the backup \(backup.folder) cannot be copied: \(error)")
        }
        copies.append(copy)
        tally.copies += 1
    }

    private func toggleHub(_ signal: Int32) async throws {
        if isHubRunning { await processes.endHub(signal) } else { try await processes.startHub() }
        isHubRunning.toggle()
    }

    // MARK: - The end

    private func gather() async throws {
        for copy in copies {
            evidence.alive.append(
                CopyEvidence.Alive(timeline: await copy.timeline, failed: try await copy.failed()))
            if try await copy.hasNoticedACopy() { tally.notices += 1 }
        }
        for (number, copy) in copies.enumerated() {
            history.append(
                "copy \(number) at the end: \(await copy.timeline.created.map { evidence.texts[$0] ?? "?" })")
        }
        evidence.hub = try await processes.messagesOnTheHub().map { shown in
            guard let id = MessageID(shown.id) else { throw StoreCopy.Failed(description: "the id \(shown.id)") }
            return CopyEvidence.ProcessMessage(id: id, text: shown.text)
        }
        history.append("the hub at the end: \(evidence.hub.map(\.text))")
    }
}
