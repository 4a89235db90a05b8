/// A chart of the last hour: one bar for each minute.
struct DeliveryChart {
    let counts: [Int]

    init(_ counts: [Int]) { self.counts = counts }

    private static let height = 80.0
    private static let step = 6

    var view: [String: Any] {
        let most = max(1, counts.max() ?? 0)
        let bars: [[String: Any]] = counts.enumerated().map { index, count in
            // Keeps a minute with a single message visible beside one with thousands.
            let size = count == 0 ? 1.0 : max(3, (Double(count) / Double(most) * Self.height).rounded())
            return [
                "x": index * Self.step, "y": Int(Self.height - size), "height": Int(size), "isNone": count == 0,
            ]
        }
        return ["bars": bars, "text": text]
    }

    private var text: String {
        let sum = counts.reduce(0, +)
        guard sum > 0 else { return "No messages were delivered in the last hour." }
        return "\(PageNumber.messages(sum)) in the last hour, at most \(PageNumber.text(counts.max() ?? 0)) in one"
            + " minute, \(PageNumber.text(counts.last ?? 0)) in this one."
    }
}
