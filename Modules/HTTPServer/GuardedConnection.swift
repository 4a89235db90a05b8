internal import HummingbirdCore
package import NIOCore
internal import Synchronization

/// A connection that was set up, on its way to the task that deals with it.
///
/// A server that is cancelled drops what it has not dealt with yet, and SwiftNIO ends the process when such a
/// connection is dropped without having been finished: so it is finished and closed here.
package final class GuardedConnection: ServerChildChannelValue {
    /// What deals with requests takes it from here and finishes it itself.
    let http: HTTP1Channel.Value
    private let isHandled = Atomic(false)

    init(_ http: HTTP1Channel.Value) { self.http = http }

    package var channel: any Channel { http.channel }

    func handled() { isHandled.store(true, ordering: .relaxed) }

    deinit {
        guard !isHandled.load(ordering: .relaxed) else { return }
        let http = http
        // How a connection that nobody wants ends is of no interest.
        Task { try? await http.executeThenClose { _, _ in } }
    }
}
