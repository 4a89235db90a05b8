internal import CausewayHubRules
internal import Synchronization

/// The JSON of events that were encoded lately: many readers of a channel read the same ones at the same time.
///
/// The text of an event is the same for every reader in the same version, unless it marks reactions of the reader.
/// Bounded by bytes: when half of them are used, everything older than that is dropped.
final class EncodedEvents: Sendable {
    private struct State {
        var recent: [LogChange: [UInt8]] = [:]
        var older: [LogChange: [UInt8]] = [:]
        var recentBytes = 0
    }

    private let bytesMax: Int
    private let state = Mutex(State())

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Returns the JSON of a change, which `encode` makes unless it is known.
    func json(of change: LogChange, _ encode: () throws -> [UInt8]) rethrows -> [UInt8] {
        var key = change
        // Not part of the text.
        key.isNew = false
        if let known = state.withLock({ $0.recent[key] ?? $0.older[key] }) { return known }
        let json = try encode()
        state.withLock { state in
            guard json.count <= bytesMax / 8, state.recent.updateValue(json, forKey: key) == nil else { return }
            state.recentBytes += json.count
            guard state.recentBytes > bytesMax / 2 else { return }
            state.older = state.recent
            state.recent = [:]
            state.recentBytes = 0
        }
        return json
    }
}
