import CausewayModels
package import CausewayRuntime
import Synchronization

/// The progress of one upload, which the transport reports for each part: passed on at a bounded pace.
///
/// The first report is passed on at once, because it shows that the attempt is not in vain.
package final class UploadProgressMeter: Sendable {
    private let state = Mutex((sent: Int64?.none, notBefore: MonotonicTime.zero))
    private let runtime: any Runtime

    package init(_ runtime: any Runtime) { self.runtime = runtime }

    /// Records a report; returns true if it is to be passed on now.
    package func record(_ sent: Int64) -> Bool {
        let now = runtime.now
        return state.withLock { state in
            let isFirst = state.sent == nil
            state.sent = max(state.sent ?? 0, sent)
            guard isFirst || now >= state.notBefore else { return false }
            state.notBefore = now + SyncLimits.uploadProgressInterval
            return true
        }
    }

    /// The last report; `nil` if there was none.
    package var last: Int64? { state.withLock { $0.sent } }
}
