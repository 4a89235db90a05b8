/// Runs an action when the client stops sending, before the response being written has ended: a client that is gone, as
/// far as a response that may last can know.
///
/// Triggered as an outbound event on the connection's channel. The action runs at most once, on the connection's
/// thread, immediately if the client has stopped already; it is released with the end of the response.
package struct InputCloseWatch: Sendable {
    let action: @Sendable () -> Void

    package init(_ action: @escaping @Sendable () -> Void) { self.action = action }
}
