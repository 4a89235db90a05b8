import CausewayModels
import CausewayStorage
import Foundation

/// A lineage in the columns of the `store` table: identifiers are 16 bytes each.
enum LineageCoding {
    private static let identifierBytes = 16

    static func encode(_ ancestors: [OpeningID]) -> Data {
        ancestors.reduce(into: Data()) { $0 += MessageID($1.value).blob }
    }

    /// ``Lineage/openedAt`` is not stored: it is set when an opening begins.
    static func lineage(opening: Data?, ancestors: Data?, sharedBelow: Int64) throws -> Lineage {
        var lineage = Lineage(sharedBelow: sharedBelow)
        if let opening { lineage.opening = try identifier(opening[...]) }
        var rest = (ancestors ?? Data())[...]
        while !rest.isEmpty {
            lineage.ancestors.append(try identifier(rest.prefix(identifierBytes)))
            rest = rest.dropFirst(identifierBytes)
        }
        return lineage
    }

    private static func identifier(_ bytes: Data) throws -> OpeningID {
        guard let id = MessageID(blob: Data(bytes)) else { throw UnreadableRow(table: "store", key: 1) }
        return OpeningID(id.value)
    }
}
