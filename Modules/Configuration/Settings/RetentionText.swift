package import CausewayModels

/// Retention policies as users write them.
package enum RetentionText {
    private static let forever = "forever"
    private static let units = [("d", 24), ("h", 1)]

    /// Parses `forever`, `90d`, `48h`, `100000`. Returns `nil` for anything else, and for fewer messages than are kept
    /// in any case.
    package static func policy(_ text: String) -> RetentionPolicy? {
        if text == forever { return .forever }
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLetter) }) else { return nil }
        if let count = Int(text) {
            return ConfigurationLimits.retainedMessages.contains(count) ? .count(count) : nil
        }
        for (suffix, hours) in units where text.hasSuffix(suffix) {
            let range = 1...ConfigurationLimits.retentionHoursMax / hours
            guard let number = Int(text.dropLast(suffix.count)), range.contains(number) else { return nil }
            return .age(.seconds(number * hours * 3600))
        }
        return nil
    }

    /// The form that ``policy(_:)`` parses back.
    package static func text(_ policy: RetentionPolicy) -> String {
        switch policy {
        case .forever: return forever
        case .count(let count): return String(count)
        case .age(let age):
            let hours = age.components.seconds / 3600
            return hours.isMultiple(of: 24) ? "\(hours / 24)d" : "\(hours)h"
        }
    }
}
