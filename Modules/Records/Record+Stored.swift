package import CausewayModels

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A record as stores and the wire handle it, and back.
extension Record {
    /// Reads a record; `nil` if it is of another kind, or its fields cannot be read or are those of another record.
    package init?(stored: StoredRecord) {
        guard stored.kind == Self.kind, let record = Self(value: stored.value, id: stored.id, version: stored.version)
        else { return nil }
        self = record
    }

    /// Reads the fields of a record; `nil` if they cannot be read, or are those of another one.
    package init?(value: Data, id: String, version: Int64) {
        guard var record = try? JSONCoding.decode(Self.self, from: Array(value)), record.id.description == id else {
            return nil
        }
        record.version = version
        self = record
    }

    /// The record with fields that are coded already.
    package func stored(value: Data) -> StoredRecord {
        StoredRecord(kind: Self.kind, id: id.description, version: version, value: value, entries: entries)
    }
}
