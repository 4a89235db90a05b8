import CausewayModels
import CausewaySimulatedHub
import CausewayStorage
import CausewayTransport

/// Attempts: only a call that ended, or was cut off by a crash, uses one up. A call that the client itself breaks off
/// does not: at an orderly end, a logout, a renewed token.
extension World {
    /// Notes the end of a call.
    func noteEnd(of delivery: Delivery, _ error: TransportError?) {
        if error?.isOfClient == true { return }
        for operation in delivery.operations where operation.isSend {
            expected.records[operation.message]?.triesEnded += 1
        }
    }

    /// Notes the calls that a crash cuts off.
    func noteCutOff(_ process: Int) {
        for item in processes[process].mirror.items.values where item.syncState == .syncing {
            expected.records[item.id]?.triesEnded += 1
        }
    }

    /// Notes that the disk rejects a commit. At an orderly end it may be the one that returns attempts, which then
    /// remain counted; the fault that causes it may have begun before the end.
    func noteRejection(_ process: Int) {
        if processes[process].life == .closing { processes[process].hasFailedClosing = true }
    }

    /// Checks the attempts of an item that is not under way.
    func checkAttempts(_ item: StoredItem, _ process: Int) {
        guard item.syncState == .created, item.attempts > 0, item.sentContent.attachment == nil,
            let record = expected.records[item.id], !record.isExcused,
            !isShared(record), item.attempts > record.triesEnded
        else { return }
        violated(
            .attempts,
            "message \(record.number) has used up \(item.attempts) attempts, and \(record.triesEnded) have ended")
    }
}

extension TransportError {
    /// The errors of a call that the client has broken off.
    static let cancelled = TransportError.inDoubt(detail: "cancelled")
    static let closed = TransportError.inDoubt(detail: "the transport was closed")

    fileprivate var isOfClient: Bool { self == .cancelled || self == .closed }
}
