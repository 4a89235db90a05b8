import Synchronization

/// Keeps the result of an action for the page that follows it.
///
/// The address names the result by a secret number, so that no link can make the page show a text. Bounded: the oldest
/// is dropped first.
/// first.
final class FlashMessages: Sendable {
    private struct State {
        var notices: [String: FlashMessage] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// - Returns: the key under which the notice can be read.
    func put(_ notice: FlashMessage) -> String {
        let key = String(SessionStore.secret().prefix(32))
        state.withLock { state in
            state.notices[key] = notice
            state.order.append(key)
            if state.order.count > StatusPageLimits.noticesMax {
                state.notices[state.order.removeFirst()] = nil
            }
        }
        return key
    }

    /// Returns the notice for the first request only: a reload does not show the result again.
    func take(_ key: String?) -> FlashMessage? {
        guard let key else { return nil }
        return state.withLock { state in
            guard let notice = state.notices.removeValue(forKey: key) else { return nil }
            state.order.removeAll { $0 == key }
            return notice
        }
    }
}

/// The result of an action, shown once.
struct FlashMessage: Sendable, Hashable {
    enum Kind: String, Sendable { case good, busy, bad }

    let kind: Kind
    let text: String
}
