/// Keeps an object alive until the client has read the response being written, or the connection has ended.
///
/// Triggered as an outbound event on the connection's channel, after the head of the response and before its end: a
/// writer returns long before its last bytes have been sent.
package struct ResponseHold: Sendable {
    private let object: any AnyObject & Sendable

    package init(_ object: any AnyObject & Sendable) { self.object = object }
}
