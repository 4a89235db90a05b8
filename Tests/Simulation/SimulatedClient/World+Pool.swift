import CausewayModels

/// The pool of deliveries: over all lanes, not many more are under way than configured.
extension World {
    /// Calls whose batches the outbox has taken back go on until they have a response: after a gap in a lane, or when
    /// the outbox starts over.
    private static let takenBackMax = 4

    func deliveryBegins(_ process: Int) {
        processes[process].openDeliveries += 1
        let device = processes[process].device
        let most = plan.devices[device].outbox.deliveriesInFlightTotalMax
        if processes[process].openDeliveries == most { tally.fullPools += 1 }
        guard processes[process].openDeliveries > 2 * most + Self.takenBackMax else { return }
        violated(.pool, "device \(device) has \(processes[process].openDeliveries) deliveries under way, of \(most)")
    }
}
