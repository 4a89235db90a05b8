import CausewayModels
import CausewayStorage
import Foundation

/// Coding of an account's openings in the columns of its row: identifiers are 16 bytes each.
enum LineageCoding {
    private static let identifierBytes = 16

    static func encode(_ ancestors: [OpeningID]) -> Data {
        ancestors.reduce(into: Data()) { $0 += MessageID($1.value).blob }
    }

    /// The opening in which the account was last the current one, and those before it, newest first.
    static func openings(
        _ last: Data?, ancestors: Data?, of account: Int64
    ) throws -> (OpeningID?, [OpeningID]) {
        func identifier(_ bytes: Data) throws -> OpeningID {
            guard let id = MessageID(blob: Data(bytes)) else { throw UnreadableRow(table: "account", key: account) }
            return OpeningID(id.value)
        }
        var found: [OpeningID] = []
        var rest = (ancestors ?? Data())[...]
        while !rest.isEmpty {
            found.append(try identifier(rest.prefix(identifierBytes)))
            rest = rest.dropFirst(identifierBytes)
        }
        return (try last.map(identifier), found)
    }
}
