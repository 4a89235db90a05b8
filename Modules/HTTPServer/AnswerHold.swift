/// Keeps an object alive until the client has taken the answer that is being written, or the connection has ended.
///
/// Triggered as an outbound event on the connection's channel, after the head of the answer and before its end: a
/// writer returns long before its last bytes have left.
package struct AnswerHold: Sendable {
    private let object: any AnyObject & Sendable

    package init(_ object: any AnyObject & Sendable) { self.object = object }
}
