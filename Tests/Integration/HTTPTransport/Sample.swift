import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import Testing

/// Values that the tests of this folder share.
enum Sample {
    static let tokenText = "secret-token-0123456789"

    static func token() throws -> AccessToken { try #require(AccessToken(tokenText)) }

    static func message(_ number: Int) -> MessageID {
        MessageID(UUIDv7(at: Timestamp(milliseconds: Int64(number)), randomHigh: 1, randomLow: UInt64(number)))
    }

    static func outbox(_ number: Int = 1) -> OutboxID {
        OutboxID(UUIDv7(at: Timestamp(milliseconds: 1), randomHigh: 2, randomLow: UInt64(number)))
    }

    static func channel(_ name: String = "general") throws -> ChannelID { try #require(ChannelID(name)) }

    /// Text messages with these sequences, each following the one before it.
    static func delivery(_ sequences: ClosedRange<Int> = 1...1, epoch: Int64 = 1) throws -> Delivery {
        let channel = try channel()
        return Delivery(
            outbox: outbox(), epoch: epoch, lane: .text,
            operations: sequences.map { number in
                DeliveryOperation(
                    sequence: Int64(number), previous: Int64(number - 1),
                    body: .send(
                        message(number), channel: channel, content: .text("message \(number)"),
                        createdAt: Timestamp(milliseconds: Int64(number))))
            })
    }
}

/// The four calls of a transport.
enum Exchange: String, Sendable, CaseIterable {
    case authenticate, deliver, messages, lookup

    /// The result of the call, by the name of its error; `ok` or `none` if there was no error.
    func outcome(on transport: any Transport) async throws -> (name: String, error: TransportError?) {
        do {
            switch self {
            case .authenticate: _ = try await transport.authenticate()
            case .deliver: _ = try await transport.deliver(try Sample.delivery())
            case .messages:
                let channel = try Sample.channel()
                _ = try await transport.messages(RemoteQuery(channel: channel, range: .newest, limit: 10))
            case .lookup:
                if try await transport.lookup(Sample.message(1)) == nil { return ("none", nil) }
            }
            return ("ok", nil)
        } catch let error as TransportError {
            return (error.name, error)
        }
    }
}

extension TransportError {
    /// The name of an error, for tables.
    var name: String {
        switch self {
        case .unreachable: "unreachable"
        case .transient(let code, _): "transient(\(code))"
        case .inDoubt: "inDoubt"
        case .notSent(let code, _): "notSent(\(code))"
        case .serverFailed(let code, _): "serverFailed(\(code))"
        case .rateLimited(let after, _): "rateLimited(\(after.components.seconds))"
        case .actionRequired(let actionRequired): "actionRequired(\(actionRequired.cause.rawValue))"
        case .storeForked: "storeForked"
        case .historyChanged: "historyChanged"
        case .refused(let code, _): "refused(\(code))"
        }
    }
}

/// Runs a transport and closes it at the end.
func withTransport<Result: Sendable>(
    to address: String,
    _ configuration: HTTPTransportConfiguration = .unhurried,
    body: (HTTPTransport) async throws -> Result
) async throws -> Result {
    let transport = try HTTPTransport(to: address, token: try Sample.token(), configuration)
    do {
        let result = try await body(transport)
        await transport.close()
        return result
    } catch {
        await transport.close()
        throw error
    }
}

extension ScriptedHTTPServer.Step {
    /// A response with the protocol's header.
    static func hub(
        _ status: Int, _ body: String, _ headers: [(String, String)] = []
    ) -> ScriptedHTTPServer.Step {
        .answer(status, [("Causeway-Protocol", "1"), ("Content-Type", "application/json")] + headers, body)
    }

    /// An error of the hub whose text repeats the token, as no hub should.
    static func hubError(
        _ status: Int, _ code: String, _ headers: [(String, String)] = []
    ) -> ScriptedHTTPServer.Step {
        .hub(status, #"{"code":"\#(code)","detail":"because of \#(Sample.tokenText)"}"#, headers)
    }
}
