import CausewayHTTP
import CausewayModels
import CausewayTransport
import CausewayWire

/// Typing signals to the hub: one request each, on the connections of events, so that none of them delays a delivery.
struct HTTPEphemeralEvents: EphemeralEvents {
    let carrier: any RequestCarrier
    let requests: RequestBuilder
    let parser: ResponseParser

    func setTyping(_ signal: TypingSignal) async throws(TransportError) {
        let request = try requests.typing(signal)
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await carrier.send(request)
        } catch {
            throw TransportError(error, of: .typing, to: carrier.endpoint)
        }
        _ = try parser.read(WireTypingResult.self, from: response, to: .typing)
    }
}

extension WireEphemeral {
    /// The name of what has been seen; `nil` if it cannot stand in a request.
    var token: String? { WireChanges.isCursor(seen) ? seen : nil }

    /// The update of a reader, with as much as it takes.
    var update: EphemeralUpdate {
        EphemeralUpdate(
            channels: channels.prefix(HTTPTransportLimits.ephemeralChannelsMax).map { channel in
                EphemeralUpdate.Channel(
                    channel: channel.channel,
                    typing: channel.typing.prefix(HTTPTransportLimits.ephemeralUsersMax).map {
                        EphemeralUpdate.Typing(
                            user: $0.user,
                            remaining: .milliseconds(
                                min(max(0, $0.milliseconds), HTTPTransportLimits.typingMillisecondsMax)))
                    },
                    present: Array(channel.present.prefix(HTTPTransportLimits.ephemeralUsersMax)))
            }, isComplete: isComplete)
    }
}
