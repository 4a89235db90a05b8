/// What a live object and a live collection have in common on the main actor: what is shown, and who is called.
@MainActor final class LiveCore<Record: LiveRecord>: LivePresenter {
    /// One who is called.
    struct Listener {
        var stage: LiveStep
        var validity: Validity
        /// True when it must be told what is there although nothing changed.
        var isNewcomer: Bool
        /// - Returns: true when it was the last call.
        var call: @MainActor (LiveCollectionChange<Record>) -> Bool
    }

    nonisolated let lifetime: LiveLifetime
    nonisolated let source: any LiveSource<Record>
    /// Sets the observed properties.
    var onShow: (@MainActor (LiveCollectionChange<Record>) -> Void)?

    private nonisolated let reader: Int
    private var taken: LiveTaken<Record>?
    private var change: LiveCollectionChange<Record>?
    private(set) var shown: LiveShown<Record>?
    private var listeners: [Listener] = []
    private(set) var isDisposed = false
    /// True while listeners are being called.
    private var isTelling = false

    init(lifetime: LiveLifetime, source: any LiveSource<Record>) {
        self.lifetime = lifetime
        self.source = source
        reader = source.addReader()
        lifetime.present(on: self)
        // The router works on another thread and may have handed over the first frame before there was anybody to show
        // it to: no turn is on its way for that one.
        if source.hasNews(reader) { lifetime.requestTurn() }
    }

    /// Others may go on reading from the source: a slot that nobody empties would keep an old snapshot and cost a merge
    /// with every frame.
    deinit { source.removeReader(reader) }

    // MARK: A turn

    func take() { taken = source.take(reader) }

    func show() {
        change = isDisposed ? nil : taken?.change()
        taken = nil
        guard let change else { return }
        shown = LiveShown(version: change.version, snapshot: change.snapshot, status: change.status)
        onShow?(change)
    }

    func tell() {
        let change = self.change
        self.change = nil
        isTelling = true
        defer {
            isTelling = false
            removeEnded()
        }
        for step in LiveStep.allCases {
            var index = 0
            // Whoever is called may add listeners, remove them, or dispose of all.
            while index < listeners.count, !isDisposed {
                defer { index += 1 }
                guard listeners[index].stage == step, listeners[index].validity.isValid else { continue }
                let isNewcomer = listeners[index].isNewcomer
                listeners[index].isNewcomer = false
                guard let told = isNewcomer ? shown?.asFirst ?? change : change, step.isDue(in: told) else { continue }
                let listener = listeners[index]
                if listener.call(told) { _ = listener.validity.end() }
            }
        }
    }

    // MARK: Listeners

    /// - Parameter isReplayed: true for one that begins with what is there, as soon as there is something.
    func add(
        _ step: LiveStep, isReplayed: Bool, _ call: @escaping @MainActor (LiveCollectionChange<Record>) -> Bool
    ) -> Validity {
        let validity = Validity()
        guard !isDisposed else {
            _ = validity.end()
            return validity
        }
        listeners.append(Listener(stage: step, validity: validity, isNewcomer: isReplayed && shown != nil, call: call))
        if isReplayed, shown != nil { lifetime.requestTurn() }
        return validity
    }

    func removeListeners(_ steps: Set<LiveStep>) {
        for index in listeners.indices where steps.contains(listeners[index].stage) {
            _ = listeners[index].validity.end()
        }
        if !isTelling { removeEnded() }
    }

    /// A listener's values may run any code when they go, so they go when the list is whole again.
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
    /// Everything at once: `observe`.
    case all

    func isDue<Record>(in change: LiveCollectionChange<Record>) -> Bool {
        switch self {
        case .loadingStatus: change.status.loading != change.oldStatus.loading
        case .dataStatus: change.status.data != change.oldStatus.data
        case .data: !change.isDataUnchanged
        case .error: change.status.error != nil && change.status.errorNumber != change.oldStatus.errorNumber
        case .all: change.isDifferent
        }
    }
}

/// What is shown, without what was shown before it.
struct LiveShown<Record: LiveRecord>: Sendable {
    let version: Int64
    let snapshot: LiveSnapshot<Record>
    let status: LiveStatus

    /// The change for one who has seen nothing.
    var asFirst: LiveCollectionChange<Record> {
        LiveCollectionChange(
            version: version, oldSnapshot: LiveSnapshot(), snapshot: snapshot,
            indices: IndexChange(insertions: Array(0..<snapshot.count)), oldStatus: LiveStatus(), status: status)
    }
}
