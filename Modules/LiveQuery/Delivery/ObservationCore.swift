import CausewayModels

/// The common part of live objects and live collections on the main actor: the displayed state, and the observers.
@MainActor final class ObservationCore<Record: LiveRecord>: LivePresenter {
    /// One registered listener.
    struct Listener {
        var stage: LiveStep
        var validity: Validity
        /// True if it must be called with the current state although nothing changed.
        var isNewcomer: Bool
        /// - Returns: true if this was the last call.
        var call: @MainActor (LiveCollectionChange<Record>) -> Bool
    }

    nonisolated let lifetime: LiveLifetime
    nonisolated let source: any LiveSource<Record>
    /// Sets the observed properties.
    var onApply: (@MainActor (LiveCollectionChange<Record>) -> Void)?

    private nonisolated let reader: Int
    private var pending: PendingChange<Record>?
    private var change: LiveCollectionChange<Record>?
    private(set) var displayed: DisplayedState<Record>?
    private var listeners: [Listener] = []
    private(set) var isDisposed = false
    /// True while listeners are being called.
    private var isNotifying = false

    init(lifetime: LiveLifetime, source: any LiveSource<Record>) {
        self.lifetime = lifetime
        self.source = source
        reader = source.addReader()
        lifetime.present(on: self)
        // The router works on another thread and may have published the first frame before this presenter was added: no
        // turn is scheduled for that one.
        if source.hasNews(reader) { lifetime.requestTurn() }
    }

    /// Other readers may continue to use the source: an abandoned slot would keep an old snapshot and cost a merge with
    /// every frame.
    deinit { source.removeReader(reader) }

    // MARK: A turn

    func dequeue() { pending = source.dequeue(reader) }

    func apply() {
        change = isDisposed ? nil : pending?.change()
        pending = nil
        guard let change else { return }
        displayed = DisplayedState(version: change.version, snapshot: change.snapshot, status: change.status)
        onApply?(change)
    }

    func notifyObservers() {
        let change = self.change
        self.change = nil
        isNotifying = true
        defer {
            isNotifying = false
            removeEnded()
        }
        for step in LiveStep.allCases {
            var index = 0
            // A listener may add listeners, remove them, or dispose of all.
            while index < listeners.count, !isDisposed {
                defer { index += 1 }
                guard listeners[index].stage == step, listeners[index].validity.isValid else { continue }
                let isNewcomer = listeners[index].isNewcomer
                listeners[index].isNewcomer = false
                guard let told = isNewcomer ? displayed?.asFirst ?? change : change, step.isDue(in: told) else {
                    continue
                }
                let listener = listeners[index]
                if listener.call(told) { _ = listener.validity.end() }
            }
        }
    }

    // MARK: Waiting

    /// Returns when the stored data are displayed; at once if they are, or the object was disposed of. Cancellation of
    /// the calling task ends the wait.
    func ready() async {
        if displayed != nil || isDisposed { return }
        let reader = source.addReader()
        defer { source.removeReader(reader) }
        await source.waitForNews(reader)
        lifetime.takeTurn()
    }

    /// Performs a request, and returns its result when it is displayed.
    func turn(_ page: LivePageJob) async throws -> Int {
        if isDisposed { throw lifetime.mapped(LivePageError.disposed) }
        let result = PageResult()
        lifetime.turn(page, result)
        let count = try await result.value()
        lifetime.takeTurn()
        return count
    }

    // MARK: Listeners

    /// - Parameter isReplayed: true for a listener whose first call has the current state, as soon as there is one.
    func add(
        _ step: LiveStep, isReplayed: Bool, _ call: @escaping @MainActor (LiveCollectionChange<Record>) -> Bool
    ) -> Validity {
        let validity = Validity()
        guard !isDisposed else {
            _ = validity.end()
            return validity
        }
        listeners.append(
            Listener(stage: step, validity: validity, isNewcomer: isReplayed && displayed != nil, call: call))
        if isReplayed, displayed != nil { lifetime.requestTurn() }
        return validity
    }

    /// Calls `body` for every update while `owner` exists, beginning with the present state; with `isOnce`, only for
    /// the first that has anything to report.
    func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner, isOnce: Bool = false,
        _ body: @escaping @MainActor (Owner, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        let validity = add(.all, isReplayed: true) { [weak owner] change in
            guard !isOnce || change.status.isNotifying else { return false }
            if let owner { body(owner, change) }
            return isOnce
        }
        return NotificationToken(validity, of: owner) { [lifetime] in lifetime.requestTurn() }
    }

    /// Calls `handler` whenever the event happens; with `isOnce`, the next time. Fresh data that are displayed already
    /// count as an event: otherwise a handler that waits for them would miss them.
    func listen<Payload>(
        to event: LiveEvent<Record, Payload>, isOnce: Bool = false, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        let isReplayed = event.step == .data && displayed?.status.data == .fresh
        _ = add(event.step, isReplayed: isReplayed) { change in
            guard let payload = event.payload(change) else { return false }
            handler(payload)
            return isOnce
        }
    }

    /// - Parameter event: `nil` for the listeners of all events.
    func removeListeners(of event: LiveEventName?) {
        let steps = event.map { [$0.step] } ?? Set(LiveEventName.allCases.map(\.step))
        for index in listeners.indices where steps.contains(listeners[index].stage) {
            _ = listeners[index].validity.end()
        }
        if !isNotifying { removeEnded() }
    }

    /// Releasing a listener's values may run arbitrary code, so it happens after the list is consistent again.
    private func removeEnded() {
        let ended = listeners.filter { !$0.validity.isValid }
        listeners.removeAll { !$0.validity.isValid }
        withExtendedLifetime(ended) {}
    }

    func dispose() {
        isDisposed = true
        for listener in listeners { _ = listener.validity.end() }
        listeners = []
        change = nil
        source.finish()
        lifetime.close()
    }
}

/// The steps of one update, in their order.
enum LiveStep: Int, CaseIterable, Sendable {
    case loadingStatus, dataStatus, data, error
    /// All steps at once: `observe`.
    case all

    func isDue<Record>(in change: LiveCollectionChange<Record>) -> Bool {
        switch self {
        case .loadingStatus: change.status.loading != change.oldStatus.loading
        case .dataStatus: change.status.data != change.oldStatus.data
        // Also for data that turn out to be those of the server: a listener that waits for fresh data gets them.
        case .data: !change.isDataUnchanged || (change.status.data == .fresh && change.oldStatus.data != .fresh)
        case .error: change.status.error != nil && change.status.errorNumber != change.oldStatus.errorNumber
        case .all: change.isDifferent
        }
    }
}

/// The displayed state, without the one before it.
struct DisplayedState<Record: LiveRecord>: Sendable {
    let version: Int64
    let snapshot: LiveSnapshot<Record>
    let status: LiveStatus

    /// The change for an observer that has seen nothing yet.
    var asFirst: LiveCollectionChange<Record> {
        LiveCollectionChange(
            version: version, oldSnapshot: LiveSnapshot(), snapshot: snapshot,
            indices: IndexChange(insertions: Array(0..<snapshot.count)), oldStatus: LiveStatus(), status: status)
    }
}

extension LiveStatus {
    /// True if there is anything to show, or nothing more to wait for.
    fileprivate var isNotifying: Bool { data != .notExist || loading != .loading }
}
