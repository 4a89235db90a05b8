internal import CausewayModels

/// The fields of records as JSON: compact, members sorted by name, so that equal records give equal text.
package enum RecordCoding {
    /// - Throws: `EncodingError` for a number that JSON cannot represent.
    package static func encode(_ record: some Record) throws -> [UInt8] { try JSONCoding.encode(record) }

    /// - Throws: ``JSONProblem`` or `DecodingError` if the bytes are not the fields of such a record.
    package static func decode<Value: Record>(
        _ type: Value.Type, from bytes: [UInt8], version: Int64
    ) throws -> Value {
        var record = try JSONCoding.decode(type, from: bytes)
        record.version = version
        return record
    }
}
