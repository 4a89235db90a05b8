package import CausewayModels
import CausewayStorage
import DequeModule

/// Confirmations: the server was seen to have a message, by whatever way.
extension Outbox {
    /// True if a confirmation of the message changes anything: the message, or a fence for it, still has to be sent to
    /// the server, or its failure pauses a lane.
    package func awaitsConfirmation(of message: MessageID) -> Bool {
        slotIndex.sends(message) || slotIndex.hasFence(for: message) || pauses.contains(message)
    }

    mutating func confirmed(_ message: MessageID, _ serverPosition: ServerPosition, _ step: inout OutboxStep) {
        if let fence = fenceSlot(of: message), lanes[fence.lane].slots[fence.index].kind == .retract {
            return  // deleted meanwhile; the response to the retraction triggers the deletion
        }
        delivered(message, serverPosition, &step)
        step.commit()
    }

    /// Applies the confirmations in a response to a batch that is no longer under way, or is about to be taken back:
    /// its accepted messages are on the server.
    ///
    /// - Parameter sequence: confirmations of links up to this one were applied before.
    mutating func applyConfirmations(
        of batch: Batch, _ report: DeliveryReport, after sequence: Int64 = 0, _ step: inout OutboxStep
    ) {
        for (operation, outcome) in zip(batch.operations, report.outcomes) where operation.sequence > sequence {
            guard case .accepted(let serverPosition) = outcome else { continue }
            confirmed(operation.message, serverPosition, &step)
            removeDeleted(operation.message, outcome, report, &step)
            step.commit()
        }
    }

    /// The server has the message, which may have been in state `error`, or waiting to be sent again.
    mutating func delivered(_ message: MessageID, _ serverPosition: ServerPosition, _ step: inout OutboxStep) {
        step.write(.deliver(message, serverPosition, at: step.clock.wall))
        pauses.remove(message)
        endUpload(of: message, isAbandoned: true, &step)
        if slotIndex.sends(message) {
            step.complete(message, .delivered(serverPosition))
        } else {
            confirmedBeforeKnown.insert(message)
            if awaitingVerdict.remove(message) != nil { step.completeAsStored(message) }
        }
        guard let slot = sendSlot(of: message) else { return }
        lanes[slot.lane].endHold(ofHead: message)
        if lanes[slot.lane].slots[slot.index].wasTransmitted {
            becomeFence(slot.lane, slot.index, &step)
        } else {
            slotIndex.removeSend(message)
            lanes[slot.lane].removeUnsent(at: slot.index)
        }
    }
}
