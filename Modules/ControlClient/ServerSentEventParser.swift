import CausewayControlAPI

/// An incremental parser of Server-Sent Events: the name and data of each, as far as the daemon uses them. Bounded. A
/// value.
struct ServerSentEventParser: Sendable {
    struct Event: Sendable, Hashable {
        var name = "message"
        var data: [UInt8] = []
    }

    private let bytesMax: Int
    private var line: [UInt8] = []
    private var event = Event()

    /// - Parameter bytesMax: the length limit of one line.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Returns the events that these bytes complete.
    ///
    /// Throws ``ControlError/Code/internalError`` for a line that is longer than any the daemon writes.
    mutating func events(in bytes: some Collection<UInt8>) throws(ControlError) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try take(rest[..<end])
            rest = rest[rest.index(after: end)...]
            if line.isEmpty {
                if !event.data.isEmpty { events.append(event) }
                event = Event()
            } else if line.starts(with: Self.data) {
                event.data = Array(line.dropFirst(Self.data.count))
            } else if line.starts(with: Self.name) {
                event.name = String(decoding: line.dropFirst(Self.name.count), as: UTF8.self)
            }
            line.removeAll(keepingCapacity: true)
        }
        try take(rest)
        return events
    }

    private mutating func take(_ bytes: some Collection<UInt8>) throws(ControlError) {
        guard line.count + bytes.count <= bytesMax else {
            throw ControlError(.internalError, "the daemon sent an event of more than \(bytesMax) bytes")
        }
        line += bytes
    }

    private static let data = Array("data: ".utf8)
    private static let name = Array("event: ".utf8)
}
