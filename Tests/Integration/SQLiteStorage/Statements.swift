import Synchronization

/// The statements that ran, in order.
final class Statements: Sendable {
    private let texts = Mutex<[String]>([])

    var inOrder: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
