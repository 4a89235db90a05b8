internal import CausewayHubRules
internal import CausewayModels

/// The log of a ``MemoryHubStorage``.
struct MemoryLog: Sendable {
    struct Key: Hashable {
        var topic: LogTopic
        var subject: LogChange.Subject
    }

    struct Entry: Sendable {
        var position: Int64
        var topic: LogTopic
        var subject: LogChange.Subject
        var version: Int64
        var isNew: Bool
    }

    private(set) var entries: [Entry] = []
    private(set) var last: Int64 = 0
    /// The positions of the topics' last changes, also of those whose entries have been dropped.
    private(set) var topics: [LogTopic: Int64] = [:]
    /// The last position that has been dropped.
    private(set) var floor: Int64 = 0
    /// Positions whose time is known, ascending.
    private var times: [(position: Int64, at: Timestamp)] = []

    mutating func append(_ topic: LogTopic, _ subject: LogChange.Subject, version: Int64, isNew: Bool) {
        last += 1
        topics[topic] = last
        entries.append(Entry(position: last, topic: topic, subject: subject, version: version, isNew: isNew))
    }

    mutating func trim(_ retention: LogRetention, at now: Timestamp) {
        if times.last.map({ $0.at.seconds(until: now) >= HubStorageLimits.logTimeSecondsMin }) ?? true {
            times.append((last, now))
        }
        let old = times.last { $0.at.seconds(until: now) >= retention.ageSecondsMax }?.position ?? 0
        floor = max(floor, old, last - retention.entriesMax)
        times.removeAll { $0.position < floor }
        entries.removeAll { $0.position <= floor }
    }
}

extension Timestamp {
    fileprivate func seconds(until later: Timestamp) -> Int64 { (later.milliseconds - milliseconds) / 1000 }
}
