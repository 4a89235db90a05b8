import CausewayLiveQuery
import CausewayModels

/// Everything that an application is notified of by a live object or collection, in order: events, and the calls of an
/// observer, which come last in each update.
@MainActor final class SequenceLog {
    private(set) var lines: [String] = []

    /// The lines since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func append(_ line: String) { lines.append(line) }

    func follow(_ collection: LiveCollection<Message>) -> NotificationToken {
        append("new \(collection.loadingStatus) \(collection.dataStatus) \(collection.snapshots.map(\.text))")
        collection.on(.loadingStatusChanged) { [self] in append("loading \($0.oldValue) > \($0.newValue)") }
        collection.on(.dataStatusChanged) { [self] in append("status \($0.oldValue) > \($0.newValue)") }
        collection.on(.dataUpdated) { [self, unowned collection] in
            append("data \(collection.dataStatus) \($0.snapshot.map(\.text))")
        }
        collection.on(.dataError) { [self] _ in append("error") }
        return collection.observe { [self] collection, change in
            append(
                "\(change.loadingStatus) \(change.dataStatus) \(collection.allObjects().map(\.text))"
                    + (change.isLoadingNext ? " next" : "") + (change.isLoadingPrevious ? " previous" : ""))
        }
    }

    func follow(_ object: LiveObject<Message>) -> NotificationToken {
        append("new \(object.loadingStatus) \(object.dataStatus) \(object.snapshot?.text ?? "-")")
        object.on(.loadingStatusChanged) { [self] in append("loading \($0.oldValue) > \($0.newValue)") }
        object.on(.dataStatusChanged) { [self] in append("status \($0.oldValue) > \($0.newValue)") }
        object.on(.dataUpdated) { [self, unowned object] in
            append("data \(object.dataStatus) \($0.snapshot.first?.text ?? "-")")
        }
        object.on(.dataError) { [self] _ in append("error") }
        return object.observe { [self] object, change in
            append("\(change.loadingStatus) \(change.dataStatus) \(object.snapshot?.text ?? "-")")
        }
    }
}
