import CausewayModels
import CausewayOutbox

/// Notes the milestones that a run reaches.
extension SimulatedWorld {
    /// A batch leaves.
    func noteMilestones(of batch: Batch, _ client: Int) {
        let messages = batch.operations.count { $0.kind == .send }
        if batch.isPipelined { counts.milestones.reach(.pipelined) }
        if clients[client].mayGoOneByOne {
            if messages > 2 { counts.milestones.reach(.severalAfterCrash) }
            if batch.isPipelined { counts.milestones.reach(.pipelinedAfterCrash) }
            if messages > 0, clients[client].openCalls.values.contains(where: { $0.batch.lane != batch.lane }) {
                counts.milestones.reach(.lanesAfterCrash)
            }
        }
        guard let setbacks = clients[client].setbacks[batch.lane] else { return }
        if setbacks.hasFailed, messages > 1 { counts.milestones.reach(.severalAfterFailure) }
        if setbacks.refused > 0 {
            if messages >= setbacks.refused { counts.milestones.reach(.asManyAfterRefusal) }
            if batch.isPipelined { counts.milestones.reach(.pipelinedAfterRefusal) }
        }
    }

    /// A batch failed as a whole.
    func noteSetback(_ batch: Batch, _ error: TransportError, _ client: Int) {
        let messages = batch.operations.count { $0.kind == .send }
        switch error {
        case .transient, .inDoubt, .serverFailed:
            clients[client].setbacks[batch.lane, default: LaneSetbacks()].hasFailed = true
        case .refused where messages > 2:
            clients[client].setbacks[batch.lane, default: LaneSetbacks()].refused = messages
        default: break
        }
    }
}
