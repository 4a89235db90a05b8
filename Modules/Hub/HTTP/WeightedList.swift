internal import HTTPTypes

/// The lists of `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2): values with parameters, of which `q` is the weight.
enum WeightedList {
    /// Whether a value is named, and not with the weight 0. Wildcards name nothing: the hub has another form for every
    /// response, so that it chooses this one only for clients that know it.
    ///
    /// - Parameter value: in lower case.
    static func names(_ value: String, _ field: HTTPField.Name, of fields: HTTPFields) -> Bool {
        fields[values: field].contains { list in
            FieldList.split(list, at: ",").contains { element in
                let parts = FieldList.split(element, at: ";").map { part in
                    part.filter { $0 != " " && $0 != "\t" }.lowercased()
                }
                guard parts.first == value else { return false }
                let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
                return weight?.contains { ("1"..."9").contains($0) } ?? true
            }
        }
    }
}
