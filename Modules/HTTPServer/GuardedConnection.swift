internal import HummingbirdCore
package import NIOCore
internal import Synchronization

/// A connection that was set up, on its way to the task that handles it.
///
/// A cancelled server drops the connections that it has not handled yet, and SwiftNIO ends the process when such a
/// connection is dropped without being finished: so it is finished and closed here.
package final class GuardedConnection: ServerChildChannelValue {
    /// The connection; the task that handles its requests finishes it.
    let http: HTTP1Channel.Value
    private let isHandled = Atomic(false)

    init(_ http: HTTP1Channel.Value) { self.http = http }

    package var channel: any Channel { http.channel }

    func handled() { isHandled.store(true, ordering: .relaxed) }

    deinit {
        guard !isHandled.load(ordering: .relaxed) else { return }
        let http = http
        // The outcome of an unused connection does not matter.
        Task { try? await http.executeThenClose { _, _ in } }
    }
}
