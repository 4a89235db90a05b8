import Foundation

/// Reads a stream of Server-Sent Events, piece by piece: the `data` of each event. Bounded.
struct EventReader: Sendable {
    private var line: [UInt8] = []

    /// What the bytes complete.
    ///
    /// Throws ``ControlError/Code/internalError`` for a line that is longer than the daemon writes.
    mutating func events(in bytes: some Sequence<UInt8>) throws(ControlError) -> [ActivityForm] {
        var events: [ActivityForm] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < ControlLimits.eventBytesMax else {
                    throw ControlError(.internalError, "the daemon sends an event that is too long")
                }
                line.append(byte)
                continue
            }
            defer { line.removeAll(keepingCapacity: true) }
            guard line.starts(with: Self.field) else { continue }
            let data = Data(line.dropFirst(Self.field.count))
            events.append(try ControlJSON.decode(ActivityForm.self, from: data, what: "an event"))
        }
        return events
    }

    private static let field = Array("data: ".utf8)
}
