internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import Dispatch
internal import HTTPTypes

/// Decodes bodies into deliveries; large ones on threads of its own, few at a time, taking turns between accounts:
/// decoding them is CPU work, which the threads that serve all requests cannot spare.
final class DeliveryDecoder: Sendable {
    private let gate = FairGate(slots: HubLimits.decodersMax)
    private let queue = DispatchQueue(label: "causeway.hub.decoding", attributes: .concurrent)

    /// - Throws: `HubHTTPError` 400 or 413 for a body that no client of this protocol sends; 503 `busy`.
    func decode(_ body: CollectedBody, of account: HubAccount) async throws -> ValidatedDelivery {
        // A short one is not worth a change of thread and back.
        if body.isPlain, body.count <= HubLimits.decodedInPlaceBytesMax { return try Self.decode(body) }
        return try await gate.run(for: account) {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try Self.decode(body) }) }
            }
        }
    }

    private static func decode(_ body: CollectedBody) throws -> ValidatedDelivery {
        let content = try body.content()
        let delivery: WireDelivery
        do {
            delivery = try JSONCoding.decode(
                WireDelivery.self, from: content, depthMax: HubLimits.jsonDepthMax,
                valuesMax: HubLimits.jsonValuesMax)
        } catch let problem as JSONProblem {
            throw refusal(problem)
        } catch {
            throw HubHTTPError(.badRequest, code: "jsonInvalid", detail: HubCoding.explanation(of: error))
        }
        return try ValidatedDelivery(delivery)
    }

    private static func refusal(_ problem: JSONProblem) -> HubHTTPError {
        switch problem {
        case .invalid: HubHTTPError(.badRequest, code: "jsonInvalid", detail: "\(problem)")
        case .tooDeep: HubHTTPError(.badRequest, code: "jsonTooDeep", detail: "\(problem)")
        case .tooManyValues: HubHTTPError(.contentTooLarge, code: "jsonTooManyValues", detail: "\(problem)")
        }
    }
}
