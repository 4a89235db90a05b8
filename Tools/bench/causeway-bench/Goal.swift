/// A measured ratio and its goal.
struct Goal: CustomStringConvertible {
    enum Bound {
        case atLeast(Double)
        case atMost(Double)
    }

    let name: String
    let ratio: Double
    let bound: Bound

    var isMet: Bool {
        switch bound {
        case .atLeast(let least): ratio >= least
        case .atMost(let most): ratio <= most
        }
    }

    /// `≥ 0.80  met`.
    var verdict: String {
        let sign =
            switch bound {
            case .atLeast(let least): "≥ \(Figure.ratio(least))"
            case .atMost(let most): "≤ \(Figure.ratio(most))"
            }
        return sign + (isMet ? "  met" : "  MISSED")
    }

    var description: String { "\(name): \(Figure.exactRatio(ratio)), goal \(verdict)" }
}
