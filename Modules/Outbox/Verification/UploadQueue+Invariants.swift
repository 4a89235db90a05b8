import CausewayModels

extension UploadQueue {
    /// Violations of the invariants; empty unless there is a mistake in the queue.
    package var violations: [String] {
        var found: [String] = []
        var locations = 0
        for (message, upload) in uploads {
            let key = upload.entry.key
            if message != key.message { found.append("an upload is filed under another message") }
            if byLane[upload.entry.lane]?.contains(key) != true { found.append("an upload is missing in its lane") }
            switch upload.state {
            case .waiting: if !waiting.contains(key) { found.append("a waiting upload would never begin") }
            case .running(let number, _, _):
                if running[number] != message { found.append("an attempt under way is not known") }
                if number >= nextNumber { found.append("an attempt has a number of the future") }
            case .holding(let until):
                if !holding.contains(HoldKey(until: until, key: key)) { found.append("a retry would never begin") }
            }
            locations += 1
        }
        if waiting.count + running.count + holding.count != locations { found.append("a place without an upload") }
        if byLane.values.reduce(0, { $0 + $1.count }) != locations { found.append("a lane lists what is not pending") }
        let isSorted =
            zip(waiting, waiting.dropFirst()).allSatisfy(<) && zip(holding, holding.dropFirst()).allSatisfy(<)
            && byLane.values.allSatisfy { zip($0, $0.dropFirst()).allSatisfy(<) }
        if !isSorted { found.append("a queue is out of order") }
        return found
    }
}
