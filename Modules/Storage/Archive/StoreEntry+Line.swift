#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Entries as bytes, for stores that keep them in files of their own.
extension StoreEntry {
    /// The entry as a line of JSON, without its end, in the format of exports (`Documentation/Export.md`). Every later
    /// version reads it.
    ///
    /// Throws ``StoreError/other(detail:)`` if JSON cannot represent it.
    public func encodedLine() throws(StoreError) -> Data { try EntryLine.entry(self).encoded() }

    /// Decodes a line that ``encodedLine()`` wrote; `nil` for any other bytes.
    public init?(line: some Sequence<UInt8>) {
        guard case .entry(let entry)? = try? EntryLine(Array(line)) else { return nil }
        self = entry
    }
}
