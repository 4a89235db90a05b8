import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Messages of another user on the server.
enum RemoteMessages {
    static func placed(_ number: Int, _ world: ClientWorld) throws -> RemoteMessage {
        RemoteMessage(
            id: MessageID(world.runtime.makeUUIDv7()), channel: world.general, sender: try #require(UserID("grace")),
            content: .text("\(number)"), createdAt: world.runtime.wallClock,
            serverPosition: ServerPosition(position: Int64(number), acceptedAt: world.runtime.wallClock))
    }

    /// Messages of another user at positions from 1 on.
    static func server(_ count: Int, _ world: ClientWorld) throws -> [RemoteMessage] {
        let messages = try (0..<count).map { try placed($0 + 1, world) }
        world.transport.server.withLock { server in
            server.page = messages
            server.newest = Int64(count)
        }
        return messages
    }
}

extension RemoteMessage {
    var number: Int { Int(serverPosition.position) }
}

/// Collects changes until they end.
final class Followed<Record: LiveRecord>: Sendable {
    private let told: Told
    let task: RuntimeTask

    private final class Told: Sendable {
        let last = Mutex<LiveCollectionChange<Record>?>(nil)
        let counts = Mutex<[Int]>([])
    }

    init(_ changes: LiveChanges<Record>, _ runtime: any Runtime) {
        let told = Told()
        self.told = told
        task = runtime.spawn {
            for await change in changes {
                told.last.withLock { $0 = change }
                told.counts.withLock { $0.append(change.snapshot.count) }
            }
        }
    }

    /// The number of records in each change.
    var counts: [Int] { told.counts.withLock { $0 } }
    func forgetCounts() { told.counts.withLock { $0 = [] } }

    /// The last change.
    var last: LiveCollectionChange<Record>? { told.last.withLock { $0 } }
}

/// Runs `body` as the main actor, which the calling thread is.
func onMain<Value: Sendable>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated(body)
}
