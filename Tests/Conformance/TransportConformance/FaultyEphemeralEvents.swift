import Causeway

/// The typing signals of a ``FaultyTransport``.
struct FaultyEphemeralEvents: EphemeralEvents {
    let transport: FaultyTransport
    let inner: any EphemeralEvents

    func setTyping(_ signal: TypingSignal) async throws(TransportError) {
        var signal = signal
        // The order of arrival instead of that of the device.
        if transport.fault == .typingByArrival { signal.sequence = Int64(transport.count()) }
        do throws(TransportError) {
            try await inner.setTyping(signal)
        } catch {
            if transport.fault == .typesAnywhere, case .refused = error { return }
            throw transport.changed(error)
        }
    }
}
