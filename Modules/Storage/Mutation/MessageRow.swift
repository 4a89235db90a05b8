package import CausewayModels

/// A message as a store holds it, with the size of its coded content.
package struct MessageRow: Sendable {
    package var message: Message
    /// The size of the coded content.
    package var bytes: Int

    package init(message: Message, bytes: Int) {
        self.message = message
        self.bytes = bytes
    }
}
