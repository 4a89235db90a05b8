import Foundation

/// A thread whose end can be awaited.
struct WatchingThread: Sendable {
    fileprivate let end: AsyncStream<Void>

    /// Returns when the thread has ended.
    func ended() async { for await _ in end {} }
}

extension Thread {
    static func detached(_ body: @escaping @Sendable () -> Void) -> WatchingThread {
        let (end, ended) = AsyncStream.makeStream(of: Void.self)
        detachNewThread {
            body()
            ended.finish()
        }
        return WatchingThread(end: end)
    }
}
