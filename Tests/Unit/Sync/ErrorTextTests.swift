import Causeway
import CausewayModels
import CausewayTransport
import Foundation
import Testing

/// The text that an application shows for an error (`localizedDescription`) is the error's own.
struct ErrorTextTests {
    private static let id = MessageID(UUIDv7(high: 7, low: 7))
    private static let failure = Failure(
        reason: .refused, code: "muted", detail: "you are muted", at: Timestamp(milliseconds: 1))

    @Test(arguments: [
        (ClientError.noSession, "not logged in; log in first"),
        (.notAuthor(id), "message \(id) was written by another user"), (.closed, "the client is closed"),
        (.messageNotFound(id), "there is no message \(id)"),
        (
            .transport(.unreachable(detail: "no network")),
            TransportError.unreachable(detail: "no network").description
        ),
    ])
    func ofACall(_ error: ClientError, _ text: String) {
        #expect((error as any Error).localizedDescription == text)
    }

    /// Completions get these.
    @Test(arguments: [
        (DeliveryError.notCreated(.noSession), "not logged in; log in first"),
        (.failed(failure), "refused by the server: you are muted"), (.deleted, "the message was deleted"),
        (.clientClosed, "the client was closed before the message was delivered"),
        (.unknown, "the wait ended before the message was delivered"),
    ])
    func ofADelivery(_ error: DeliveryError, _ text: String) {
        #expect((error as any Error).localizedDescription == text)
    }
}
