import Synchronization

/// Keeps what was done until the page that follows says it.
///
/// The address names it by a secret number, so that no link can make the page say something. Bounded: the oldest goes
/// first.
final class NoticeBoard: Sendable {
    private struct State {
        var notices: [String: PageNotice] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// - Returns: under which key it can be read.
    func put(_ notice: PageNotice) -> String {
        let key = String(SessionKeeper.secret().prefix(32))
        state.withLock { state in
            state.notices[key] = notice
            state.order.append(key)
            if state.order.count > StatusPageLimits.noticesMax {
                state.notices[state.order.removeFirst()] = nil
            }
        }
        return key
    }

    /// The notice, for the first who asks: loaded again, the page does not say once more what was done once.
    func take(_ key: String?) -> PageNotice? {
        guard let key else { return nil }
        return state.withLock { state in
            guard let notice = state.notices.removeValue(forKey: key) else { return nil }
            state.order.removeAll { $0 == key }
            return notice
        }
    }
}
