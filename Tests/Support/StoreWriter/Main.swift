import CausewayFileStorage
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import Foundation

/// A process that owns a store and can be killed: `store-writer [--file] [--normal] FOLDER COMMAND [ARGUMENT]`.
///
/// With `--file` it is a file store that writes snapshots and compacts all the time; with `--normal` its durability is
/// `normal`.
///
/// - `hold`: opens the store, prints `open`, and waits for the end of its input.
/// - `write`: enqueues from eight tasks endlessly; prints the id of each message after it was acknowledged.
/// - `fill`: lets no file grow beyond ARGUMENT bytes, enqueues until it is refused, prints the error, then lets files
///   grow again, enqueues once more and prints `went on`.
/// - `list`: prints the ids of all messages, and ends.
/// - `displace`: the same on a full disk: makes room by removing the file ARGUMENT, and counts its messages.
@main
struct StoreWriter {
    static func main() async throws {
        var arguments = CommandLine.arguments
        let isFile = arguments.contains("--file")
        let durability: Durability = arguments.contains("--normal") ? .normal : .full
        arguments.removeAll { $0.hasPrefix("--") }
        guard arguments.count >= 3, let channel = ChannelID("general"), let user = UserID("ada") else {
            say("usage: store-writer FOLDER COMMAND [ARGUMENT]")
            exit(64)
        }
        let store: any Store
        do {
            if isFile {
                let options = FileOptions(snapshotJournalBytes: 20_000, compactionBytesMin: 60_000)
                store = try await FileStore.open(at: arguments[1], durability: durability, options: options)
            } else {
                store = try await SQLiteStore.open(at: arguments[1], durability: durability)
            }
            _ = try await store.start(opening)
        } catch {
            say("\(error)")
            exit(1)
        }
        let writer = StoreWriter(store: store, channel: channel, user: user)
        switch arguments[2] {
        case "hold":
            say("open")
            while readLine() != nil {}
        case "write": try await writer.writeForEver()
        case "list": try await writer.list()
        case "fill": try await writer.fill(bytesMax: arguments.count > 3 ? UInt(arguments[3]) ?? 0 : 0)
        case "displace": try await writer.displace(arguments.count > 3 ? arguments[3] : "")
        default: exit(64)
        }
    }

    let store: any Store
    let channel: ChannelID
    let user: UserID

    private func writeForEver() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in UInt64(0)..<8 {
                group.addTask {
                    for number in UInt64(0)... { Self.say("\(try await enqueue(task, number))") }
                }
            }
            try await group.waitForAll()
        }
    }

    private func list() async throws {
        var query = MessageQuery(scope: .channel(channel), limit: 500)
        while true {
            let page = try await store.page(query)
            for message in page.messages { Self.say("\(message.id)") }
            guard let next = page.next else { break }
            query.after = next
        }
        await store.close()
    }

    private func fill(bytesMax: UInt) async throws {
        // Without this the kernel ends the process instead of refusing the write.
        signal(SIGXFSZ, SIG_IGN)
        limitFiles(rlim_t(bytesMax))
        let count = await enqueueUntilRefused()
        limitFiles(rlim_t.max)
        Self.say("\(try await enqueue(1, count + 1))")
        Self.say("went on")
        await store.close()
    }

    private func displace(_ ballast: String) async throws {
        let count = await enqueueUntilRefused()
        guard unsafe unlink(ballast) == 0 else { exit(70) }
        Self.say("\(try await enqueue(1, count + 1))")
        let found = try await store.outbox().entries.count
        Self.say(found == Int(count) + 1 ? "went on, with all that was acknowledged" : "went on with \(found)")
        await store.close()
    }

    /// - Returns: the number of acknowledged messages.
    private func enqueueUntilRefused() async -> UInt64 {
        var number: UInt64 = 0
        while true {
            do {
                Self.say("\(try await enqueue(1, number))")
            } catch {
                Self.say("refused: \(error)")
                return number
            }
            number += 1
        }
    }

    #if os(Linux)
        private static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        private static let fileSize = RLIMIT_FSIZE
    #endif

    private func limitFiles(_ bytes: rlim_t) {
        var limit = rlimit()
        _ = unsafe getrlimit(Self.fileSize, &limit)
        limit.rlim_cur = min(bytes, limit.rlim_max)
        guard unsafe setrlimit(Self.fileSize, &limit) == 0 else { exit(70) }
    }

    private func enqueue(_ task: UInt64, _ number: UInt64) async throws(StoreError) -> MessageID {
        let draft = MessageDraft(
            id: MessageID(UUIDv7(high: 0x7000 | task << 32, low: 1 << 63 | number)), channel: channel, sender: user,
            content: .text(String(repeating: "x", count: 200)), createdAt: Timestamp(milliseconds: 1), lane: .text)
        return try await store.enqueue(draft).id
    }

    private static var opening: StartOptions {
        StartOptions(
            restart: .resume,
            failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
            newOutboxID: OutboxID(UUIDv7(high: 0x7000, low: 1 << 63)))
    }

    /// Prints one line, in one write: lines of several tasks do not mix, and nothing is left in a buffer when it is
    /// killed.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
