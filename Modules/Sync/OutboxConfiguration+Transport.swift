import CausewayModels
import CausewayTransport

extension OutboxConfiguration {
    /// The same configuration, limited to the capabilities of a transport and the server behind it.
    func within(_ capabilities: TransportCapabilities?) -> OutboxConfiguration {
        guard let capabilities else { return self }
        var bounded = self
        bounded.deliveriesInFlightMax = min(deliveriesInFlightMax, capabilities.deliveriesInFlightMax)
        bounded.deliveriesInFlightTotalMax = min(deliveriesInFlightTotalMax, capabilities.deliveriesInFlightTotalMax)
        bounded.batchOperationsMax = min(batchOperationsMax, capabilities.batchOperationsMax)
        bounded.batchBytesMax = min(batchBytesMax, capabilities.batchBytesMax)
        if case .idempotent = capabilities.ordering {
            // Only the wait for each result keeps the order of a lane on such a server.
            bounded.deliveriesInFlightMax = 1
            bounded.batchOperationsMax = 1
        }
        return bounded
    }
}
